import type { Clock, Timer } from '../../infra/clock.js';
import type { CallContext } from '../call.js';

/** How long it is gathered of which bots sessions began or ended, in milliseconds. */
const GATHERED_MS = 1_000;

interface SessionNewsParts {
  clock: Clock;
  callOfNobody: () => CallContext;
}

/** Tells that sessions of bots began or ended: of a bot once a second at most, however many did. */
export class SessionNews {
  readonly #untold = new Set<bigint>();
  #timer: Timer | null = null;

  constructor(private readonly parts: SessionNewsParts) {}

  add(applicationId: bigint): void {
    this.#untold.add(applicationId);
    this.#timer ??= this.parts.clock.after(GATHERED_MS, () => this.tell());
  }

  /** Tells what is not told yet. */
  tell(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const call = this.parts.callOfNobody();
    for (const applicationId of this.#untold) call.announce({ type: 'BOT_SESSIONS_UPDATED', applicationId });
    this.#untold.clear();
  }
}
