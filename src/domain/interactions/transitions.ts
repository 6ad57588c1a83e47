import type { Interaction, InteractionState, Prisma } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import type { DomainEvent } from '../events.js';
import type { Step } from './record.js';
import { OPEN_STATES } from './states.js';
import { insertStep } from './steps.js';

export function updated({
  id,
  applicationId,
  state,
}: Pick<Interaction, 'id' | 'applicationId' | 'state'>): DomainEvent {
  return { type: 'INTERACTION_UPDATED', applicationId, interaction: { id, state } };
}

type Columns = Prisma.InteractionUncheckedUpdateManyInput & { state: InteractionState };

type Which = Pick<Interaction, 'id' | 'applicationId'>;

/**
 * Changes the state if it is in `from` and its time is not over. Of concurrent calls, only one succeeds.
 * @returns whether this call did
 */
export async function transition(
  call: CallContext,
  interaction: Which,
  from: readonly InteractionState[],
  data: Columns,
): Promise<boolean> {
  const { count } = await call.writeOne(
    (db) => db.interaction.updateMany({ where: inTime(call, interaction, from), data }),
    {
      streams: [topics.application(interaction.applicationId)],
      event: ({ count }) => (count === 1 ? updated({ ...interaction, state: data.state }) : null),
    },
  );
  return count === 1;
}

/** Adds the step in the same transaction, so that subscribers to the event can read it. */
export function transitionWithStep(
  call: CallContext,
  interaction: Which,
  from: readonly InteractionState[],
  led: Transition,
): Promise<boolean> {
  return applyTransition(call, interaction, { where: inTime(call, interaction, from), ...led });
}

export interface Transition {
  data: Columns;
  step: Step;
}

/** @returns whether the interaction matched `where` */
export function applyTransition(
  call: CallContext,
  interaction: Which,
  { where, data, step }: Transition & { where: Prisma.InteractionWhereInput },
): Promise<boolean> {
  const apply = async (write: Write) => {
    const isLed = await applyTransitionIn(write, interaction, where, data);
    if (isLed) await insertStep(call, write.db, interaction.id, step);
    return isLed;
  };
  return call.write(apply, { streams: [topics.application(interaction.applicationId)] });
}

/** @returns whether the interaction matched `where` */
export async function applyTransitionIn(
  { db, record }: Pick<Write, 'db' | 'record'>,
  interaction: Which,
  where: Prisma.InteractionWhereInput,
  data: Columns,
): Promise<boolean> {
  const { count } = await db.interaction.updateMany({ where, data });
  if (count === 1) record(updated({ ...interaction, state: data.state }));
  return count === 1;
}

function inTime({ clock }: CallContext, { id }: Which, from: readonly InteractionState[]) {
  const endsAt = { gt: new Date(clock.now()) };
  return { id, state: { in: [...from] }, OR: [{ endsAt: null }, { endsAt }] };
}

/** @returns whether the interaction was still without a first answer */
export function transitionFromOpen(call: CallContext, interaction: Which, data: Columns): Promise<boolean> {
  return transition(call, interaction, OPEN_STATES, data);
}
