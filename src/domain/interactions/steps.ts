import type { Interaction, Prisma, Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext } from '../call.js';
import { type DomainError, describeFaults } from '../errors.js';
import type { Step } from './record.js';

/** In characters. */
const BODY_LENGTH = 4_000;

/** Limit of {@link addRepeatableStep}. */
const STEPS_PER_INTERACTION = 60;

export function stepRow(
  call: Pick<CallContext, 'nextId'>,
  interactionId: bigint,
  { request, response, ...step }: Step,
): Prisma.InteractionStepCreateManyInput {
  return { id: call.nextId(), interactionId, ...step, ...cutBodies({ request, response }) };
}

/** The transaction must publish an event itself. */
export async function insertStep(
  call: Pick<CallContext, 'nextId'>,
  db: Transaction,
  interactionId: bigint,
  step: Step,
): Promise<void> {
  // Unlike `create`, `createMany` does not read the row back.
  await db.interactionStep.createMany({ data: [stepRow(call, interactionId, step)] });
}

type Which = Pick<Interaction, 'id' | 'applicationId'>;

/** For a step that does not change the state. */
export async function addStep(call: CallContext, { id, applicationId }: Which, step: Step): Promise<void> {
  await call.writeOne((db) => insertStep(call, db, id, step), {
    streams: [topics.application(applicationId)],
    event: () => ({ type: 'INTERACTION_UPDATED', applicationId, interaction: { id } }),
  });
}

export async function addRepeatableStep(call: CallContext, interaction: Which, step: Step): Promise<void> {
  const known = await call.read.interactionStep.count({ where: { interactionId: interaction.id } });
  if (known < STEPS_PER_INTERACTION) await addStep(call, interaction, step);
}

export async function noteRefusedAnswer(call: CallContext, refusal: DomainError): Promise<void> {
  if (call.actor.kind !== 'interaction') return;
  await addRepeatableStep(call, call.actor.interaction, { kind: 'REFUSED', reason: describeFaults(refusal) });
}

function cutBodies(bodies: Pick<Step, 'request' | 'response'>) {
  return {
    ...(bodies.request === undefined ? {} : { request: cut(bodies.request) }),
    ...(bodies.response === undefined ? {} : { response: cut(bodies.response) }),
  };
}

function cut(text: string): string {
  const safe = text.replaceAll('\u0000', '\ufffd').toWellFormed();
  return safe.length <= BODY_LENGTH
    ? safe
    : `${safe.slice(0, BODY_LENGTH)}… (${safe.length} characters)`.toWellFormed();
}
