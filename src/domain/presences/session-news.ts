import type { Clock, Timer } from '../../infra/clock.js';
import type { CallContext } from '../call.js';

const GATHERED_MS = 1_000;

interface SessionNewsParts {
  clock: Clock;
  callOfNobody: () => CallContext;
}

/** At most one event per bot and second. */
export class SessionNews {
  readonly #untold = new Set<bigint>();
  #timer: Timer | null = null;

  constructor(private readonly parts: SessionNewsParts) {}

  add(applicationId: bigint): void {
    this.#untold.add(applicationId);
    this.#timer ??= this.parts.clock.after(GATHERED_MS, () => this.tell());
  }

  tell(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const call = this.parts.callOfNobody();
    for (const applicationId of this.#untold) call.announce({ type: 'BOT_SESSIONS_UPDATED', applicationId });
    this.#untold.clear();
  }
}
