import { MessageFlags } from 'discord-api-types/v10';
import type { Attachment, Message, Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { asOf, type ChannelAccess, streamsOf } from '../channels/access.js';
import { DomainError, invalidInput } from '../errors.js';
import type { DomainEvent } from '../events.js';
import { endDeferral, isDeferred } from '../interactions/responses/deferrals.js';
import { limits } from '../limits.js';
import type { MemberSummary } from '../members/record.js';
import { type MessageEdit, requireContent } from './content/body.js';
import { checkLook } from './content/layout.js';
import { type Mentions, mentionColumns, resolveMentions } from './content/mentions.js';
import {
  checkNotes,
  discardFiles,
  keepFiles,
  type NewAttachment,
  namesOf,
  tooManyAttachments,
  type UploadedFile,
  unlessStored,
} from './files/files.js';
import { loadMessage } from './load.js';
import type { AttachmentRecord, MessageRecord } from './record.js';
import { EVERYONE, listenersOf, toldOf } from './visibility.js';

/** {@link applyEdit} checks no permissions. */
export interface Edit {
  place: ChannelAccess;
  body: MessageEdit;
  files: readonly UploadedFile[];
  /**
   * Only the author's edits may add IS_COMPONENTS_V2, and either complete a deferred response (which clears LOADING) or
   * set `editedAt`.
   */
  asAuthor: boolean;
  /** Whether to refuse the edit with UNKNOWN_MESSAGE unless it completes a deferred response. */
  isFillingIn?: boolean;
}

interface ReadyEdit extends Edit {
  /** New files, already stored. */
  added: NewAttachment[];
  /** Null if the text is unchanged. */
  mentions: Mentions | null;
}

interface EditedMessage {
  message: MessageRecord;
  dropped: AttachmentRecord[];
}

/**
 * All edits go through this function. If `attachments` is undefined, all files stay (Discord's documentation, Message
 * Resource). Of the flags, an edit may change only SUPPRESS_EMBEDS and add IS_COMPONENTS_V2.
 * @throws UNKNOWN_MESSAGE if the message was deleted, INVALID_WEBHOOK_TOKEN if the interaction token has expired,
 * EMPTY_MESSAGE, INVALID_INPUT (at `attachments`, `flags`) and the errors of {@link checkLook} and {@link keepFiles}
 */
export async function applyEdit(call: CallContext, message: MessageRecord, edit: Edit): Promise<MessageRecord> {
  const { channelId } = message;
  const mentions = await mentionsAfter(call, message, edit);
  const folder = { channelId, folderId: message.id };
  const added = await keepFiles(call, folder, edit.files, edit.body.attachments ?? []);
  const write = () => editUntilDone(call, message, { ...edit, added, mentions });
  const stored = added.map((attachment) => ({ ...attachment, messageId: message.id }));
  const done = await unlessStored(write, () => discardFiles(call, channelId, stored));
  await discardFiles(call, channelId, done.dropped);
  return done.message;
}

/** Retries from the new state after a concurrent edit. */
async function editUntilDone(call: CallContext, message: MessageRecord, edit: ReadyEdit): Promise<EditedMessage> {
  for (let before = message; ; before = await loadAgain(call, edit.place, message)) {
    if (edit.isFillingIn && !isDeferred(before)) throw new DomainError('UNKNOWN_MESSAGE');
    const plan = planAttachments(before, edit);
    checkResult(before, edit, filenamesOf([...plan.kept, ...edit.added]));
    const edited = await replaceMessage(call, before, edit, plan);
    if (edited) return { message: edited, dropped: plan.dropped };
  }
}

function loadAgain(
  call: CallContext,
  place: ChannelAccess,
  { id, visibleToId }: MessageRecord,
): Promise<MessageRecord> {
  return loadMessage(call, place, id, visibleToId === null ? EVERYONE : { kind: 'person', userId: visibleToId });
}

/**
 * @throws TOO_MANY_ATTACHMENTS, EMPTY_MESSAGE, INVALID_INPUT (at `attachments`, `flags`) and the errors of
 * {@link checkLook}
 */
export function checkEdit(message: MessageRecord, edit: Edit): void {
  const { kept } = planAttachments(message, edit);
  checkResult(message, edit, [...filenamesOf(kept), ...namesOf(edit.files, edit.body.attachments ?? [])]);
}

const filenamesOf = (files: readonly Pick<AttachmentRecord, 'filename'>[]) => files.map(({ filename }) => filename);

/** @throws EMPTY_MESSAGE, INVALID_INPUT (at `flags`) and the errors of {@link checkLook} */
function checkResult(before: MessageRecord, edit: Edit, filenames: readonly string[]): void {
  const { content, embeds, components } = { ...before, ...given(edit.body) };
  const flags = flagsAfter(before, edit);
  checkLook({ flags, content, embeds, components: edit.body.components ?? undefined, filenames });
  if ((flags & MessageFlags.Loading) === 0) requireContent({ content, embeds, components }, filenames.length);
}

/** @returns null, without a write, if the message has changed since `before` */
async function replaceMessage(
  call: CallContext,
  before: MessageRecord,
  edit: ReadyEdit,
  { kept, redescribed, dropped }: AttachmentPlan,
): Promise<MessageRecord | null> {
  const member = await memberOf(call, before);
  const created = edit.added.map((attachment) => ({ ...attachment, messageId: before.id, folderId: null }));
  const attachments = [...kept, ...created].sort((a, b) => (a.id < b.id ? -1 : 1));
  const update = async (db: Transaction): Promise<MessageRecord | null> => {
    const row = await replaceRow(call, db, before, edit);
    const mentionedUsers = edit.mentions?.users ?? before.mentionedUsers;
    return row && { ...before, ...row, interaction: before.interaction, mentionedUsers, attachments };
  };
  const eventOf = (message: MessageRecord): DomainEvent => ({
    type: 'MESSAGE_UPDATE',
    message,
    member,
    ...asOf(edit.place),
    ...listenersOf(edit.place, message),
  });
  const streams = streamsOf(toldOf(edit.place, before));
  const changesFiles = created.length + redescribed.length + dropped.length > 0;
  if (!changesFiles && !fillsIn(before, edit)) {
    return call.writeOne(update, { streams, event: (message) => message && eventOf(message) });
  }
  const change = async (write: Write) => {
    const { db, record } = write;
    const message = await update(db);
    if (!message) return null;
    if (changesFiles) await replaceFiles(db, { created, redescribed, dropped });
    record(eventOf(message));
    if (fillsIn(before, edit)) await endDeferralInTime(call, write, message);
    return message;
  };
  const ofInteraction = before.applicationId === null ? [] : [topics.application(before.applicationId)];
  return call.write(change, { streams: fillsIn(before, edit) ? [...streams, ...ofInteraction] : streams });
}

async function replaceFiles(
  db: Transaction,
  { created, redescribed, dropped }: Pick<AttachmentPlan, 'redescribed' | 'dropped'> & { created: Attachment[] },
): Promise<void> {
  await db.attachment.deleteMany({ where: { id: { in: dropped.map(({ id }) => id) } } });
  await db.attachment.createMany({ data: created });
  for (const { id, description, isSpoiler } of redescribed) {
    await db.attachment.updateMany({ where: { id }, data: { description, isSpoiler } });
  }
}

/** @throws INVALID_WEBHOOK_TOKEN if the caller's interaction token has expired */
async function endDeferralInTime(call: CallContext, write: Write, message: MessageRecord): Promise<void> {
  const isInTime = await endDeferral(call, write, message);
  if (!isInTime && call.actor.kind === 'interaction') throw new DomainError('INVALID_WEBHOOK_TOKEN');
}

/** Webhook messages have no member. */
async function memberOf(
  call: CallContext,
  { guildId, authorId, webhookId }: MessageRecord,
): Promise<MemberSummary | null> {
  return guildId === null || webhookId !== null ? null : call.guilds.member(guildId, authorId);
}

/** @returns null after a concurrent edit, which changes `editedAt` or `flags` */
async function replaceRow(
  call: CallContext,
  db: Transaction,
  before: MessageRecord,
  edit: ReadyEdit,
): Promise<Message | null> {
  const [row] = await db.message.updateManyAndReturn({
    where: { id: before.id, editedAt: before.editedAt, flags: before.flags },
    data: {
      ...given(edit.body),
      flags: flagsAfter(before, edit),
      ...(showsAsEdited(before, edit) ? { editedAt: nextEditedAt(call, before) } : {}),
      ...(edit.mentions && mentionColumns(edit.mentions)),
    },
  });
  return row ?? null;
}

/** Always later than the last edit, since the time identifies a version. */
function nextEditedAt(call: CallContext, { editedAt }: MessageRecord): Date {
  return new Date(Math.max(call.clock.now(), editedAt === null ? 0 : editedAt.getTime() + 1));
}

function fillsIn(before: MessageRecord, { asAuthor }: Edit): boolean {
  return asAuthor && isDeferred(before);
}

/** Completing a deferred response changes nothing that a user has read. */
function showsAsEdited(before: MessageRecord, { asAuthor }: Edit): boolean {
  return asAuthor && !isDeferred(before);
}

function given({ content, embeds, components }: MessageEdit) {
  return {
    ...(content === undefined ? {} : { content: content ?? '' }),
    ...(embeds === undefined ? {} : { embeds: embeds ?? [] }),
    ...(components === undefined ? {} : { components: components ?? [] }),
  };
}

/** @throws INVALID_INPUT at `flags` if the author removes IS_COMPONENTS_V2 */
function flagsAfter({ flags: before }: MessageRecord, { body, asAuthor }: Edit): number {
  const { flags: asked = before } = body;
  const switched = (before & ~MessageFlags.SuppressEmbeds) | (asked & MessageFlags.SuppressEmbeds);
  if (!asAuthor) return switched;
  if ((before & ~asked & MessageFlags.IsComponentsV2) !== 0) throw layoutStays();
  return (switched & ~MessageFlags.Loading) | (asked & MessageFlags.IsComponentsV2);
}

function layoutStays(): DomainError {
  const message = 'The MessageFlags.IS_COMPONENTS_V2 flag cannot be removed';
  return invalidInput({ path: 'flags', code: 'MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG', message });
}

async function mentionsAfter(
  call: CallContext,
  message: MessageRecord,
  { place, body }: Edit,
): Promise<Mentions | null> {
  if (body.content === undefined) return null;
  return resolveMentions(body.content ?? '', body.allowedMentions, {
    read: call.read,
    place,
    repliedUser: message.referenced?.author ?? null,
    mentionedUsers: message.mentionedUsers,
  });
}

interface AttachmentPlan {
  kept: AttachmentRecord[];
  redescribed: AttachmentRecord[];
  dropped: AttachmentRecord[];
}

/** @throws TOO_MANY_ATTACHMENTS, and the errors of {@link checkNotes} */
function planAttachments({ attachments: old }: MessageRecord, { body, files }: Edit): AttachmentPlan {
  const notes = body.attachments ?? [];
  checkNotes(files, notes, old);
  const noteOf = ({ id }: AttachmentRecord) => notes.find((note) => note.id === id);
  const staying = old.filter((attachment) => body.attachments === undefined || noteOf(attachment));
  if (staying.length + files.length > limits.attachmentsPerMessage) throw tooManyAttachments();
  const kept = staying.map((attachment) => {
    const { description = attachment.description, isSpoiler = attachment.isSpoiler } = noteOf(attachment) ?? {};
    return { ...attachment, description, isSpoiler };
  });
  const isAsBefore = (file: AttachmentRecord, before: AttachmentRecord | undefined) =>
    file.description === before?.description && file.isSpoiler === before.isSpoiler;
  return {
    kept,
    redescribed: kept.filter((file, index) => !isAsBefore(file, staying[index])),
    dropped: old.filter((attachment) => !staying.includes(attachment)),
  };
}
