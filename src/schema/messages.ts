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
  EVERYBODY,
  editMessage,
  type MessageContent,
  type MessageKey,
  messageContent,
  type NewMessage,
  onlookerOf,
  requireSending,
  seenBy,
  sendMessage,
} from '../domain/messages/index.js';
import { parseInput } from '../domain/parse-input.js';
import { takeInChannel } from '../domain/rate-limits.js';
import type { Message as MessageRow } from '../infra/database/index.js';
import { snowflakeTime } from '../infra/ids.js';
import type { Limit } from '../infra/rate-limits.js';
import { renderComponents } from '../wire/components.js';
import { renderAttachment, renderEmbeds, renderReaction, shownFiles } from '../wire/messages.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { DeletedPayload } from './deleted.js';
import { parseId, parseOptionalId, snowflakeId } from './ids.js';
import { referredRows } from './lists.js';
import { createLoader } from './loaders.js';
import { receiveFiles, requireDistinct } from './uploads.js';

export const Message = builder.prismaObject('Message', {
  fields: (t) => ({
    id: t.field(snowflakeId),
    channel: t.relation('channel', {
      resolve: (query, { channelId }, _args, { call }) =>
        call.read.channel.findUniqueOrThrow({ ...query, where: { id: channelId } }),
    }),
    author: t.relation('author', {
      resolve: (query, { authorId }, _args, { call }) =>
        call.read.user.findUniqueOrThrow({ ...query, where: { id: authorId } }),
    }),
    content: t.exposeString('content'),
    embeds: t.field({
      type: 'JSON',
      select: { attachments: true },
      resolve: (message, _args, { app }) => renderEmbeds(message.embeds, shownFiles(message, app.addresses)),
    }),
    attachments: t.field({
      type: 'JSON',
      select: { attachments: { orderBy: { id: 'asc' } } },
      resolve: ({ attachments, channelId }, _args, { app }) =>
        attachments.map((attachment) => renderAttachment(attachment, channelId, app.addresses)),
    }),
    components: t.field({
      type: 'JSON',
      select: { attachments: true },
      resolve: (message, _args, { app }) => renderComponents(message.components, shownFiles(message, app.addresses)),
    }),
    reactions: t.field({
      type: 'JSON',
      resolve: async ({ id }, _args, context) => (await reactionLoader(context).load(id)).map(renderReaction),
    }),
    type: t.exposeInt('type', { description: "The reference platform's message type." }),
    flags: t.exposeInt('flags', { description: "The reference platform's message flags." }),
    ephemeral: t.field({
      type: 'Boolean',
      description: 'Whether the caller alone sees it, beside the application that sent it.',
      resolve: ({ visibleToId }) => visibleToId !== null,
    }),
    pinned: t.exposeBoolean('pinned'),
    createdAt: t.field({ type: 'DateTime', resolve: ({ id }) => new Date(snowflakeTime(id)) }),
    editedAt: t.expose('editedAt', { type: 'DateTime', nullable: true }),
  }),
});

builder.prismaObjectFields(Message, (t) => ({
  referencedMessage: t.field({
    type: Message,
    nullable: true,
    description: 'What this one answers; null also when that is gone.',
    resolve: ({ referenceId }, _args, context, info) => {
      if (referenceId === null) return null;
      const query = queryFromInfo({ context, info });
      return referredRows(context, info, (ids) =>
        context.call.read.message.findMany({
          ...query,
          where: { id: { in: ids }, ...seenBy(onlookerOf(context.call)) },
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
  fields: (t) => ({
    channelId: t.id({ required: true }),
    content: t.string({ required: true, description: 'May be empty beside files.' }),
    replyTo: t.id({ description: 'A message of the same channel.' }),
    files: t.field({ type: ['File'] }),
  }),
});
const { min, max } = limits.messagesPerBulkDelete;

const EditMessageInput = builder.inputType('EditMessageInput', {
  fields: (t) => ({
    channelId: t.id({ required: true }),
    messageId: t.id({ required: true }),
    content: t.string({ required: true }),
  }),
});
export const MessageIdInput = builder.inputType('MessageIdInput', {
  fields: (t) => ({ channelId: t.id({ required: true }), messageId: t.id({ required: true }) }),
});
const DeleteMessagesInput = builder.inputType('DeleteMessagesInput', {
  fields: (t) => ({
    channelId: t.id({ required: true }),
    messageIds: t.idList({ required: true, description: `${min} to ${max}.` }),
  }),
});

const DeletedMessagesPayload = builder.objectRef<{ ids: bigint[] }>('DeletedMessagesPayload').implement({
  fields: (t) => ({ ids: t.idList({ resolve: ({ ids }) => ids.map(String) }) }),
});

export const MessagePayload = builder.objectRef<{ message: MessageRow }>('MessagePayload').implement({
  fields: (t) => ({ message: t.field({ type: Message, resolve: ({ message }) => message }) }),
});

builder.mutationFields((t) => ({
  sendMessage: t.field({
    type: MessagePayload,
    args: { input: t.arg({ type: SendMessageInput, required: true }) },
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
    args: { input: t.arg({ type: EditMessageInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const key = messageKeyOf(input);
      await takeInChannel(call, EDITS_PER_CHANNEL, key.channelId);
      return { message: await editMessage(call, { ...key, body: { content: contentOf(input.content) } }) };
    },
  }),
  deleteMessage: t.field({
    type: DeletedPayload,
    args: { input: t.arg({ type: MessageIdInput, required: true }) },
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
      'Deletes several messages of a channel of a server at once, of the last two weeks, for who manages messages. Those that are not there count and are left out.',
    args: { input: t.arg({ type: DeleteMessagesInput, required: true }) },
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
  const message = await call.read.message.findFirst({ where: { id: messageId, channelId, ...seenBy(EVERYBODY) } });
  if (!message) throw new DomainError('UNKNOWN_MESSAGE');
  return message;
}
