import type { Readiness } from '../../src/http/readiness.js';

/** What an instance says of itself at /readyz, but for how busy this machine is: test/http/readiness.test.ts is about that. */
export async function readinessOf(origin: string): Promise<[status: number, Readiness]> {
  const response = await fetch(`${origin}/readyz`);
  const { degraded, ...rest } = (await response.json()) as Readiness;
  return [response.status, { ...rest, degraded: degraded.filter((what) => what !== 'event-loop') }];
}
