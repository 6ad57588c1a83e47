import { MessageFlags } from 'discord-api-types/v10';
import type { Attachment, Message, Transaction } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import type { DomainEvent } from '../events.js';
import { CHANNEL_OPERATIONS, neededInChannel } from '../guild-operations.js';
import { accessChannel, type ChannelAccess, requirePermissions } from '../guilds/access.js';
import { parseInput } from '../input.js';
import { limits } from '../limits.js';
import { type EditBody, type EditBodyInput, EditBody as EditBodySchema } from './body.js';
import {
  checkNotes,
  discardFiles,
  keepFiles,
  type NewAttachment,
  tooManyAttachments,
  type UploadedFile,
} from './files.js';
import { findMessage, loadMessage } from './load.js';
import { type Mentions, resolveMentions } from './mentions.js';
import type { MessageRecord } from './record.js';
import { emptyMessage, managesMessages, operationsForContent } from './send.js';

export interface EditMessageInput {
  channelId: bigint;
  messageId: bigint;
  /** What to change, in the reference platform's names: what is not given stays, null clears. */
  body: EditBodyInput;
  files?: UploadedFile[];
}

/**
 * Edits a message. Its author may change all of it; somebody who manages messages may only switch its embeds off and on.
 * `attachments` lists every file to keep, old and new; without it the old ones stay (Discord's documentation, Message Resource).
 * @throws UNKNOWN_MESSAGE, NOT_MESSAGE_AUTHOR, EMPTY_MESSAGE, INVALID_INPUT and what `accessChannel` and {@link keepFiles} throw
 */
export async function editMessage(call: CallContext, input: EditMessageInput): Promise<MessageRecord> {
  const caller = requireUser(call);
  const body = parseInput(EditBodySchema, input.body);
  const files = input.files ?? [];
  const channel = await accessChannel(call, input.channelId, 'editMessage');
  const message = await loadMessage(call, channel.guildId, channel.channelId, input.messageId);
  const byAuthor = message.authorId === caller.user.id;
  if (!byAuthor) requireFlagsOnly(channel, body, files);
  requirePermissions(channel.permissions, neededInChannel(operationsForContent(body, files)));
  const mentions = await mentionsAfter(call, channel, message, body);
  const added = await keepFiles(call, input, files, body.attachments ?? []);
  let done: EditedMessage | undefined;
  try {
    done = await applyEdit(call, message, { body, byAuthor, files, added, mentions });
    return done.message;
  } finally {
    await discardFiles(call, input, done ? done.dropped : added);
  }
}

/**
 * Whether the caller may add files to a message, to be asked before they are received.
 * @throws UNKNOWN_MESSAGE, NOT_MESSAGE_AUTHOR and what `accessChannel` throws
 */
export async function requireEditing(
  call: CallContext,
  { channelId, messageId }: Pick<EditMessageInput, 'channelId' | 'messageId'>,
): Promise<void> {
  const { user } = requireUser(call);
  const channel = await accessChannel(call, channelId, 'editMessage');
  const { authorId } = await findMessage(call, channel, messageId);
  if (authorId !== user.id) throw notAuthor();
  requirePermissions(channel.permissions, CHANNEL_OPERATIONS.sendFiles);
}

/** @throws NOT_MESSAGE_AUTHOR for more than the flags, or for somebody who does not manage messages */
function requireFlagsOnly(channel: ChannelAccess, body: EditBody, files: UploadedFile[]): void {
  const { flags, ...rest } = body;
  const isFlagsOnly =
    flags !== undefined && Object.values(rest).every((value) => value === undefined) && files.length === 0;
  if (isFlagsOnly && managesMessages(channel)) return;
  throw notAuthor();
}

function notAuthor(): DomainError {
  return new DomainError('NOT_MESSAGE_AUTHOR', 'Cannot edit a message authored by another user');
}

/** What is to be done to a message, whatever others do to it meanwhile. */
interface Edit {
  body: EditBody;
  byAuthor: boolean;
  files: UploadedFile[];
  /** The same files, in their place. */
  added: NewAttachment[];
  /** Null when the text stays. */
  mentions: Mentions | null;
}

interface EditedMessage {
  message: MessageRecord;
  dropped: Attachment[];
}

/**
 * Works out what the edit makes of the message and writes it, unless another edit was quicker: then once more, from what that
 * one left.
 */
async function applyEdit(call: CallContext, message: MessageRecord, edit: Edit): Promise<EditedMessage> {
  for (let before = message; ; before = await loadMessage(call, message.guildId, message.channelId, message.id)) {
    const { kept, dropped } = planAttachments(before, edit.body, edit.files);
    checkNotEmpty(before, edit.body, kept.length + edit.added.length);
    const edited = await replaceMessage(call, before, edit, { kept, dropped });
    if (edited) return { message: edited, dropped };
  }
}

/** Writes the edit and its event. Null, and nothing is written, when the message is no longer as it was `before`. */
async function replaceMessage(
  call: CallContext,
  before: MessageRecord,
  edit: Edit,
  { kept, dropped }: AttachmentPlan,
): Promise<MessageRecord | null> {
  const member = before.guildId === null ? null : await call.guilds.member(before.guildId, before.authorId);
  const created = edit.added.map((attachment) => ({ ...attachment, messageId: before.id }));
  const attachments = [...kept, ...created].sort((a, b) => (a.id < b.id ? -1 : 1));
  const update = async (db: Transaction): Promise<MessageRecord | null> => {
    const row = await replaceRow(call, db, before, edit);
    const mentionedUsers = edit.mentions?.users ?? before.mentionedUsers;
    return row && { ...before, ...row, mentionedUsers, attachments };
  };
  const eventOf = (message: MessageRecord): DomainEvent => ({ type: 'MESSAGE_UPDATE', message, member });
  if (created.length + dropped.length === 0) return call.writeOne(update, (message) => message && eventOf(message));
  return call.write(async ({ db, record }) => {
    const message = await update(db);
    if (!message) return null;
    await db.attachment.deleteMany({ where: { id: { in: dropped.map(({ id }) => id) } } });
    await db.attachment.createMany({ data: created });
    record(eventOf(message));
    return message;
  });
}

/** Every edit changes the row, so the row tells whether there was another: then none is changed, and the answer is null. */
async function replaceRow(
  call: CallContext,
  db: Transaction,
  before: MessageRecord,
  { body, byAuthor, mentions }: Edit,
): Promise<Message | null> {
  const [row] = await db.message.updateManyAndReturn({
    where: { id: before.id, editedAt: before.editedAt, flags: before.flags },
    data: {
      ...columnsOf(before, body),
      ...(byAuthor ? { editedAt: nextEditedAt(call, before) } : {}),
      ...(mentions && mentionColumns(mentions)),
    },
  });
  return row ?? null;
}

/** Later than the last time even where the clock stands still: it also tells one state of the message from the next. */
function nextEditedAt(call: CallContext, { editedAt }: MessageRecord): Date {
  return new Date(Math.max(call.clock.now(), editedAt === null ? 0 : editedAt.getTime() + 1));
}

/** @throws EMPTY_MESSAGE when the edit would leave nothing */
function checkNotEmpty(message: MessageRecord, body: EditBody, attachmentCount: number): void {
  const after = { content: message.content, embeds: message.embeds, components: message.components, ...given(body) };
  if (!after.content && isEmptyList(after.embeds) && isEmptyList(after.components) && attachmentCount === 0) {
    throw emptyMessage();
  }
}

function isEmptyList(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}

/** The row's columns that the edit sets. */
function columnsOf(message: MessageRecord, body: EditBody) {
  return { ...given(body), ...(body.flags === undefined ? {} : { flags: flagsAfter(message, body.flags) }) };
}

/** What the edit says anew, null cleared. */
function given({ content, embeds, components }: EditBody) {
  return {
    ...(content === undefined ? {} : { content: content ?? '' }),
    ...(embeds === undefined ? {} : { embeds: embeds ?? [] }),
    ...(components === undefined ? {} : { components: components ?? [] }),
  };
}

/** The one flag an edit may change is whether embeds are shown. */
function flagsAfter(message: MessageRecord, flags: number): number {
  return (message.flags & ~MessageFlags.SuppressEmbeds) | (flags & MessageFlags.SuppressEmbeds);
}

async function mentionsAfter(
  call: CallContext,
  channel: ChannelAccess,
  message: MessageRecord,
  body: EditBody,
): Promise<Mentions | null> {
  if (body.content === undefined) return null;
  return resolveMentions(body.content ?? '', body.allowed_mentions, {
    read: call.read,
    guildId: channel.guildId,
    permissions: channel.permissions,
    repliedUser: message.referenced?.author ?? null,
    mentionedUsers: message.mentionedUsers,
  });
}

function mentionColumns(mentions: Mentions) {
  return {
    mentionUserIds: mentions.users.map((user) => String(user.id)),
    mentionRoleIds: mentions.roleIds.map(String),
    mentionEveryone: mentions.everyone,
  };
}

interface AttachmentPlan {
  kept: Attachment[];
  dropped: Attachment[];
}

/** Which old files stay. @throws TOO_MANY_ATTACHMENTS, and INVALID_INPUT when the edit speaks of a file that is not there */
function planAttachments(message: MessageRecord, body: EditBody, files: UploadedFile[]): AttachmentPlan {
  const old = message.attachments;
  const notes = body.attachments ?? [];
  checkNotes(files, notes, old);
  const stays = ({ id }: Attachment) => body.attachments === undefined || notes.some((note) => note.id === id);
  const kept = old.filter(stays);
  if (kept.length + files.length > limits.attachmentsPerMessage) throw tooManyAttachments();
  return { kept, dropped: old.filter((attachment) => !stays(attachment)) };
}
