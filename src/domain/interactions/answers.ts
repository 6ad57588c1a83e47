import {
  ApplicationCommandType,
  InteractionType,
  MessageFlags,
  MessageType,
  InteractionResponseType as Type,
} from 'discord-api-types/v10';
import { type Application, type Interaction, Prisma, type User } from '../../infra/database/index.js';
import { storedObject } from '../../infra/database/stored.js';
import { type CallContext, requireInteraction } from '../call.js';
import { DomainError, faultsWithin, invalidInput } from '../errors.js';
import { applyEdit, checkEdit } from '../messages/apply-edit.js';
import type { NewMessage } from '../messages/body.js';
import type { UploadedFile } from '../messages/files.js';
import { loadMessage } from '../messages/load.js';
import { checkPost, postMessage } from '../messages/post.js';
import type { MessageRecord } from '../messages/record.js';
import { checkChoices } from './choices.js';
import { messageInteraction } from './metadata.js';
import { placeOfApplication } from './place.js';
import type { Callback } from './record.js';
import { tokenEnd } from './states.js';
import { addStep } from './steps.js';
import { transition, transitionFromOpen } from './transitions.js';

/** An application with its bot, as which it answers. */
export type Answerer = Application & { bot: User };

export interface AnswerInput {
  interaction: Interaction;
  application: Answerer;
  callback: Callback;
  files: readonly UploadedFile[];
  /** How long the endpoint took that answered by itself, in milliseconds. */
  httpMs?: number;
}

/** What an answer made of an interaction. */
export interface Answer {
  interaction: Interaction;
  callback: Callback;
  /** The message that came to be, or was changed. */
  message: MessageRecord | null;
}

/** The answers each kind of interaction takes (Discord's documentation, Receiving and Responding). */
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

/** Those that concern the message whose component was used. */
const ON_MESSAGE: readonly Callback['type'][] = [Type.DeferredMessageUpdate, Type.UpdateMessage];

/**
 * The first answer to an interaction, as its application. Of several at once, one counts. An answer that is refused leaves the
 * interaction as it was, so that a better one may come; what is wrong with an answer by itself is told before that it comes second.
 * @throws UNKNOWN_INTERACTION when its time is over, ALREADY_ACKNOWLEDGED, INVALID_INPUT (at `type`) for an answer that does not go with
 *   it, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, and what `postMessage` and `applyEdit` throw, with the faults of input below `data`
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
    return { interaction: { ...interaction, ...stored(columns) }, callback, message };
  } catch (error) {
    await takeBack(call, interaction, columns);
    throw error;
  }
}

/** The first answer through the token of an interaction. @throws UNAUTHENTICATED and what {@link answerInteraction} throws */
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
    message: `An interaction of type ${type} does not take an answer of type ${answer}.`,
  });
}

/** What an answer makes of the row. */
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

/** The columns as a row has them. */
function stored({ modal, choices, ...columns }: AnswerColumns): Partial<Interaction> {
  return {
    ...columns,
    ...(modal === undefined ? {} : { modal: modal as Prisma.JsonValue }),
    ...(choices === undefined ? {} : { choices: choices as Prisma.JsonValue }),
  };
}

/**
 * Refuses an answer that cannot be carried out, before it keeps a better one away.
 * @returns what does as it says, once it is known to be the first
 * @throws UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, and what `checkPost`, `checkEdit` and `checkChoices` throw
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
      const place = await placeOfApplication(call, interaction);
      const onlooker = { kind: 'application', applicationId: application.id } as const;
      const message = await loadMessage(call, place, interaction.messageId ?? 0n, onlooker);
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

/** A message in answer to an interaction. */
export interface AnswerPost {
  interaction: Interaction;
  application: Answerer;
  message: NewMessage;
  files: readonly UploadedFile[];
  /** Made in advance, for the first answer; null for a further one. */
  id: bigint | null;
  /** Whether it says nothing yet: what it says follows. */
  isPromise?: boolean;
}

/** Flags that an application may give an answer. */
const ANSWER_FLAGS =
  MessageFlags.SuppressEmbeds |
  MessageFlags.Ephemeral |
  MessageFlags.SuppressNotifications |
  MessageFlags.IsComponentsV2 |
  MessageFlags.IsVoiceMessage;

/** Posts a message in answer to an interaction: for its person alone where it is ephemeral. */
export async function postAnswer(call: CallContext, post: AnswerPost): Promise<MessageRecord> {
  const { interaction, application, files, id } = post;
  const body = bodyOf(post);
  const isEphemeral = (body.flags & MessageFlags.Ephemeral) !== 0;
  return postMessage(call, {
    author: application.bot,
    place: await placeOfApplication(call, interaction),
    body,
    files,
    kind: kindOf(interaction, id),
    applicationId: application.id,
    interaction: await messageInteraction(call, interaction, id === null),
    ...(id === null ? {} : { id }),
    ...(isEphemeral ? { visibleToId: interaction.userId } : {}),
  });
}

function bodyOf(post: AnswerPost) {
  return { ...post.message, flags: flagsOf(post), reference: referenceOf(post.interaction, post.id) };
}

/** Where an application may speak to the person alone, it does. */
function flagsOf({ interaction, message: { flags = 0 }, isPromise = false }: AnswerPost): number {
  const forced = interaction.ephemeralOnly ? MessageFlags.Ephemeral : 0;
  return (flags & ANSWER_FLAGS) | forced | (isPromise ? MessageFlags.Loading : 0);
}

/** The message that an answer shows as its origin: that of the component, or the first answer. */
function referenceOf({ messageId, originalMessageId }: Interaction, id: bigint | null) {
  const origin = id === null ? originalMessageId : messageId;
  return origin === null ? undefined : { messageId: origin, failIfNotExists: false };
}

/** What the message is: the first answer to a command shows the command. */
function kindOf({ type, commandId, data, messageId }: Interaction, id: bigint | null): MessageType {
  if (id === null || messageId !== null) return MessageType.Default;
  const isSlash =
    type !== InteractionType.ApplicationCommand ||
    commandId === null ||
    storedObject(data).type === ApplicationCommandType.ChatInput;
  return isSlash ? MessageType.ChatInputCommand : MessageType.ContextMenuCommand;
}

/** Gives an interaction back whose answer could not be carried out. */
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

/** Why an interaction takes no first answer. */
async function refusalOf(call: CallContext, { id }: Interaction): Promise<DomainError> {
  const now = await call.read.interaction.findUnique({ where: { id } });
  if (now && now.callbackType !== null) return new DomainError('ALREADY_ACKNOWLEDGED');
  return new DomainError('UNKNOWN_INTERACTION');
}
