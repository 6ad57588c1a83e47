import type { Prisma, Transaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { type DomainError, describeFaults } from '../errors.js';
import type { Step } from './record.js';

/** The most that is kept of a body, in characters. */
const BODY_LENGTH = 4_000;

/** The most steps of an interaction that are kept: who sends one answer after the other is not logged for ever. */
const STEPS_PER_INTERACTION = 60;

/** The row of a step. */
export function stepRow(
  call: Pick<CallContext, 'nextId'>,
  interactionId: bigint,
  { request, response, ...step }: Step,
): Prisma.InteractionStepCreateManyInput {
  return { id: call.nextId(), interactionId, ...step, ...cutBodies({ request, response }) };
}

/** Notes a step of an interaction. */
export async function addStep(call: CallContext, interactionId: bigint, step: Step): Promise<void> {
  const data = [stepRow(call, interactionId, step)];
  // Nothing of it is read back, which a single `create` would do.
  await call.writeOne((db: Transaction) => db.interactionStep.createMany({ data }));
}

/** Notes a step of which there may be any number, unless as many as are kept were noted. */
export async function addRepeatableStep(call: CallContext, interactionId: bigint, step: Step): Promise<void> {
  const known = await call.read.interactionStep.count({ where: { interactionId } });
  if (known < STEPS_PER_INTERACTION) await addStep(call, interactionId, step);
}

/** Notes why an answer was refused, for its developers. */
export async function noteRefusedAnswer(call: CallContext, refusal: DomainError): Promise<void> {
  if (call.actor.kind !== 'interaction') return;
  const { id } = call.actor.interaction;
  await addRepeatableStep(call, id, { kind: 'REFUSED', reason: describeFaults(refusal) });
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
