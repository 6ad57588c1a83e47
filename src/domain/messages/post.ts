import { MessageFlags, MessageType } from 'discord-api-types/v10';
import { isMissingReference, isUniqueConflict, mayBeDone } from '../../infra/database/faults.js';
import type { Attachment, Message, Prisma, Transaction, User } from '../../infra/database/index.js';
import { snowflakeTime } from '../../infra/ids/ids.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, FindMessageId, Write } from '../call.js';
import { asOf, type ChannelAccess, eventChannel, guildIdOf, memberIn, streamsOf } from '../channels/access.js';
import { DomainError, invalidInput, unavailable } from '../errors.js';
import type { DomainEvent } from '../events.js';
import { type NewMessage, requireContent } from './content/body.js';
import { checkLook } from './content/layout.js';
import { type Mentions, mentionColumns, resolveMentions } from './content/mentions.js';
import {
  checkNotes,
  discardFolder,
  keepFiles,
  type NewAttachment,
  namesOf,
  type UploadedFile,
  unlessStored,
} from './files/files.js';
import type { NewMessageRow } from './insert-together.js';
import { type MessageInteraction, peopleOf, usersOf } from './interaction.js';
import { completeMessages, findUsers, loadMessages } from './load.js';
import { isJobKey, jobKey } from './nonces.js';
import type { MessageRecord } from './record.js';
import { takeTurn } from './slow-mode.js';
import { isUserMessage } from './user-messages.js';
import { EVERYONE, listenersOf, mayShow, toldOf } from './visibility.js';

/** The calling verb chooses the author and flags, and checks permissions. */
export interface Post {
  /** Need not be the caller. */
  author: User;
  /** The channel with the author's permissions, which limit the mentions. */
  place: ChannelAccess;
  body: NewMessage;
  files: readonly UploadedFile[];
  /** `Default` becomes `Reply` for a message with a reference. */
  kind: MessageType;
  /** Taken if no later message is in the channel. */
  wantedId?: bigint | undefined;
  /** Runs if the message gets another id. */
  onOtherId?: (db: Transaction, id: bigint) => Promise<unknown>;
  /** The recipient of an ephemeral message. */
  visibleToId?: bigint | undefined;
  /** The application that responds to the interaction or owns the webhook. */
  applicationId?: bigint | undefined;
  interaction?: MessageInteraction | undefined;
  webhookId?: bigint | undefined;
  /** Of a job. A second message of the author in the channel with this key is never posted. */
  key?: string | undefined;
  /** In seconds; 0 if slow mode does not apply to the author. */
  slowModeSeconds?: number | undefined;
}

const NONCE_WINDOW_MS = 5 * 60_000;

/**
 * Checks the content but no permissions. A message with LOADING is a deferred response and may be empty.
 * @returns the new message, or the author's earlier one in the channel with the same enforced nonce or job key
 * @throws SLOW_MODE, EMPTY_MESSAGE, UNKNOWN_CHANNEL if the channel is deleted concurrently, INVALID_INPUT (at
 * `reference`, `attachments`) and the errors of {@link checkLook} and {@link keepFiles}
 */
export async function postMessage(call: CallContext, post: Post): Promise<MessageRecord> {
  checkPost(post);
  const { place, body, files } = post;
  const referenced = await findReferenced(call, post);
  const mentions = await resolveMentions(body.content ?? '', body.allowedMentions, {
    read: call.read,
    place,
    repliedUser: referenced?.author ?? null,
    mentionedUsers: [],
  });
  const interactionUsers = await findInteractionUsers(call, post);
  const folder = { channelId: place.channelId, folderId: post.wantedId ?? call.nextId() };
  const attachments = await keepFiles(call, folder, files, body.attachments ?? []);
  const wantedId = post.wantedId ?? (attachments.length > 0 ? folder.folderId : undefined);
  const draft = { ...post, wantedId, mentions, attachments, referenced, interactionUsers };
  const insert = () => insertMessage(call, draft);
  if (attachments.length === 0) return insert();
  const discard = () => discardFolder(call, folder);
  const message = await unlessStored(insert, discard);
  const isEarlier = message.attachments.every(({ id }) => attachments.every((attachment) => attachment.id !== id));
  if (isEarlier) await discard();
  return message;
}

/**
 * Runs the checks that need no channel.
 * @throws EMPTY_MESSAGE, INVALID_INPUT at `attachments` and the errors of {@link checkLook}
 */
export function checkPost({ body, files, kind }: Pick<Post, 'body' | 'files' | 'kind'>): void {
  const { content = '', embeds = [], components, flags = 0, attachments: notes = [] } = body;
  checkNotes(files, notes);
  const names = namesOf(files, notes);
  checkLook({ flags, content, embeds, components, filenames: names });
  const isPromise = (flags & MessageFlags.Loading) !== 0;
  if (isUserMessage(kind) && !isPromise) requireContent(body, files.length);
}

/**
 * An ephemeral message can be referenced only by its application, in a message to the same user.
 * @returns undefined without a reference, or if its message is missing and `failIfNotExists` is false
 */
async function findReferenced(call: CallContext, post: Post): Promise<MessageRecord | undefined> {
  const { reference } = post.body;
  if (!reference) return undefined;
  const { visibleToId = null, applicationId = null } = post;
  const viewer = applicationId === null ? EVERYONE : ({ kind: 'application', applicationId } as const);
  const [target] = await loadMessages(call, post.place, { id: reference.messageId, viewer });
  if (target && mayShow(target, { visibleToId, applicationId })) return target;
  if (reference.failIfNotExists === false) return undefined;
  throw invalidInput({ path: 'reference', code: 'REPLIES_UNKNOWN_MESSAGE', message: 'Unknown message' });
}

/** Usually the caller is the only user shown, which saves a query. */
async function findInteractionUsers(call: CallContext, { interaction }: Post): Promise<User[]> {
  if (!interaction) return [];
  const caller = call.actor.kind === 'person' ? [call.actor.user] : [];
  const others = peopleOf(interaction).filter((id) => caller.every((user) => user.id !== id));
  const known = await findUsers(call, others);
  return usersOf(interaction, new Map([...known, ...caller.map((user) => [user.id, user] as const)]));
}

interface Draft extends Post {
  mentions: Mentions;
  attachments: NewAttachment[];
  referenced: MessageRecord | undefined;
  interactionUsers: User[];
}

async function insertMessage(call: CallContext, draft: Draft): Promise<MessageRecord> {
  const nonceKey = enforcedNonceKey(draft) ?? nonceKeyOfJob(draft) ?? nonceKeyOfWork(call, draft);
  for (;;) {
    try {
      return await insertOnce(call, draft, nonceKey);
    } catch (error) {
      if (isMissingReference(error)) throw new DomainError('UNKNOWN_CHANNEL');
      // The outcome is unknown, but a retry finds the same message.
      if (nonceKey !== null && mayBeDone(error)) throw unavailable(error);
      if (nonceKey === null || !isUniqueConflict(error)) throw error;
      const earlier = await earlierMessage(call, draft.place, nonceKey);
      if (earlier) return earlier;
    }
  }
}

async function insertOnce(call: CallContext, draft: Draft, nonceKey: string | null): Promise<MessageRecord> {
  const { place, author, wantedId, slowModeSeconds = 0 } = draft;
  const insert = async (db: Transaction, messageId: FindMessageId) => {
    const id = await messageId(wantedId);
    const attachments = inFolderOf(id, draft.attachments);
    const message = await insertRow(db, { ...draft, attachments }, { id, ...messageRow(draft, nonceKey) });
    if (wantedId !== undefined && id !== wantedId) await draft.onOtherId?.(db, id);
    return message;
  };
  const { visibleToId = null, applicationId = null } = draft;
  // The guild's stream has the channel's newest id.
  const streams = [...streamsOf(eventChannel(place)), ...streamsOf(toldOf(place, { visibleToId, applicationId }))];
  if (slowModeSeconds === 0) {
    const message = isPlain(draft) ? await insertTogether(call, draft, nonceKey) : null;
    return message ?? call.writeOne(insert, { streams, event: (inserted) => created(place, inserted) });
  }
  const insertInTurn = async ({ db, record, messageId }: Write) => {
    // Insert first: it locks the channel, and a repeated nonce conflicts before slow mode is checked.
    const message = await insert(db, messageId);
    await takeTurn(call, db, { channelId: place.channelId, userId: author.id }, slowModeSeconds);
    record(created(place, message));
    return message;
  };
  return call.write(insertInTurn, { streams });
}

/** Whether the message is one row, whose event goes to one stream. */
function isPlain({ place, attachments, visibleToId, wantedId }: Draft): boolean {
  return place.kind === 'guild' && attachments.length === 0 && visibleToId === undefined && wantedId === undefined;
}

/** @returns null if the message must be inserted alone */
async function insertTogether(call: CallContext, draft: Draft, nonceKey: string | null): Promise<MessageRecord | null> {
  const { messageInserts } = call;
  const { place } = draft;
  if (!messageInserts || place.kind !== 'guild') return null;
  const eventOf = (row: Message) => created(place, recordOf(draft, row));
  call.requireActive();
  const row = await messageInserts.insert(call, topics.guild(place.guildId), messageRow(draft, nonceKey), eventOf);
  return row && recordOf(draft, row);
}

/** Usually, the folder of the files has the message's id. */
function inFolderOf(id: bigint, attachments: NewAttachment[]): NewAttachment[] {
  return attachments.map((one) => (one.folderId === id ? { ...one, folderId: null } : one));
}

/** A webhook message has no member (Discord's documentation, Gateway Events). */
function created(place: ChannelAccess, message: MessageRecord): DomainEvent {
  const member = message.webhookId === null ? memberIn(place) : null;
  return { type: 'MESSAGE_CREATE', message, member, ...asOf(place), ...listenersOf(place, message) };
}

async function insertRow(
  db: Transaction,
  draft: Draft,
  data: Prisma.MessageUncheckedCreateInput,
): Promise<MessageRecord> {
  const { attachments } = draft;
  const row = await db.message.create({
    data: attachments.length > 0 ? { ...data, attachments: { create: attachments } } : data,
  });
  return recordOf(draft, row);
}

function recordOf(
  { author, place, attachments, mentions, referenced, interaction, interactionUsers }: Draft,
  row: Message,
): MessageRecord {
  return {
    ...row,
    author,
    guildId: guildIdOf(place),
    attachments: attachments.map((attachment): Attachment => ({ ...attachment, messageId: row.id })),
    mentionedUsers: mentions.users,
    interaction: interaction ?? null,
    interactionUsers,
    reactions: [],
    ...(referenced ? { referenced } : {}),
  };
}

/** Stores a system message in the transaction of the action. @param about id of the affected message */
export async function postNotice(
  { db, record, messageId }: Pick<Write, 'db' | 'record' | 'messageId'>,
  { author, place, kind, about }: Pick<Post, 'author' | 'place' | 'kind'> & { about: bigint },
): Promise<void> {
  const nothing = { files: [], attachments: [], interactionUsers: [], referenced: undefined, body: {} };
  const mentions = { users: [], roleIds: [], everyone: false };
  const draft: Draft = { ...nothing, mentions, author, place, kind };
  const reference = { referenceId: about, referenceChannelId: place.channelId };
  const id = await messageId();
  record(created(place, await insertRow(db, draft, { id, ...messageRow(draft, null), ...reference })));
}

function messageRow(draft: Draft, nonceKey: string | null): NewMessageRow {
  const { author, place, body, kind, mentions, referenced, visibleToId, applicationId, webhookId, interaction } = draft;
  return {
    channelId: place.channelId,
    authorId: author.id,
    type: kind === MessageType.Default && referenced ? MessageType.Reply : kind,
    content: body.content ?? '',
    flags: body.flags ?? 0,
    tts: body.tts ?? false,
    embeds: body.embeds ?? [],
    components: body.components ?? [],
    ...mentionColumns(mentions),
    nonce: body.nonce,
    enforcedNonceKey: nonceKey,
    visibleToId,
    applicationId,
    webhookId,
    interaction,
    ...(referenced ? { referenceId: referenced.id, referenceChannelId: referenced.channelId } : {}),
  };
}

/** Null for ephemeral messages, which a repeated nonce must not return. */
function enforcedNonceKey({ author, place, body, visibleToId }: Post): string | null {
  if (visibleToId !== undefined) return null;
  return body.enforceNonce && body.nonce ? `${author.id}:${place.channelId}:${body.nonce}` : null;
}

function nonceKeyOfJob({ author, place, key }: Post): string | null {
  return key === undefined ? null : jobKey(author.id, place.channelId, key);
}

/** Work repeated within the nonce window posts its message only once, even after a restart. */
function nonceKeyOfWork({ workKey }: CallContext, { author, place }: Post): string | null {
  return workKey === null ? null : `work:${author.id}:${place.channelId}:${workKey}`;
}

/** @returns null if the nonce's window is over; the key is then free again */
async function earlierMessage(call: CallContext, place: ChannelAccess, key: string): Promise<MessageRecord | null> {
  const [row] = await call.read.message.findMany({
    where: { enforcedNonceKey: key },
    include: { author: true, attachments: true },
  });
  if (row && (isJobKey(key) || call.clock.now() - snowflakeTime(row.id) < NONCE_WINDOW_MS)) {
    const [message] = await completeMessages(call, place, [row]);
    return message ?? null;
  }
  if (row) await forgetNonce(call, row);
  return null;
}

async function forgetNonce(call: CallContext, { id }: Message): Promise<void> {
  await call.writeOne((db) => db.message.updateMany({ where: { id }, data: { enforcedNonceKey: null } }));
}
