import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../clock.js';
import { isDoneWithin } from '../concurrency/timeouts.js';

/** How long `/metrics` waits for the database. After that, it shows the previous value. */
const ANSWER_WITHIN_MS = 1_000;

const KEPT_MS = 5_000;

/**
 * Caches a database query of `/metrics`. Concurrent callers share one query.
 * @param last result until the first query succeeds
 */
export function memoizeWithTtl<Answer>(clock: Clock, last: Answer, read: () => Promise<Answer>): () => Promise<Answer> {
  let kept = last;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;
  const ask = async () => {
    try {
      kept = await read();
    } catch {
      // Outages are logged elsewhere.
    }
    askedAt = clock.now();
    asking = null;
  };
  return async () => {
    if (clock.now() - askedAt < KEPT_MS) return kept;
    asking ??= ask();
    await isDoneWithin(ANSWER_WITHIN_MS, asking);
    return kept;
  };
}

export function showPart<Answer>(
  registry: Registry,
  look: () => Promise<Answer>,
  { name, help, value }: { name: string; help: string; value: (answer: Answer) => number },
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(value(await look()));
    },
  });
}
