import type { CallContext } from '../../call.js';
import { describeFaults, refusalIn } from '../../errors.js';
import type { InteractionRecord, Step } from '../record.js';
import type { InteractionRequest } from '../requests/request.js';
import { answerInteraction } from '../responses/answers.js';
import { ANSWER_WINDOW_MS, OPEN_STATES } from '../states.js';
import { addStep } from '../steps.js';
import { type Transition, transitionWithStep } from '../transitions.js';
import { createInteraction } from './create.js';
import type { EndpointOutcome } from './endpoint.js';
import { isTakenByListener } from './listener.js';
import { waitForEndOf } from './wait.js';

interface Delivery {
  request: InteractionRequest;
  interaction: InteractionRecord;
  token: string;
}

/**
 * Delivers to the application's listener if it has one, otherwise over HTTP if it has an endpoint. Without one, or if
 * HTTP fails, delivers over the gateway (service description, section 6). Each attempt has 3 seconds in total.
 * @returns the interaction after the delivery succeeded or failed
 */
export async function deliverInteraction(call: CallContext, request: InteractionRequest): Promise<InteractionRecord> {
  return deliverStored(call, { request, ...(await createInteraction(call, request)) });
}

/** Like {@link deliverInteraction}. */
export async function deliverStored(call: CallContext, delivery: Delivery): Promise<InteractionRecord> {
  const delivered = await deliver(call, delivery);
  return delivered ?? readInteraction(call, delivery.interaction.id);
}

/** @returns the interaction after it was answered or failed */
export async function deliverAndAwaitAnswer(
  call: CallContext,
  request: InteractionRequest,
): Promise<InteractionRecord> {
  const delivery = { request, ...(await createInteraction(call, request)) };
  const answered = waitForEndOf(call, delivery.interaction, OPEN_STATES);
  try {
    await answered.ready;
    await deliver(call, delivery);
    await answered.settled(LONGEST_WAIT_MS);
  } finally {
    answered.close();
  }
  return readInteraction(call, delivery.interaction.id);
}

const LONGEST_WAIT_MS = ANSWER_WINDOW_MS + 500;

/** @returns the interaction, or null if the caller must read its state again */
async function deliver(call: CallContext, delivery: Delivery): Promise<InteractionRecord | null> {
  if (await isTakenByListener(call, delivery)) return null;
  if (delivery.request.application.interactionsEndpointUrl !== null) return deliverOverHttp(call, delivery);
  await deliverOverGateway(call, delivery);
  return null;
}

function readInteraction(call: CallContext, id: bigint): Promise<InteractionRecord> {
  return call.read.interaction.findUniqueOrThrow({ where: { id } });
}

async function deliverOverHttp(call: CallContext, delivery: Delivery): Promise<InteractionRecord | null> {
  const { request, interaction, token } = delivery;
  const outcome = await call.endpoints.deliver(request, { id: interaction.id, token });
  switch (outcome.kind) {
    case 'answered':
      return answerInline(call, delivery, outcome);
    case 'accepted':
      await waitForCallback(call, delivery, outcome);
      return null;
    case 'unusable':
      await failOverHttp(call, interaction, outcome);
      return null;
    case 'failed':
      await deliverOverGateway(call, delivery, outcome);
      return null;
  }
}

/** Treats the response like a request to the callback route. @returns null if it was rejected */
async function answerInline(
  call: CallContext,
  { request, interaction }: Delivery,
  { callback, files, step, httpMs }: Extract<EndpointOutcome, { kind: 'answered' }>,
): Promise<InteractionRecord | null> {
  try {
    const { application } = request;
    const answer = await answerInteraction(call, { interaction, application, callback, files, httpMs });
    await addStep(call, interaction, step);
    return answer.interaction;
  } catch (error) {
    const refusal = refusalIn(error);
    if (!refusal) throw error;
    await failOverHttp(call, interaction, { step, reason: describeFaults(refusal), httpMs });
    return null;
  } finally {
    await Promise.all(files.map(({ blob }) => blob.discard()));
  }
}

/** The endpoint answers through the callback route, possibly before this runs. */
async function waitForCallback(
  call: CallContext,
  { interaction }: Delivery,
  { step, httpMs }: Extract<EndpointOutcome, { kind: 'accepted' }>,
): Promise<void> {
  const endsAt = new Date(call.clock.now() + ANSWER_WINDOW_MS);
  const data = { state: 'DELIVERED_HTTP', endsAt, httpMs } as const;
  if (await noteAttempt(call, interaction, { data, step })) call.overdue.lookAt(endsAt.getTime());
}

/**
 * Records the attempt and advances the interaction unless it was answered in the meantime. @returns whether it advanced
 */
async function noteAttempt(
  call: CallContext,
  interaction: InteractionRecord,
  transition: Transition,
): Promise<boolean> {
  const isWaiting = await transitionWithStep(call, interaction, ['DELIVERING'], transition);
  if (!isWaiting) await addStep(call, interaction, transition.step);
  return isWaiting;
}

interface UselessAttempt extends Pick<EndpointOutcome, 'step' | 'httpMs'> {
  reason: string;
}

/** @returns false if the interaction was answered in the meantime */
function noteFallback(
  call: CallContext,
  interaction: InteractionRecord,
  { step, reason, httpMs }: UselessAttempt,
): Promise<boolean> {
  const data = { state: 'DELIVERING', fellBack: true, httpMs } as const;
  return noteAttempt(call, interaction, { data, step: { ...step, reason } });
}

async function failOverHttp(
  call: CallContext,
  interaction: InteractionRecord,
  { step, reason, httpMs }: UselessAttempt,
): Promise<void> {
  const data = { state: 'FAILED', endsAt: null, failure: reason, httpMs } as const;
  await noteAttempt(call, interaction, { data, step: { ...step, reason } });
}

/**
 * Offers the interaction to the bot's sessions in all processes. The first session that takes it dispatches it.
 * @param attempt the failed HTTP attempt, if any
 */
async function deliverOverGateway(
  call: CallContext,
  { request, interaction, token }: Delivery,
  attempt?: UselessAttempt,
): Promise<void> {
  const taken = waitForEndOf(call, interaction, ['DELIVERING']);
  const failure = attempt ? `${attempt.reason} ${NOBODY_TOOK_IT}` : NOBODY_TOOK_IT;
  const data = { state: 'FAILED', endsAt: null, failure } as const;
  const step: Step = { kind: 'FAILED', reason: NOBODY_TOOK_IT };
  try {
    await taken.ready;
    if (attempt && !(await noteFallback(call, interaction, attempt))) return;
    call.announce({ type: 'INTERACTION_CREATE', request, interaction: { id: interaction.id, token } });
    await taken.settled(ANSWER_WINDOW_MS, () => transitionWithStep(call, interaction, ['DELIVERING'], { data, step }));
  } finally {
    taken.close();
  }
}

const NOBODY_TOOK_IT = 'No gateway session of the bot accepted the interaction within 3 seconds.';

/**
 * Claims an interaction, so that one session in all processes dispatches it.
 * @param isConnected false if the session receives it only after a resume
 * @returns whether the session may dispatch it
 */
export async function takeForGateway(
  call: CallContext,
  interaction: Pick<InteractionRecord, 'id' | 'applicationId'>,
  { isConnected }: { isConnected: boolean },
): Promise<boolean> {
  const endsAt = new Date(call.clock.now() + ANSWER_WINDOW_MS);
  const data = { state: 'DELIVERED_GATEWAY', endsAt } as const;
  const step: Step = { kind: 'GATEWAY', ...(isConnected ? {} : { reason: NOT_CONNECTED }) };
  const isTaken = await transitionWithStep(call, interaction, ['DELIVERING'], { data, step });
  if (isTaken) call.overdue.lookAt(endsAt.getTime());
  return isTaken;
}

const NOT_CONNECTED = 'The bot is not connected. It receives the interaction if its session resumes within 3 seconds.';
