import type { Readiness } from '../../src/http/readiness.js';

/** The state at /readyz, without the load of this machine, which test/http/readiness.test.ts covers. */
export async function readinessOf(origin: string): Promise<[status: number, Readiness]> {
  const response = await fetch(`${origin}/readyz`);
  const { degraded, ...rest } = (await response.json()) as Readiness;
  return [response.status, { ...rest, degraded: degraded.filter((what) => what !== 'event-loop') }];
}
