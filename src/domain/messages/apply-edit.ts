import { MessageFlags } from 'discord-api-types/v10';
import type { Attachment, Message, Transaction } from '../../infra/database/index.js';
import type { CallContext, Write } from '../call.js';
import { eventPlace, type Place } from '../channels/place.js';
import { DomainError, invalidInput } from '../errors.js';
import type { DomainEvent } from '../events.js';
import { endDeferral, isDeferred } from '../interactions/deferrals.js';
import { limits } from '../limits.js';
import type { MemberFacts } from '../members/record.js';
import { type MessageEdit, requireContent } from './body.js';
import {
  checkNotes,
  discardFiles,
  keepFiles,
  type NewAttachment,
  namesOf,
  tooManyAttachments,
  type UploadedFile,
  unlessStored,
} from './files.js';
import { checkLook } from './layout.js';
import { messageLines } from './lines.js';
import { loadMessage } from './load.js';
import { type Mentions, mentionColumns, resolveMentions } from './mentions.js';
import type { AttachmentRecord, MessageRecord } from './record.js';
import { EVERYBODY, listenersOf } from './visibility.js';

/** What is to be done to a message, whatever others do to it meanwhile. Who decides to do it answers for the right. */
export interface Edit {
  place: Place;
  body: MessageEdit;
  files: readonly UploadedFile[];
  /**
   * Whether it is its author's doing. That shows as the time of the edit, but for one that fills in a deferred answer (the flag LOADING,
   * which goes with it, and its interaction is answered); and the author alone may make the message a layout of components
   * (IS_COMPONENTS_V2).
   */
  asAuthor: boolean;
  /** Whether it is to fill in a deferred answer, and nothing else. */
  isFillingIn?: boolean;
}

/** An edit whose mentions and files are known. */
interface ReadyEdit extends Edit {
  /** The files, in their place. */
  added: NewAttachment[];
  /** Null when the text stays. */
  mentions: Mentions | null;
}

interface EditedMessage {
  message: MessageRecord;
  dropped: AttachmentRecord[];
}

/**
 * Changes a message and tells of it, whoever sees it: the one way by which one is changed. `attachments` lists every file to keep, old and
 * new, and may describe old ones anew; without it the old ones stay (Discord's documentation, Message Resource). Of the flags an edit may change SUPPRESS_EMBEDS, and add
 * IS_COMPONENTS_V2; EPHEMERAL and the rest stay as they are.
 * @throws UNKNOWN_MESSAGE when it goes away meanwhile, or is filled in before this could do so, INVALID_WEBHOOK_TOKEN when the time to fill
 *   it in is over, EMPTY_MESSAGE, INVALID_INPUT (at `attachments`, `flags`) and what {@link checkLook} and {@link keepFiles} throw
 */
export async function applyEdit(call: CallContext, message: MessageRecord, edit: Edit): Promise<MessageRecord> {
  const key = { channelId: message.channelId, messageId: message.id };
  const mentions = await mentionsAfter(call, message, edit);
  const added = await keepFiles(call, key, edit.files, edit.body.attachments ?? []);
  const write = () => messageLines.run(message.id, () => editUntilDone(call, message, { ...edit, added, mentions }));
  const done = await unlessStored(write, () => discardFiles(call, key, added));
  await discardFiles(call, key, done.dropped);
  return done.message;
}

/**
 * Works out what the edit makes of the message and writes it, unless another edit was quicker: then once more, from what that
 * one left.
 */
async function editUntilDone(call: CallContext, message: MessageRecord, edit: ReadyEdit): Promise<EditedMessage> {
  for (let before = message; ; before = await loadAgain(call, edit.place, message)) {
    if (edit.isFillingIn && !isDeferred(before)) throw new DomainError('UNKNOWN_MESSAGE');
    const plan = planAttachments(before, edit);
    checkResult(before, edit, filenamesOf([...plan.kept, ...edit.added]));
    const edited = await replaceMessage(call, before, edit, plan);
    if (edited) return { message: edited, dropped: plan.dropped };
  }
}

/** The message as it is now, for whomever it is. */
function loadAgain(call: CallContext, place: Place, { id, visibleToId }: MessageRecord): Promise<MessageRecord> {
  return loadMessage(call, place, id, visibleToId === null ? EVERYBODY : { kind: 'person', userId: visibleToId });
}

/**
 * Refuses what the message cannot become, as it is now.
 * @throws TOO_MANY_ATTACHMENTS, EMPTY_MESSAGE, INVALID_INPUT (at `attachments`, `flags`) and what {@link checkLook} throws
 */
export function checkEdit(message: MessageRecord, edit: Edit): void {
  const { kept } = planAttachments(message, edit);
  checkResult(message, edit, [...filenamesOf(kept), ...namesOf(edit.files, edit.body.attachments ?? [])]);
}

const filenamesOf = (files: readonly Pick<AttachmentRecord, 'filename'>[]) => files.map(({ filename }) => filename);

/** @throws EMPTY_MESSAGE, INVALID_INPUT (at `flags`) and what {@link checkLook} throws */
function checkResult(before: MessageRecord, edit: Edit, filenames: readonly string[]): void {
  const { content, embeds, components } = { ...before, ...given(edit.body) };
  const flags = flagsAfter(before, edit);
  checkLook({ flags, content, embeds, components: edit.body.components ?? undefined, filenames });
  if ((flags & MessageFlags.Loading) === 0) requireContent({ content, embeds, components }, filenames.length);
}

/** Writes the edit and its event. Null, and nothing is written, when the message is no longer as it was `before`. */
async function replaceMessage(
  call: CallContext,
  before: MessageRecord,
  edit: ReadyEdit,
  { kept, redescribed, dropped }: AttachmentPlan,
): Promise<MessageRecord | null> {
  const member = await memberOf(call, before);
  const created = edit.added.map((attachment) => ({ ...attachment, messageId: before.id }));
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
    ...listenersOf(edit.place, message),
  });
  const changesFiles = created.length + redescribed.length + dropped.length > 0;
  if (!changesFiles && !fillsIn(before, edit)) {
    return call.writeOne(update, (message) => message && eventOf(message), { onlyWithin: eventPlace(edit.place) });
  }
  return call.write(async (write) => {
    const { db, record } = write;
    const message = await update(db);
    if (!message) return null;
    if (changesFiles) await replaceFiles(db, { created, redescribed, dropped });
    record(eventOf(message));
    if (fillsIn(before, edit)) await endDeferralInTime(call, write, message);
    return message;
  });
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

/** With the token of an interaction its deferred answer is filled in while that is good. @throws INVALID_WEBHOOK_TOKEN */
async function endDeferralInTime(call: CallContext, write: Write, message: MessageRecord): Promise<void> {
  const isInTime = await endDeferral(call, write, message);
  if (!isInTime && call.actor.kind === 'interaction') throw new DomainError('INVALID_WEBHOOK_TOKEN');
}

/** The membership of a message's author, who need not be who edits it. What a webhook sent is shown without. */
async function memberOf(
  call: CallContext,
  { guildId, authorId, webhookId }: MessageRecord,
): Promise<MemberFacts | null> {
  return guildId === null || webhookId !== null ? null : call.guilds.member(guildId, authorId);
}

/** Every edit changes the row, so the row tells whether there was another: then none is changed, and the answer is null. */
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

/** Later than the last time even where the clock stands still: it also tells one state of the message from the next. */
function nextEditedAt(call: CallContext, { editedAt }: MessageRecord): Date {
  return new Date(Math.max(call.clock.now(), editedAt === null ? 0 : editedAt.getTime() + 1));
}

/** Whether the edit makes a deferred answer one that says something. */
function fillsIn(before: MessageRecord, { asAuthor }: Edit): boolean {
  return asAuthor && isDeferred(before);
}

/** Who fills in a deferred answer edits nothing that anybody has read. */
function showsAsEdited(before: MessageRecord, { asAuthor }: Edit): boolean {
  return asAuthor && !isDeferred(before);
}

/** What the edit says anew, null cleared. */
function given({ content, embeds, components }: MessageEdit) {
  return {
    ...(content === undefined ? {} : { content: content ?? '' }),
    ...(embeds === undefined ? {} : { embeds: embeds ?? [] }),
    ...(components === undefined ? {} : { components: components ?? [] }),
  };
}

/** @throws INVALID_INPUT at `flags` when the author would take IS_COMPONENTS_V2 away */
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
  /** As they are described from now on. */
  kept: AttachmentRecord[];
  /** Those of `kept` that are described in another way than before. */
  redescribed: AttachmentRecord[];
  dropped: AttachmentRecord[];
}

/** Which old files stay, and as what. @throws TOO_MANY_ATTACHMENTS, and INVALID_INPUT when the edit speaks of a file that is not there */
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
