import type { Interaction, InteractionState, Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import type { DomainEvent } from '../events.js';
import { OPEN_STATES } from './states.js';

/** What is told of an interaction's new state. */
export function updated({
  id,
  applicationId,
  state,
}: Pick<Interaction, 'id' | 'applicationId' | 'state'>): DomainEvent {
  return { type: 'INTERACTION_UPDATED', applicationId, interaction: { id, state } };
}

/** The columns a transition sets. */
type Columns = Prisma.InteractionUncheckedUpdateManyInput & { state: InteractionState };

type Which = Pick<Interaction, 'id' | 'applicationId'>;

/**
 * Leads an interaction from one of some states to another, if it is in one of them and its time is not over: of several who try, one
 * succeeds.
 * @returns whether this one did
 */
export async function transition(
  call: CallContext,
  interaction: Which,
  from: readonly InteractionState[],
  data: Columns,
): Promise<boolean> {
  const endsAt = { gt: new Date(call.clock.now()) };
  const where = { id: interaction.id, state: { in: [...from] }, OR: [{ endsAt: null }, { endsAt }] };
  const { count } = await call.writeOne(
    (db) => db.interaction.updateMany({ where, data }),
    ({ count }) => (count === 1 ? updated({ ...interaction, state: data.state }) : null),
  );
  return count === 1;
}

/** Leads an interaction that waits for its first answer to another state. @returns whether it did */
export function transitionFromOpen(call: CallContext, interaction: Which, data: Columns): Promise<boolean> {
  return transition(call, interaction, OPEN_STATES, data);
}
