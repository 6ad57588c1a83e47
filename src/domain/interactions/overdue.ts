import type { Clock, Timer } from '../../infra/clock.js';
import type { Interaction, Reader } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { stateAfter, stateAt } from './states.js';
import { leadOn } from './transitions.js';

/** Looks after interactions whose time may be over, once for all that are over by then. */
export class OverdueInteractions {
  #timer: Timer | null = null;
  #dueAt = Number.POSITIVE_INFINITY;

  /** @param settle see {@link settleOverdue}; handles its own faults */
  constructor(
    private readonly clock: Clock,
    private readonly settle: () => Promise<void>,
  ) {}

  /** Has interactions looked at that are over by `time`, in milliseconds since the Unix epoch. */
  lookAt(time: number): void {
    if (time >= this.#dueAt) return;
    this.#timer?.cancel();
    this.#dueAt = time;
    this.#timer = this.clock.after(Math.max(time - this.clock.now(), 0) + GATHER_MS, () => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      void this.settle();
    });
  }
}

/** How long those that end one after the other are gathered, in milliseconds. */
const GATHER_MS = 25;

const PER_PIECE = 100;

/**
 * Notes of interactions whose time is over that they have failed or expired, those that ended first before the others.
 * @param signal ends it after a piece
 * @throws the reason of `signal` when that is aborted
 */
export async function settleOverdue(call: CallContext, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const overdue = await findOverdue(call.read, call.clock.now());
    for (const interaction of overdue) await settle(call, interaction);
    if (overdue.length < PER_PIECE) return;
  }
}

/** When the next interaction that waits for an answer is over; null for none. */
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
  await leadOn(call, interaction, {
    where: { id, endsAt, state: interaction.state },
    data: { state, endsAt: null, failure: reason },
    step: { kind: state === 'EXPIRED' ? 'EXPIRED' : 'FAILED', reason },
  });
}

const NOT_RESUMED = 'The bot was not connected, and its session did not resume within 3 seconds.';

/** Whether no session of the bot was connected when the interaction was delivered. The step of that delivery has a reason only then. */
async function wasAwayAtDelivery({ read }: CallContext, { id, state }: Interaction): Promise<boolean> {
  if (state !== 'DELIVERED_GATEWAY') return false;
  const where = { interactionId: id, kind: 'GATEWAY', reason: { not: null } };
  return (await read.interactionStep.findFirst({ where, select: { id: true } })) !== null;
}

/** Why nothing came of an interaction, whether or not somebody has noted it, for its developers; null where something did, or may yet. */
export function failureAt(interaction: Interaction, now: number): string | null {
  const state = stateAt(interaction, now);
  return state === 'FAILED' || state === 'EXPIRED' ? (interaction.failure ?? reasonOf(interaction)) : null;
}

/** Why an interaction is over that nobody answered. */
function reasonOf({ state }: Pick<Interaction, 'state'>): string {
  switch (state) {
    case 'DELIVERED_HTTP':
      return 'The endpoint took the interaction and did not answer it through the callback route within 3 seconds.';
    case 'DELIVERED_GATEWAY':
      return 'A session of the bot got the interaction, and no answer came within 3 seconds.';
    case 'DEFERRED':
      return 'The answer was deferred and did not come within 15 minutes.';
    default:
      return 'The interaction could not be delivered.';
  }
}
