import type { CallContext } from '../call.js';
import { describeFaults, refusalIn } from '../errors.js';
import { answerInteraction } from './answers.js';
import { createInteraction } from './create.js';
import type { EndpointOutcome } from './endpoint.js';
import type { InteractionRecord, Step } from './record.js';
import type { InteractionRequest } from './request.js';
import { ANSWER_WINDOW_MS, OPEN_STATES } from './states.js';
import { addStep } from './steps.js';
import { type Led, transitionWithStep } from './transitions.js';
import { waitForEndOf } from './wait.js';

/** An interaction on its way. */
interface Delivery {
  request: InteractionRequest;
  interaction: InteractionRecord;
  token: string;
}

/**
 * Stores an interaction and delivers it: over HTTP where the application has an endpoint, and through the gateway where it has none, or
 * where that is of no use (service description, section 6; decisions 14).
 * @returns the interaction as it is once it was delivered, or could not be
 */
export async function deliverInteraction(call: CallContext, request: InteractionRequest): Promise<InteractionRecord> {
  return deliverStored(call, { request, ...(await createInteraction(call, request)) });
}

/** As {@link deliverInteraction}, for one that is stored. */
export async function deliverStored(call: CallContext, delivery: Delivery): Promise<InteractionRecord> {
  const delivered = await deliver(call, delivery);
  return delivered ?? readInteraction(call, delivery.interaction.id);
}

/** As {@link deliverInteraction}. @returns the interaction once it was answered, or has failed */
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

/** Somewhat longer than the window for an answer, in milliseconds. */
const LONGEST_WAIT_MS = ANSWER_WINDOW_MS + 500;

/** @returns the interaction where it was led to its present state here; null where somebody else has done so */
async function deliver(call: CallContext, delivery: Delivery): Promise<InteractionRecord | null> {
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

/** The endpoint's answer counts as if it had come to the callback route. @returns the interaction, if that was so */
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

/** The endpoint will answer through the callback route, or has done so already. */
async function waitForCallback(
  call: CallContext,
  { interaction }: Delivery,
  { step, httpMs }: Extract<EndpointOutcome, { kind: 'accepted' }>,
): Promise<void> {
  const endsAt = new Date(call.clock.now() + ANSWER_WINDOW_MS);
  const data = { state: 'DELIVERED_HTTP', endsAt, httpMs } as const;
  if (await noteAttempt(call, interaction, { data, step })) call.overdue.lookAt(endsAt.getTime());
}

/** Notes what became of a request, and leads the interaction on where nobody has answered it meanwhile. @returns whether nobody has */
async function noteAttempt(call: CallContext, interaction: InteractionRecord, led: Led): Promise<boolean> {
  const isWaiting = await transitionWithStep(call, interaction, ['DELIVERING'], led);
  if (!isWaiting) await addStep(call, interaction, led.step);
  return isWaiting;
}

/** What became of a request, and why it was of no use. */
interface UselessAttempt extends Pick<EndpointOutcome, 'step' | 'httpMs'> {
  reason: string;
}

/** Notes that the endpoint was of no use. @returns whether it has not answered meanwhile through the callback route */
function noteFallback(
  call: CallContext,
  interaction: InteractionRecord,
  { step, reason, httpMs }: UselessAttempt,
): Promise<boolean> {
  const data = { state: 'DELIVERING', fellBack: true, httpMs } as const;
  return noteAttempt(call, interaction, { data, step: { ...step, reason } });
}

/** Nothing comes of what the endpoint answered, unless another answer came first. */
async function failOverHttp(
  call: CallContext,
  interaction: InteractionRecord,
  { step, reason, httpMs }: UselessAttempt,
): Promise<void> {
  const data = { state: 'FAILED', endsAt: null, failure: reason, httpMs } as const;
  await noteAttempt(call, interaction, { data, step: { ...step, reason } });
}

/**
 * Offers it to the bot's sessions of all processes; it is dispatched by whoever of them takes it first.
 * @param attempt what the endpoint was asked for in vain, if it has one
 */
async function deliverOverGateway(
  call: CallContext,
  { request, interaction, token }: Delivery,
  attempt?: UselessAttempt,
): Promise<void> {
  const taken = waitForEndOf(call, interaction, ['DELIVERING']);
  try {
    await taken.ready;
    if (attempt && !(await noteFallback(call, interaction, attempt))) return;
    call.announce({ type: 'INTERACTION_CREATE', request, interaction: { id: interaction.id, token } });
    if ((await taken.settled(ANSWER_WINDOW_MS)) !== null) return;
  } finally {
    taken.close();
  }
  const failure = attempt ? `${attempt.reason} ${NOBODY_TOOK_IT}` : NOBODY_TOOK_IT;
  const data = { state: 'FAILED', endsAt: null, failure } as const;
  const step: Step = { kind: 'FAILED', reason: NOBODY_TOOK_IT };
  await transitionWithStep(call, interaction, ['DELIVERING'], { data, step });
}

const NOBODY_TOOK_IT = 'No gateway session of the bot took the interaction within 3 seconds.';

/**
 * Takes an interaction for a gateway session, which it is dispatched to if the answer is true: it is dispatched once, however many
 * processes have sessions of the bot.
 * @param isConnected whether anybody is there; if not, they read it once they have resumed
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
