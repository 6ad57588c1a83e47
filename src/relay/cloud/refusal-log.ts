import type { Clock } from '../../infra/clock.js';
import type { Logger } from '../../infra/logger.js';

/** How often it is logged that something of a box's was left out, in milliseconds. */
const LOG_EVERY_MS = 10_000;

/** Logs what a box told and nobody is told, without a line for each: a box may tell as much of that as it likes. */
export class RefusalLog {
  #lastAt = Number.NEGATIVE_INFINITY;
  #unsaid = 0;

  constructor(
    private readonly log: Logger,
    private readonly clock: Clock,
    private readonly boxId: bigint,
  ) {}

  /** @param refusal why it is left out */
  note(name: string, refusal: string): void {
    this.#unsaid += 1;
    if (this.clock.now() - this.#lastAt < LOG_EVERY_MS) return;
    const facts = { boxId: String(this.boxId), name: name.slice(0, 50), refusal, count: this.#unsaid };
    this.log.warn(facts, 'events of a box were left out');
    this.#lastAt = this.clock.now();
    this.#unsaid = 0;
  }
}
