import { ChannelType, MessageFlags, MessageType } from 'discord-api-types/v10';
import { isMissingReference, isUniqueConflict } from '../../infra/database/faults.js';
import type { Attachment, Message, Prisma } from '../../infra/database/index.js';
import { snowflakeTime } from '../../infra/ids.js';
import { type CallContext, requireUser, type UserActor } from '../call.js';
import { DomainError, invalidInput } from '../errors.js';
import { CHANNEL_OPERATIONS, type ChannelOperation } from '../guild-operations.js';
import { accessChannel, type ChannelAccess } from '../guilds/access.js';
import { parseInput } from '../input.js';
import { allows } from '../permissions.js';
import { type EditBody, type SendBody, type SendBodyInput, SendBody as SendBodySchema } from './body.js';
import { checkNotes, discardAllFiles, keepFiles, type NewAttachment, type UploadedFile } from './files.js';
import { completeMessages, loadMessages } from './load.js';
import { type Mentions, resolveMentions } from './mentions.js';
import type { MessageRecord } from './record.js';

export interface SendMessageInput {
  channelId: bigint;
  /** The message in the reference platform's names; see {@link SendBodySchema}. */
  body: SendBodyInput;
  files?: UploadedFile[];
}

/** Channel types that hold messages. */
const TEXT_CHANNELS: readonly number[] = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildStageVoice,
];

/** Flags a sender may set. */
const SENDABLE_FLAGS =
  MessageFlags.SuppressEmbeds |
  MessageFlags.SuppressNotifications |
  MessageFlags.IsComponentsV2 |
  MessageFlags.IsVoiceMessage;

/** How long an enforced nonce keeps a second message away, in milliseconds. */
const NONCE_WINDOW_MS = 5 * 60_000;

/**
 * Sends a message into a guild channel. A message needs content, an embed, a component or a file.
 * @returns the new message, or the earlier one when an enforced nonce repeats
 * @throws UNKNOWN_CHANNEL, MISSING_ACCESS, MISSING_PERMISSIONS, WRONG_CHANNEL_TYPE, EMPTY_MESSAGE, INVALID_INPUT and
 *   what {@link keepFiles} throws
 */
export async function sendMessage(call: CallContext, input: SendMessageInput): Promise<MessageRecord> {
  const author = requireUser(call);
  const body = parseInput(SendBodySchema, input.body);
  const files = input.files ?? [];
  const channel = await accessChannel(call, input.channelId, ...operationsOf(body, files));
  checkTextChannel(channel);
  checkNotes(files, body.attachments ?? []);
  if (!body.content && !body.embeds?.length && !body.components?.length && files.length === 0) throw emptyMessage();

  const referenced = await findReferenced(call, channel, body.message_reference);
  const mentions = await resolveMentions(body.content ?? '', body.allowed_mentions, {
    read: call.read,
    guildId: channel.guildId,
    permissions: channel.permissions,
    repliedUser: referenced?.author ?? null,
    mentionedUsers: [],
  });
  const id = call.nextId();
  const place = { channelId: channel.channelId, messageId: id };
  const attachments = await keepFiles(call, place, files, body.attachments ?? []);
  let message: MessageRecord | undefined;
  try {
    message = await insertMessage(call, author, channel, { id, body, mentions, attachments, referenced });
    return message;
  } finally {
    if (attachments.length > 0 && message?.id !== id) await discardAllFiles(call, place);
  }
}

/**
 * Whether the caller may send into a channel, with files or without, to be asked before they are received.
 * @throws UNKNOWN_CHANNEL, MISSING_ACCESS, MISSING_PERMISSIONS, WRONG_CHANNEL_TYPE
 */
export async function requireSending(
  call: CallContext,
  { channelId, files }: { channelId: bigint; files: number },
): Promise<void> {
  const operations: ChannelOperation[] = files > 0 ? ['sendMessage', 'sendFiles'] : ['sendMessage'];
  checkTextChannel(await accessChannel(call, channelId, ...operations));
}

/** @throws WRONG_CHANNEL_TYPE for a channel that holds no messages */
export function checkTextChannel(channel: ChannelAccess): void {
  if (TEXT_CHANNELS.includes(channel.type)) return;
  throw new DomainError('WRONG_CHANNEL_TYPE', 'Cannot send messages in a non-text channel');
}

export function emptyMessage(): DomainError {
  return new DomainError('EMPTY_MESSAGE', 'Cannot send an empty message');
}

/** What it is to put embeds and files into a message. */
export function operationsForContent(
  body: Pick<SendBody | EditBody, 'embeds'>,
  files: UploadedFile[],
): ChannelOperation[] {
  return [
    ...(body.embeds?.length ? (['sendEmbeds'] as const) : []),
    ...(files.length > 0 ? (['sendFiles'] as const) : []),
  ];
}

function operationsOf(body: SendBody, files: UploadedFile[]): ChannelOperation[] {
  return [
    'sendMessage',
    ...operationsForContent(body, files),
    ...(body.tts ? (['sendReadAloud'] as const) : []),
    ...(body.message_reference ? (['sendReply'] as const) : []),
  ];
}

/** The message a reply answers: undefined for no reply, or for one whose target may be missing and is. */
async function findReferenced(
  call: CallContext,
  channel: ChannelAccess,
  reference: SendBody['message_reference'],
): Promise<MessageRecord | undefined> {
  if (!reference) return undefined;
  const [target] = await loadMessages(call, channel.guildId, {
    where: { id: reference.message_id, channelId: channel.channelId },
  });
  if (target) return target;
  if (reference.fail_if_not_exists === false) return undefined;
  throw invalidInput({ path: 'message_reference', code: 'REPLIES_UNKNOWN_MESSAGE', message: 'Unknown message' });
}

interface Draft {
  id: bigint;
  body: SendBody;
  mentions: Mentions;
  attachments: NewAttachment[];
  referenced: MessageRecord | undefined;
}

/** Stores the message, or finds the earlier one that holds its enforced nonce. */
async function insertMessage(
  call: CallContext,
  author: UserActor,
  channel: ChannelAccess,
  draft: Draft,
): Promise<MessageRecord> {
  const nonceKey = enforcedNonceKey(author, channel, draft.body);
  for (;;) {
    try {
      return await insertOnce(call, author, channel, draft, nonceKey);
    } catch (error) {
      if (isMissingReference(error)) throw new DomainError('UNKNOWN_CHANNEL', 'Unknown Channel');
      if (nonceKey === null || !isUniqueConflict(error)) throw error;
      const earlier = await earlierMessage(call, channel, nonceKey);
      if (earlier) return earlier;
    }
  }
}

function insertOnce(
  call: CallContext,
  author: UserActor,
  channel: ChannelAccess,
  draft: Draft,
  nonceKey: string | null,
): Promise<MessageRecord> {
  const { attachments, referenced } = draft;
  const data = messageRow(author, channel, draft, nonceKey);
  return call.writeOne(
    async (db): Promise<MessageRecord> => {
      const row = await db.message.create({
        data: attachments.length > 0 ? { ...data, attachments: { create: attachments } } : data,
      });
      return {
        ...row,
        author: author.user,
        guildId: channel.guildId,
        attachments: attachments.map((attachment): Attachment => ({ ...attachment, messageId: row.id })),
        mentionedUsers: draft.mentions.users,
        reactions: [],
        ...(referenced ? { referenced } : {}),
      };
    },
    (message) => ({ type: 'MESSAGE_CREATE', message, member: channel.member }),
  );
}

function messageRow(
  author: UserActor,
  channel: ChannelAccess,
  { id, body, mentions, referenced }: Draft,
  nonceKey: string | null,
): Prisma.MessageUncheckedCreateInput {
  return {
    id,
    channelId: channel.channelId,
    authorId: author.user.id,
    type: referenced ? MessageType.Reply : MessageType.Default,
    content: body.content ?? '',
    flags: (body.flags ?? 0) & SENDABLE_FLAGS,
    tts: body.tts ?? false,
    embeds: body.embeds ?? [],
    components: body.components ?? [],
    mentionUserIds: mentions.users.map((user) => String(user.id)),
    mentionRoleIds: mentions.roleIds.map(String),
    mentionEveryone: mentions.everyone,
    nonce: body.nonce,
    enforcedNonceKey: nonceKey,
    ...(referenced ? { referenceId: referenced.id, referenceChannelId: referenced.channelId } : {}),
  };
}

function enforcedNonceKey(author: UserActor, channel: ChannelAccess, body: SendBody): string | null {
  return body.enforce_nonce && body.nonce ? `${author.user.id}:${channel.channelId}:${body.nonce}` : null;
}

/** The message that holds an enforced nonce; null when its window is over, and then the nonce is free again. */
async function earlierMessage(call: CallContext, channel: ChannelAccess, key: string): Promise<MessageRecord | null> {
  const [row] = await call.read.message.findMany({
    where: { enforcedNonceKey: key },
    include: { author: true, attachments: true },
  });
  if (row && call.clock.now() - snowflakeTime(row.id) < NONCE_WINDOW_MS) {
    const [message] = await completeMessages(call, channel.guildId, [row]);
    return message ?? null;
  }
  if (row) await forgetNonce(call, row);
  return null;
}

async function forgetNonce(call: CallContext, { id }: Message): Promise<void> {
  await call.writeOne((db) => db.message.updateMany({ where: { id }, data: { enforcedNonceKey: null } }));
}

/** Whether the caller may do with others' messages what their authors may. */
export function managesMessages(channel: ChannelAccess): boolean {
  return allows(channel.permissions, CHANNEL_OPERATIONS.manageMessages);
}
