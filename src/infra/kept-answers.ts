import { Gauge, type Registry } from 'prom-client';
import type { Clock } from './clock.js';
import { isDoneWithin } from './deadlines.js';

/** How long `/metrics` waits for the database, in milliseconds; what it said last is shown then. */
const ANSWER_WITHIN_MS = 1_000;

/** How long its answer is good for, in milliseconds: however often somebody asks for metrics, the database is asked once. */
const KEPT_MS = 5_000;

/**
 * A question to the database for `/metrics`: those who ask within some seconds get one answer; the last one where none comes in time.
 * @param last what is answered until there is one
 */
export function keeping<Answer>(clock: Clock, last: Answer, read: () => Promise<Answer>): () => Promise<Answer> {
  let kept = last;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;
  const ask = async () => {
    try {
      kept = await read();
    } catch {
      // An outage is told of elsewhere.
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

/** A gauge of `/metrics` whose value is part of an answer. */
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
