import type { Interaction, InteractionState, Prisma } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import type { DomainEvent } from '../events.js';
import type { Step } from './record.js';
import { OPEN_STATES } from './states.js';
import { insertStep } from './steps.js';

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
  const { count } = await call.writeOne(
    (db) => db.interaction.updateMany({ where: inTime(call, interaction, from), data }),
    ({ count }) => (count === 1 ? updated({ ...interaction, state: data.state }) : null),
  );
  return count === 1;
}

/** As {@link transition}, and notes the step that led there: whoever is told of the state reads the step, too. */
export function transitionWithStep(
  call: CallContext,
  interaction: Which,
  from: readonly InteractionState[],
  led: Led,
): Promise<boolean> {
  return leadOn(call, interaction, { where: inTime(call, interaction, from), ...led });
}

/** A change of state, and the step that leads there. */
export interface Led {
  data: Columns;
  step: Step;
}

/** A change of state with the step that led there, of one interaction that is as `where` says. @returns whether it was */
export function leadOn(
  call: CallContext,
  interaction: Which,
  { where, data, step }: Led & { where: Prisma.InteractionWhereInput },
): Promise<boolean> {
  return call.write(async (write) => {
    const isLed = await leadWithin(write, interaction, where, data);
    if (isLed) await insertStep(call, write.db, interaction.id, step);
    return isLed;
  });
}

/** A change of state that belongs to a transaction, of one interaction that is as `where` says. @returns whether it was */
export async function leadWithin(
  { db, record }: Pick<Write, 'db' | 'record'>,
  interaction: Which,
  where: Prisma.InteractionWhereInput,
  data: Columns,
): Promise<boolean> {
  const { count } = await db.interaction.updateMany({ where, data });
  if (count === 1) record(updated({ ...interaction, state: data.state }));
  return count === 1;
}

/** In one of some states, and not over. */
function inTime({ clock }: CallContext, { id }: Which, from: readonly InteractionState[]) {
  const endsAt = { gt: new Date(clock.now()) };
  return { id, state: { in: [...from] }, OR: [{ endsAt: null }, { endsAt }] };
}

/** Leads an interaction that waits for its first answer to another state. @returns whether it did */
export function transitionFromOpen(call: CallContext, interaction: Which, data: Columns): Promise<boolean> {
  return transition(call, interaction, OPEN_STATES, data);
}
