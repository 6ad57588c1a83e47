import { MessageFlags } from 'discord-api-types/v10';
import type { Attachment, Message, Transaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { type Place, recipientsOf } from '../channels/place.js';
import type { DomainEvent } from '../events.js';
import { limits } from '../limits.js';
import type { MemberFacts } from '../members/record.js';
import { type MessageEdit, requireContent } from './body.js';
import {
  checkNotes,
  discardFiles,
  keepFiles,
  type NewAttachment,
  tooManyAttachments,
  type UploadedFile,
  unlessStored,
} from './files.js';
import { loadMessage } from './load.js';
import { type Mentions, mentionColumns, resolveMentions } from './mentions.js';
import type { MessageRecord } from './record.js';

/** What is to be done to a message, whatever others do to it meanwhile. Who decides to do it answers for the right. */
export interface Edit {
  place: Place;
  body: MessageEdit;
  files: readonly UploadedFile[];
  /** Whether it is its author's doing, which shows as the time of the edit. */
  asAuthor: boolean;
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
  dropped: Attachment[];
}

/**
 * Changes a message and tells of it: the one way by which one is changed. `attachments` lists every file to keep, old and
 * new; without it the old ones stay (Discord's documentation, Message Resource).
 * @throws UNKNOWN_MESSAGE when it goes away meanwhile, EMPTY_MESSAGE, INVALID_INPUT (at `attachments`) and what
 *   {@link keepFiles} throws
 */
export async function applyEdit(call: CallContext, message: MessageRecord, edit: Edit): Promise<MessageRecord> {
  const key = { channelId: message.channelId, messageId: message.id };
  const mentions = await mentionsAfter(call, message, edit);
  const added = await keepFiles(call, key, edit.files, edit.body.attachments ?? []);
  const write = () => editUntilDone(call, message, { ...edit, added, mentions });
  const done = await unlessStored(write, () => discardFiles(call, key, added));
  await discardFiles(call, key, done.dropped);
  return done.message;
}

/**
 * Works out what the edit makes of the message and writes it, unless another edit was quicker: then once more, from what that
 * one left.
 */
async function editUntilDone(call: CallContext, message: MessageRecord, edit: ReadyEdit): Promise<EditedMessage> {
  for (let before = message; ; before = await loadMessage(call, edit.place, message.id)) {
    const { kept, dropped } = planAttachments(before, edit);
    const { content, embeds, components } = { ...before, ...given(edit.body) };
    requireContent({ content, embeds, components }, kept.length + edit.added.length);
    const edited = await replaceMessage(call, before, edit, { kept, dropped });
    if (edited) return { message: edited, dropped };
  }
}

/** Writes the edit and its event. Null, and nothing is written, when the message is no longer as it was `before`. */
async function replaceMessage(
  call: CallContext,
  before: MessageRecord,
  edit: ReadyEdit,
  { kept, dropped }: AttachmentPlan,
): Promise<MessageRecord | null> {
  const member = await memberOf(call, before);
  const created = edit.added.map((attachment) => ({ ...attachment, messageId: before.id }));
  const attachments = [...kept, ...created].sort((a, b) => (a.id < b.id ? -1 : 1));
  const update = async (db: Transaction): Promise<MessageRecord | null> => {
    const row = await replaceRow(call, db, before, edit);
    const mentionedUsers = edit.mentions?.users ?? before.mentionedUsers;
    return row && { ...before, ...row, mentionedUsers, attachments };
  };
  const eventOf = (message: MessageRecord): DomainEvent => ({
    type: 'MESSAGE_UPDATE',
    message,
    member,
    ...recipientsOf(edit.place),
  });
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

/** The membership of a message's author, who need not be who edits it. */
async function memberOf(call: CallContext, { guildId, authorId }: MessageRecord): Promise<MemberFacts | null> {
  return guildId === null ? null : call.guilds.member(guildId, authorId);
}

/** Every edit changes the row, so the row tells whether there was another: then none is changed, and the answer is null. */
async function replaceRow(
  call: CallContext,
  db: Transaction,
  before: MessageRecord,
  { body, asAuthor, mentions }: ReadyEdit,
): Promise<Message | null> {
  const [row] = await db.message.updateManyAndReturn({
    where: { id: before.id, editedAt: before.editedAt, flags: before.flags },
    data: {
      ...columnsOf(before, body),
      ...(asAuthor ? { editedAt: nextEditedAt(call, before) } : {}),
      ...(mentions && mentionColumns(mentions)),
    },
  });
  return row ?? null;
}

/** Later than the last time even where the clock stands still: it also tells one state of the message from the next. */
function nextEditedAt(call: CallContext, { editedAt }: MessageRecord): Date {
  return new Date(Math.max(call.clock.now(), editedAt === null ? 0 : editedAt.getTime() + 1));
}

/** The row's columns that the edit sets. */
function columnsOf(message: MessageRecord, body: MessageEdit) {
  return { ...given(body), ...(body.flags === undefined ? {} : { flags: flagsAfter(message, body.flags) }) };
}

/** What the edit says anew, null cleared. */
function given({ content, embeds, components }: MessageEdit) {
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
  kept: Attachment[];
  dropped: Attachment[];
}

/** Which old files stay. @throws TOO_MANY_ATTACHMENTS, and INVALID_INPUT when the edit speaks of a file that is not there */
function planAttachments({ attachments: old }: MessageRecord, { body, files }: Edit): AttachmentPlan {
  const notes = body.attachments ?? [];
  checkNotes(files, notes, old);
  const stays = ({ id }: Attachment) => body.attachments === undefined || notes.some((note) => note.id === id);
  const kept = old.filter(stays);
  if (kept.length + files.length > limits.attachmentsPerMessage) throw tooManyAttachments();
  return { kept, dropped: old.filter((attachment) => !stays(attachment)) };
}
