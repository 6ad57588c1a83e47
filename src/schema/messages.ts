import { queryFromInfo } from '@pothos/plugin-prisma';
import type { CallContext } from '../domain/call.js';
import { DomainError, renameFaults } from '../domain/errors.js';
import {
  BULK_DELETIONS_PER_CHANNEL,
  DELETIONS_PER_CHANNEL,
  EDITS_PER_CHANNEL,
  limits,
  SENDS_PER_CHANNEL,
} from '../domain/limits.js';
import {
  countReactions,
  deleteMessage,
  deleteMessages,
  EVERYONE,
  editMessage,
  type MessageContent,
  type MessageKey,
  messageContent,
  type NewMessage,
  requireSending,
  sendMessage,
  viewerOf,
  visibleTo,
} from '../domain/messages/index.js';
import { parseInput } from '../domain/parse-input.js';
import { takeInChannel } from '../domain/rate-limits.js';
import type { Message as MessageRow } from '../infra/database/index.js';
import { snowflakeTime } from '../infra/ids/ids.js';
import type { Limit } from '../infra/rate-limits.js';
import { renderComponents } from '../wire/components.js';
import { renderAttachment, renderEmbeds, renderReaction, shownFiles } from '../wire/messages.js';
import { builder, inputOf, NEEDS_SESSION } from './builder.js';
import type { GraphqlContext } from './context.js';
import { DeletedPayload } from './deleted.js';
import { idOf, parseId, parseOptionalId, snowflakeId } from './ids.js';
import { referredRows } from './lists.js';
import { createLoader } from './loaders.js';
import { receiveFiles, requireDistinct } from './uploads.js';

export const Message = builder.prismaObject('Message', {
  description: 'A message in a channel.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    channel: t.relation('channel', {
      description: 'Channel of the message.',
      resolve: (query, { channelId }, _args, { call }) =>
        call.read.channel.findUniqueOrThrow({ ...query, where: { id: channelId } }),
    }),
    author: t.relation('author', {
      description: 'Person or bot who sent the message.',
      resolve: (query, { authorId }, _args, { call }) =>
        call.read.user.findUniqueOrThrow({ ...query, where: { id: authorId } }),
    }),
    content: t.exposeString('content', { description: 'Text, at most 4,000 characters. May be empty.' }),
    embeds: t.field({
      type: 'JSON',
      description: "List of embeds, in the format of Discord's API.",
      select: { attachments: true },
      resolve: (message, _args, { app }) => renderEmbeds(message.embeds, shownFiles(message, app.addresses)),
    }),
    attachments: t.field({
      type: 'JSON',
      description: "List of files, in the format of Discord's API.",
      select: { attachments: { orderBy: { id: 'asc' } } },
      resolve: ({ attachments, channelId }, _args, { app }) =>
        attachments.map((attachment) => renderAttachment(attachment, channelId, app.addresses)),
    }),
    components: t.field({
      type: 'JSON',
      description: "List of components, in the format of Discord's API.",
      select: { attachments: true },
      resolve: (message, _args, { app }) => renderComponents(message.components, shownFiles(message, app.addresses)),
    }),
    reactions: t.field({
      type: 'JSON',
      description: "List of emojis with the number of reactions, in the format of Discord's API.",
      resolve: async ({ id }, _args, context) => (await reactionLoader(context).load(id)).map(renderReaction),
    }),
    type: t.exposeInt('type', { description: "Discord's message type." }),
    flags: t.exposeInt('flags', { description: "Discord's message flags, as bits." }),
    ephemeral: t.field({
      type: 'Boolean',
      description: 'Whether only the caller and the sending application can see the message.',
      resolve: ({ visibleToId }) => visibleToId !== null,
    }),
    pinned: t.exposeBoolean('pinned', { description: 'Whether the message is pinned in its channel.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time when the message was sent.',
      resolve: ({ id }) => new Date(snowflakeTime(id)),
    }),
    editedAt: t.expose('editedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last edit. Null if it was never edited.',
    }),
  }),
});

builder.prismaObjectFields(Message, (t) => ({
  referencedMessage: t.field({
    ...NEEDS_SESSION,
    type: Message,
    nullable: true,
    description: 'Message that this one replies or refers to. Null if there is none, or it was deleted.',
    resolve: ({ referenceId }, _args, context, info) => {
      if (referenceId === null) return null;
      const query = queryFromInfo({ context, info });
      return referredRows(context, info, (ids) =>
        context.call.read.message.findMany({
          ...query,
          where: { id: { in: ids }, ...visibleTo(viewerOf(context.call)) },
        }),
      ).load(referenceId);
    },
  }),
}));

function reactionLoader({ loaders, call }: GraphqlContext) {
  return loaders.get('reactions', () => createLoader((ids: bigint[]) => countReactions(call, ids), []));
}

export const MessageConnection = builder.connectionObject(
  { type: Message, name: 'MessageConnection' },
  { name: 'MessageEdge' },
);

const SendMessageInput = builder.inputType('SendMessageInput', {
  description: 'A new message.',
  fields: (t) => ({
    channelId: t.id(idOf.channel),
    content: t.string({
      required: true,
      description: 'Text, at most 4,000 characters. May be empty if there are files.',
    }),
    replyTo: t.id({ description: 'ID of the message to reply to, in the same channel.' }),
    files: t.field({
      type: ['File'],
      description: `At most ${limits.attachmentsPerMessage} files of up to 10 MiB each. Needs Attach Files.`,
    }),
  }),
});
const { min, max } = limits.messagesPerBulkDelete;

const EditMessageInput = builder.inputType('EditMessageInput', {
  description: 'New text of a message.',
  fields: (t) => ({
    channelId: t.id(idOf.channel),
    messageId: t.id(idOf.message),
    content: t.string({ required: true, description: 'Text, at most 4,000 characters.' }),
  }),
});
export const MessageIdInput = builder.inputType('MessageIdInput', {
  description: 'Identifies a message.',
  fields: (t) => ({ channelId: t.id(idOf.channel), messageId: t.id(idOf.message) }),
});
const DeleteMessagesInput = builder.inputType('DeleteMessagesInput', {
  description: 'Identifies messages of a channel.',
  fields: (t) => ({
    channelId: t.id(idOf.channel),
    messageIds: t.idList({
      required: true,
      description: `${min}–${max} different IDs of messages from the last two weeks.`,
    }),
  }),
});

const DeletedMessagesPayload = builder.objectRef<{ ids: bigint[] }>('DeletedMessagesPayload').implement({
  description: 'Result of `deleteMessages`.',
  fields: (t) => ({
    ids: t.idList({
      description: 'The given message IDs, including those that did not exist.',
      resolve: ({ ids }) => ids.map(String),
    }),
  }),
});

export const MessagePayload = builder.objectRef<{ message: MessageRow }>('MessagePayload').implement({
  description: 'The affected message.',
  fields: (t) => ({
    message: t.field({
      type: Message,
      description: 'The message after the change.',
      resolve: ({ message }) => message,
    }),
  }),
});

builder.mutationFields((t) => ({
  sendMessage: t.field({
    type: MessagePayload,
    description: 'Sends a message. Needs Send Messages, and Read Message History for a reply.',
    args: { input: t.arg(inputOf(SendMessageInput)) },
    resolve: async (_root, { input }, { call }) => {
      const channelId = parseId(input.channelId, 'channelId');
      const replyTo = parseOptionalId(input.replyTo, 'replyTo');
      await takeInChannel(call, SENDS_PER_CHANNEL, channelId);
      const files = input.files ?? [];
      requireDistinct(files);
      await requireSending(call, { channelId, files: files.length });
      const body = bodyOf(input.content, replyTo);
      const received = await receiveFiles(files);
      const send = () => sendMessage(call, { channelId, body, files: received });
      return { message: await renameFaults({ reference: 'replyTo' }, send) };
    },
  }),
  editMessage: t.field({
    type: MessagePayload,
    description: "Replaces the text of the caller's own message.",
    args: { input: t.arg(inputOf(EditMessageInput)) },
    resolve: async (_root, { input }, { call }) => {
      const key = messageKeyOf(input);
      await takeInChannel(call, EDITS_PER_CHANNEL, key.channelId);
      return { message: await editMessage(call, { ...key, body: { content: contentOf(input.content) } }) };
    },
  }),
  deleteMessage: t.field({
    type: DeletedPayload,
    description: "Deletes a message. Another user's message needs Manage Messages.",
    args: { input: t.arg(inputOf(MessageIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const key = messageKeyOf(input);
      await takeInChannel(call, DELETIONS_PER_CHANNEL, key.channelId);
      await deleteMessage(call, key);
      return { id: key.messageId };
    },
  }),
  deleteMessages: t.field({
    type: DeletedMessagesPayload,
    description:
      'Deletes messages of a server channel in one step. Ignores those that do not exist. Needs Manage Messages.',
    args: { input: t.arg(inputOf(DeleteMessagesInput)) },
    resolve: async (_root, { input }, { call }) => {
      const channelId = parseId(input.channelId, 'channelId');
      const messageIds = input.messageIds.map((id, index) => parseId(id, `messageIds.${index}`));
      await takeInChannel(call, BULK_DELETIONS_PER_CHANNEL, channelId);
      await deleteMessages(call, { channelId, messageIds });
      return { ids: messageIds };
    },
  }),
}));

export function messageKeyOf(input: { channelId: string; messageId: string }): MessageKey {
  return { channelId: parseId(input.channelId, 'channelId'), messageId: parseId(input.messageId, 'messageId') };
}

/** @throws INVALID_INPUT at `content` */
function bodyOf(content: string, replyTo: bigint | undefined): NewMessage {
  return { content: contentOf(content), ...(replyTo === undefined ? {} : { reference: { messageId: replyTo } }) };
}

/** @throws INVALID_INPUT at `content` */
function contentOf(content: string): MessageContent {
  return parseInput(messageContent, content, 'content');
}

/** @returns the updated message */
export async function changeAtMessage(
  call: CallContext,
  key: MessageKey,
  limit: Limit,
  change: () => Promise<unknown>,
): Promise<{ message: MessageRow }> {
  await takeInChannel(call, limit, key.channelId);
  await change();
  return { message: await readMessage(call, key) };
}

/** Reads a message that is not ephemeral. @throws UNKNOWN_MESSAGE */
async function readMessage(call: CallContext, { channelId, messageId }: MessageKey): Promise<MessageRow> {
  const message = await call.read.message.findFirst({ where: { id: messageId, channelId, ...visibleTo(EVERYONE) } });
  if (!message) throw new DomainError('UNKNOWN_MESSAGE');
  return message;
}
