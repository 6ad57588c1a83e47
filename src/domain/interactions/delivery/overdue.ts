import type { Clock, Timer } from '../../../infra/clock.js';
import type { Interaction, Reader } from '../../../infra/database/index.js';
import type { CallContext } from '../../call.js';
import { stateAfter, stateAt } from '../states.js';
import { applyTransition } from '../transitions.js';

/** Calls `settle` shortly after interactions end, once per batch. */
export class OverdueInteractions {
  #timer: Timer | null = null;
  #dueAt = Number.POSITIVE_INFINITY;

  /** @param settle must not reject; see {@link settleOverdue} */
  constructor(
    private readonly clocks: { clock: Clock; connectionClock: Clock },
    private readonly settle: () => Promise<void>,
  ) {}

  /** Schedules `settle` for shortly after `time`, in milliseconds since the Unix epoch. */
  lookAt(time: number): void {
    if (time >= this.#dueAt) return;
    const { clock, connectionClock } = this.clocks;
    this.#timer?.cancel();
    this.#dueAt = time;
    const settle = () => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      return this.settle();
    };
    this.#timer = clock.after(
      Math.max(time - clock.now(), 0),
      () => new Promise((resolve) => void connectionClock.after(GATHER_MS, () => resolve(settle()))),
    );
  }
}

/** Batches interactions that end in quick succession. In real time, so that a moved clock need not move further. */
const GATHER_MS = 25;

const PER_PIECE = 100;

/**
 * Marks overdue interactions as failed or expired, earliest end first.
 * @throws the reason of `signal`, which is checked between batches
 */
export async function settleOverdue(call: CallContext, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const overdue = await findOverdue(call.read, call.clock.now());
    for (const interaction of overdue) await settle(call, interaction);
    if (overdue.length < PER_PIECE) return;
  }
}

/** In milliseconds since the Unix epoch. Null if no interaction is pending. */
export async function nextOverdue(read: Reader): Promise<number | null> {
  const next = await read.interaction.findFirst({
    where: { endsAt: { not: null } },
    orderBy: { endsAt: 'asc' },
    select: { endsAt: true },
  });
  return next?.endsAt?.getTime() ?? null;
}

function findOverdue(read: Reader, now: number): Promise<Interaction[]> {
  return read.interaction.findMany({
    where: { endsAt: { lte: new Date(now) } },
    orderBy: { endsAt: 'asc' },
    take: PER_PIECE,
  });
}

async function settle(call: CallContext, interaction: Interaction): Promise<void> {
  const { id, endsAt } = interaction;
  const state = stateAfter(interaction.state);
  const reason = (await wasAwayAtDelivery(call, interaction)) ? NOT_RESUMED : reasonOf(interaction);
  await applyTransition(call, interaction, {
    where: { id, endsAt, state: interaction.state },
    data: { state, endsAt: null, failure: reason },
    step: { kind: state === 'EXPIRED' ? 'EXPIRED' : 'FAILED', reason },
  });
}

const NOT_RESUMED = 'The bot was not connected, and its session did not resume within 3 seconds.';

/** The delivery step has a reason only if the bot had no connected session. */
async function wasAwayAtDelivery({ read }: CallContext, { id, state }: Interaction): Promise<boolean> {
  if (state !== 'DELIVERED_GATEWAY') return false;
  const where = { interactionId: id, kind: 'GATEWAY', reason: { not: null } };
  return (await read.interactionStep.findFirst({ where, select: { id: true } })) !== null;
}

/** Correct even if the stored state is outdated. Null if the interaction has not failed. */
export function failureAt(interaction: Interaction, now: number): string | null {
  const state = stateAt(interaction, now);
  return state === 'FAILED' || state === 'EXPIRED' ? (interaction.failure ?? reasonOf(interaction)) : null;
}

function reasonOf({ state, httpMs }: Pick<Interaction, 'state' | 'httpMs'>): string {
  switch (state) {
    case 'DELIVERED_HTTP':
      if (httpMs === null) return 'A listener received the interaction but did not answer it within 3 seconds.';
      return 'The endpoint accepted the interaction but did not answer it through the callback route within 3 seconds.';
    case 'DELIVERED_GATEWAY':
      return 'A gateway session of the bot received the interaction but did not answer it within 3 seconds.';
    case 'DEFERRED':
      return 'The deferred answer did not arrive within 15 minutes.';
    default:
      return 'The interaction could not be delivered.';
  }
}
