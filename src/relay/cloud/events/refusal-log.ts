import type { Clock } from '../../../infra/clock.js';
import type { Logger } from '../../../infra/observability/logger.js';

const LOG_EVERY_MS = 10_000;

/** Limits the log's rate, because a box may send any number of refused events. */
export class RefusalLog {
  #lastAt = Number.NEGATIVE_INFINITY;
  #unsaid = 0;

  constructor(
    private readonly log: Logger,
    private readonly clock: Clock,
    private readonly boxId: bigint,
  ) {}

  note(name: string, refusal: string): void {
    this.#unsaid += 1;
    if (this.clock.now() - this.#lastAt < LOG_EVERY_MS) return;
    const facts = { boxId: String(this.boxId), name: name.slice(0, 50), refusal, count: this.#unsaid };
    this.log.warn(facts, 'Ignored invalid events of a box');
    this.#lastAt = this.clock.now();
    this.#unsaid = 0;
  }
}
