import {
  ApplicationCommandType,
  InteractionType,
  MessageFlags,
  MessageType,
  InteractionResponseType as Type,
} from 'discord-api-types/v10';
import {
  type Application,
  type Interaction,
  Prisma,
  type Transaction,
  type User,
} from '../../../infra/database/index.js';
import { storedObject } from '../../../infra/database/stored.js';
import { type CallContext, requireInteraction } from '../../call.js';
import { DomainError, faultsWithin, invalidInput } from '../../errors.js';
import { applyEdit, checkEdit } from '../../messages/apply-edit.js';
import type { NewMessage } from '../../messages/content/body.js';
import type { UploadedFile } from '../../messages/files/files.js';
import { loadMessage } from '../../messages/load.js';
import { checkPost, postMessage } from '../../messages/post.js';
import type { MessageRecord } from '../../messages/record.js';
import type { Callback } from '../record.js';
import { tokenEnd } from '../states.js';
import { addStep } from '../steps.js';
import { transition, transitionFromOpen } from '../transitions.js';
import { channelAccessOfApplication } from './channel-access.js';
import { checkChoices } from './choices.js';
import { messageInteraction } from './metadata.js';

export type Answerer = Application & { bot: User };

export interface AnswerInput {
  interaction: Interaction;
  application: Answerer;
  callback: Callback;
  files: readonly UploadedFile[];
  /** Response time, if the answer is the endpoint's HTTP response. */
  httpMs?: number;
}

export interface Answer {
  interaction: Interaction;
  callback: Callback;
  /** The created or updated message, if any. */
  message: MessageRecord | null;
}

/** Allowed answers by interaction type (Discord's documentation, Receiving and Responding). */
const ANSWERS: Record<InteractionType, readonly Callback['type'][]> = {
  [InteractionType.Ping]: [],
  [InteractionType.ApplicationCommand]: [
    Type.ChannelMessageWithSource,
    Type.DeferredChannelMessageWithSource,
    Type.Modal,
  ],
  [InteractionType.MessageComponent]: [
    Type.ChannelMessageWithSource,
    Type.DeferredChannelMessageWithSource,
    Type.DeferredMessageUpdate,
    Type.UpdateMessage,
    Type.Modal,
  ],
  [InteractionType.ApplicationCommandAutocomplete]: [Type.ApplicationCommandAutocompleteResult],
  [InteractionType.ModalSubmit]: [
    Type.ChannelMessageWithSource,
    Type.DeferredChannelMessageWithSource,
    Type.DeferredMessageUpdate,
    Type.UpdateMessage,
  ],
};

/** Answers that need the message of a component. */
const ON_MESSAGE: readonly Callback['type'][] = [Type.DeferredMessageUpdate, Type.UpdateMessage];

/**
 * Carries out the first answer. Of concurrent answers, only one counts. A rejected answer leaves the interaction open.
 * Validation errors take precedence over ALREADY_ACKNOWLEDGED.
 * @throws UNKNOWN_INTERACTION if the time to answer is over, ALREADY_ACKNOWLEDGED, INVALID_INPUT at `type`,
 * UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, and the errors of `postMessage` and `applyEdit`, with input errors below `data`
 */
export async function answerInteraction(call: CallContext, input: AnswerInput): Promise<Answer> {
  const { interaction, callback } = input;
  requireFitting(interaction, callback);
  const columns = columnsOf(call, input);
  const carryOut = await faultsWithin('data', () => prepare(call, input, columns.originalMessageId ?? null));
  if (!(await transitionFromOpen(call, interaction, columns))) throw await refusalOf(call, interaction);
  lookWhenOver(call, columns);
  try {
    const message = await faultsWithin('data', carryOut);
    const answered = { ...interaction, ...stored(columns) };
    const isNew = message !== null && message.id !== interaction.messageId;
    return { interaction: isNew ? { ...answered, originalMessageId: message.id } : answered, callback, message };
  } catch (error) {
    await takeBack(call, interaction, columns);
    throw error;
  }
}

/** @throws UNAUTHENTICATED, and the errors of {@link answerInteraction} */
export async function answerByToken(
  call: CallContext,
  { callback, files }: Pick<AnswerInput, 'callback' | 'files'>,
): Promise<Answer> {
  const { interaction, application } = requireInteraction(call);
  const answer = await answerInteraction(call, { interaction, application, callback, files });
  await addStep(call, interaction, { kind: 'CALLBACK', response: `type ${callback.type}` });
  return answer;
}

/** @throws INVALID_INPUT */
function requireFitting({ type, messageId }: Interaction, { type: answer }: Callback): void {
  const isFitting = ANSWERS[type as InteractionType].includes(answer);
  if (isFitting && (messageId !== null || !ON_MESSAGE.includes(answer))) return;
  throw invalidInput({
    path: 'type',
    code: 'INTERACTION_CALLBACK_TYPE_INVALID',
    message: `An interaction of type ${type} cannot be answered with a callback of type ${answer}.`,
  });
}

interface AnswerColumns {
  state: 'ANSWERED' | 'DEFERRED';
  endsAt: Date | null;
  callbackType: Callback['type'];
  originalMessageId?: bigint | null;
  modal?: Prisma.InputJsonValue;
  choices?: Prisma.InputJsonValue;
  httpMs?: number;
}

function columnsOf(call: CallContext, { interaction, callback, httpMs }: AnswerInput): AnswerColumns {
  const answered: AnswerColumns = {
    state: 'ANSWERED',
    endsAt: null,
    callbackType: callback.type,
    ...(httpMs === undefined ? {} : { httpMs }),
  };
  switch (callback.type) {
    case Type.ChannelMessageWithSource:
      return { ...answered, originalMessageId: call.nextId() };
    case Type.DeferredChannelMessageWithSource: {
      const endsAt = new Date(tokenEnd(interaction.id));
      return { ...answered, state: 'DEFERRED', endsAt, originalMessageId: call.nextId() };
    }
    case Type.DeferredMessageUpdate:
    case Type.UpdateMessage:
      return { ...answered, originalMessageId: interaction.messageId };
    case Type.ApplicationCommandAutocompleteResult:
      return { ...answered, choices: callback.choices as unknown as Prisma.InputJsonArray };
    case Type.Modal:
      return { ...answered, modal: callback.modal as unknown as Prisma.InputJsonObject };
  }
}

function stored({ modal, choices, ...columns }: AnswerColumns): Partial<Interaction> {
  return {
    ...columns,
    ...(modal === undefined ? {} : { modal: modal as Prisma.JsonValue }),
    ...(choices === undefined ? {} : { choices: choices as Prisma.JsonValue }),
  };
}

/**
 * Validates an answer before it can displace a valid one.
 * @returns a function that carries it out
 * @throws UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, and the errors of `checkPost`, `checkEdit` and `checkChoices`
 */
async function prepare(
  call: CallContext,
  { interaction, application, callback, files }: AnswerInput,
  id: bigint | null,
): Promise<() => Promise<MessageRecord | null>> {
  switch (callback.type) {
    case Type.ChannelMessageWithSource: {
      const post = { interaction, application, message: callback.message, files, id };
      checkPost({ body: bodyOf(post), files, kind: kindOf(interaction, id) });
      return () => postAnswer(call, post);
    }
    case Type.DeferredChannelMessageWithSource: {
      const message = { flags: callback.flags & MessageFlags.Ephemeral };
      return () => postAnswer(call, { interaction, application, message, files, id, isPromise: true });
    }
    case Type.UpdateMessage: {
      const place = await channelAccessOfApplication(call, interaction);
      const viewer = { kind: 'application', applicationId: application.id } as const;
      const message = await loadMessage(call, place, interaction.messageId ?? 0n, viewer);
      const edit = { place, body: callback.edit, files, asAuthor: true };
      checkEdit(message, edit);
      return () => applyEdit(call, message, edit);
    }
    case Type.ApplicationCommandAutocompleteResult:
      checkChoices(interaction, callback.choices);
      return async () => null;
    case Type.DeferredMessageUpdate:
    case Type.Modal:
      return async () => null;
  }
}

export interface AnswerPost {
  interaction: Interaction;
  application: Answerer;
  message: NewMessage;
  files: readonly UploadedFile[];
  /** Null for a follow-up. */
  id: bigint | null;
  /** Whether the answer is deferred, so that its content follows. */
  isPromise?: boolean;
}

const ANSWER_FLAGS =
  MessageFlags.SuppressEmbeds |
  MessageFlags.Ephemeral |
  MessageFlags.SuppressNotifications |
  MessageFlags.IsComponentsV2 |
  MessageFlags.IsVoiceMessage;

export async function postAnswer(call: CallContext, post: AnswerPost): Promise<MessageRecord> {
  const { interaction, application, files, id } = post;
  const body = bodyOf(post);
  const isEphemeral = (body.flags & MessageFlags.Ephemeral) !== 0;
  return postMessage(call, {
    author: application.bot,
    place: await channelAccessOfApplication(call, interaction),
    body,
    files,
    kind: kindOf(interaction, id),
    applicationId: application.id,
    interaction: await messageInteraction(call, interaction, id === null),
    ...(id === null ? {} : { wantedId: id, onOtherId: (db, other) => moveOriginal(db, interaction, other) }),
    ...(isEphemeral ? { visibleToId: interaction.userId } : {}),
  });
}

async function moveOriginal(db: Transaction, { id }: Interaction, originalMessageId: bigint): Promise<void> {
  await db.interaction.updateMany({ where: { id }, data: { originalMessageId } });
}

function bodyOf(post: AnswerPost) {
  return { ...post.message, flags: flagsOf(post), reference: referenceOf(post.interaction, post.id) };
}

function flagsOf({ interaction, message: { flags = 0 }, isPromise = false }: AnswerPost): number {
  const forced = interaction.ephemeralOnly ? MessageFlags.Ephemeral : 0;
  return (flags & ANSWER_FLAGS) | forced | (isPromise ? MessageFlags.Loading : 0);
}

/** A first answer refers to the component's message, a follow-up to the first answer. */
function referenceOf({ messageId, originalMessageId }: Interaction, id: bigint | null) {
  const origin = id === null ? originalMessageId : messageId;
  return origin === null ? undefined : { messageId: origin, failIfNotExists: false };
}

/** Only the first answer to a command shows the command. */
function kindOf({ type, commandId, data, messageId }: Interaction, id: bigint | null): MessageType {
  if (id === null || messageId !== null) return MessageType.Default;
  const isSlash =
    type !== InteractionType.ApplicationCommand ||
    commandId === null ||
    storedObject(data).type === ApplicationCommandType.ChatInput;
  return isSlash ? MessageType.ChatInputCommand : MessageType.ContextMenuCommand;
}

/** Reopens the interaction after its answer failed. */
async function takeBack(call: CallContext, { state, endsAt, ...interaction }: Interaction, taken: AnswerColumns) {
  await transition(call, interaction, [taken.state], {
    state,
    endsAt,
    callbackType: null,
    originalMessageId: null,
    modal: Prisma.DbNull,
    choices: Prisma.DbNull,
  });
  lookWhenOver(call, { endsAt });
}

function lookWhenOver(call: CallContext, { endsAt }: Pick<Interaction, 'endsAt'>): void {
  if (endsAt) call.overdue.lookAt(endsAt.getTime());
}

async function refusalOf(call: CallContext, { id }: Interaction): Promise<DomainError> {
  const now = await call.read.interaction.findUnique({ where: { id } });
  if (now && now.callbackType !== null) return new DomainError('ALREADY_ACKNOWLEDGED');
  return new DomainError('UNKNOWN_INTERACTION');
}
