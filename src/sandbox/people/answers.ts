import type {
  APIApplicationCommandOptionChoice,
  APIMessage,
  APIModalInteractionResponseCallbackData,
} from 'discord-api-types/v10';
import type { CallContext } from '../../domain/call.js';
import { accessChannel } from '../../domain/guilds/index.js';
import { accessInteraction, failureAt, type InteractionRecord, stateAt } from '../../domain/interactions/index.js';
import { loadMessage, viewerOf } from '../../domain/messages/index.js';
import type { InteractionState } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { renderMessage } from '../../wire/messages.js';
import { SandboxError } from '../errors.js';
import type { AnswerDescription } from '../protocol.js';
import { until } from '../waiting.js';
import type { World } from '../worlds/world.js';

/** States in which the person still waits. */
const WAITING: readonly InteractionState[] = ['DELIVERING', 'DELIVERED_HTTP', 'DELIVERED_GATEWAY', 'DEFERRED'];

/**
 * Waits for the answer; for a deferred one, until the bot completed it.
 * @param withinMs in real time
 * @throws SandboxError INTERACTION_FAILED with the platform's reason, NO_ANSWER when the time is over
 */
export async function answerTo(
  world: World,
  call: CallContext,
  { id, applicationId }: Pick<InteractionRecord, 'id' | 'applicationId'>,
  withinMs: number,
): Promise<AnswerDescription> {
  const look = async () => {
    const interaction = await accessInteraction(call, id);
    if (WAITING.includes(stateAt(interaction, call.clock.now()))) return null;
    return interaction.callbackType === null || (await isCarriedOut(call, id)) ? interaction : null;
  };
  const ended = await until(world.app, [topics.application(applicationId)], withinMs, look);
  const interaction = ended ?? (await accessInteraction(call, id));
  const state = stateAt(interaction, call.clock.now());
  if (ended === null) {
    throw new SandboxError(
      504,
      'NO_ANSWER',
      `${describe(world, interaction)} had no answer within ${withinMs} ms. ${EXPLANATIONS[state]}`,
    );
  }
  if (state === 'FAILED' || state === 'EXPIRED') {
    const reason = failureAt(interaction, call.clock.now()) ?? EXPLANATIONS[state];
    throw new SandboxError(422, 'INTERACTION_FAILED', `${describe(world, interaction)} failed: ${reason}`);
  }
  return renderAnswer(world, call, interaction);
}

/** The state changes before a message is stored or edited, and the step is added afterwards. */
async function isCarriedOut({ read }: CallContext, interactionId: bigint): Promise<boolean> {
  const where = { interactionId, OR: [{ kind: 'CALLBACK' }, { kind: 'HTTP', response: { not: '' } }] };
  return (await read.interactionStep.count({ where })) > 0;
}

function describe(world: World, { name, applicationId }: InteractionRecord): string {
  const application = world.applications.find(({ id }) => id === applicationId)?.name ?? 'the application';
  return `The interaction "${name}" with ${application}`;
}

const EXPLANATIONS: Record<InteractionState, string> = {
  DELIVERING: 'No session of the bot has taken it. Is the bot connected?',
  DELIVERED_HTTP: 'The endpoint accepted it and has not answered.',
  DELIVERED_GATEWAY: 'The bot received it and has not answered.',
  DEFERRED: 'The bot deferred its answer and has not sent it.',
  ANSWERED: 'The bot answered.',
  FAILED: 'The bot did not answer in time.',
  EXPIRED: 'The bot deferred its answer and did not send it within 15 minutes.',
};

export async function renderAnswer(
  world: World,
  call: CallContext,
  interaction: InteractionRecord,
): Promise<AnswerDescription> {
  const { id, type, name, channelId, modal, choices } = interaction;
  return {
    interaction: { id: String(id), type, name, channel: String(channelId) },
    message: await answeredMessage(world, call, interaction),
    // The domain validated these columns when it stored them.
    modal: modal as APIModalInteractionResponseCallbackData | null,
    choices: choices as unknown as APIApplicationCommandOptionChoice[] | null,
  };
}

async function answeredMessage(
  { app }: World,
  call: CallContext,
  { originalMessageId, channelId }: InteractionRecord,
): Promise<APIMessage | null> {
  if (originalMessageId === null) return null;
  const place = await accessChannel(call, channelId, 'viewChannel');
  const message = await loadMessage(call, place, originalMessageId, viewerOf(call)).catch(() => null);
  return message && renderMessage(message, app.addresses);
}
