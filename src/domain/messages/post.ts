import { MessageFlags, MessageType } from 'discord-api-types/v10';
import { isMissingReference, isUniqueConflict, mayBeDone } from '../../infra/database/faults.js';
import type { Attachment, Message, Prisma, Transaction, User } from '../../infra/database/index.js';
import { snowflakeTime } from '../../infra/ids.js';
import type { CallContext, Write } from '../call.js';
import { eventPlace, guildIdOf, memberIn, type Place } from '../channels/place.js';
import { DomainError, invalidInput, unavailable } from '../errors.js';
import type { DomainEvent } from '../events.js';
import { type NewMessage, requireContent } from './body.js';
import {
  checkNotes,
  discardAllFiles,
  keepFiles,
  type NewAttachment,
  namesOf,
  type UploadedFile,
  unlessStored,
} from './files.js';
import { type MessageInteraction, peopleOf, usersOf } from './interaction.js';
import { isSpoken } from './kinds.js';
import { checkLook } from './layout.js';
import { completeMessages, findUsers, loadMessages } from './load.js';
import { type Mentions, mentionColumns, resolveMentions } from './mentions.js';
import type { MessageRecord } from './record.js';
import { takeTurn } from './slow-mode.js';
import { EVERYBODY, listenersOf, mayShow } from './visibility.js';

/** A message that is to be stored. Who decides to post it answers for author, right and flags. */
export interface Post {
  /** Who it is from, whoever calls. */
  author: User;
  /** Where it goes, as its author's place: whom it may mention follows from their permissions. */
  place: Place;
  body: NewMessage;
  files: readonly UploadedFile[];
  /** What it is. What somebody says (`Default`) becomes a `Reply` where it answers a message. */
  kind: MessageType;
  /** Where it was made in advance. */
  id?: bigint | undefined;
  /** The one person who sees it, beside the application; everybody who reads the channel where it is not given. */
  visibleToId?: bigint | undefined;
  /** The application that answers an interaction with it, or that owns the webhook; and the interaction. */
  applicationId?: bigint | undefined;
  interaction?: MessageInteraction | undefined;
  /** The webhook by which it is posted. */
  webhookId?: bigint | undefined;
  /** How long its author waits before the next one in the channel, in seconds; 0 for somebody who need not. */
  slowModeSeconds?: number | undefined;
}

/** How long an enforced nonce keeps a second message away, in milliseconds. */
const NONCE_WINDOW_MS = 5 * 60_000;

/**
 * Stores a message and tells of it: the one way by which a message comes to be. It checks what the message is made of, and
 * nobody's right to post it. One with the flag LOADING is a promise of an answer, and may be empty.
 * @returns the new message, or the author's earlier one in the channel when an enforced nonce or the key of the work repeats
 * @throws SLOW_MODE, EMPTY_MESSAGE, UNKNOWN_CHANNEL when the channel goes away meanwhile, INVALID_INPUT (at `reference`, `attachments`), and what
 *   {@link checkLook} and {@link keepFiles} throw
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
  const id = post.id ?? call.nextId();
  const key = { channelId: place.channelId, messageId: id };
  const attachments = await keepFiles(call, key, files, body.attachments ?? []);
  const insert = () => insertMessage(call, { ...post, id, mentions, attachments, referenced, interactionUsers });
  if (attachments.length === 0) return insert();
  const discard = () => discardAllFiles(call, key);
  const message = await unlessStored(insert, discard);
  if (message.id !== id) await discard();
  return message;
}

/**
 * Refuses what cannot be posted, whoever posts it and wherever.
 * @throws EMPTY_MESSAGE, INVALID_INPUT at `attachments`, and what {@link checkLook} throws
 */
export function checkPost({ body, files, kind }: Pick<Post, 'body' | 'files' | 'kind'>): void {
  const { content = '', embeds = [], components, flags = 0, attachments: notes = [] } = body;
  checkNotes(files, notes);
  const names = namesOf(files, notes);
  checkLook({ flags, content, embeds, components, filenames: names });
  const isPromise = (flags & MessageFlags.Loading) !== 0;
  if (isSpoken(kind) && !isPromise) requireContent(body, files.length);
}

/**
 * The message a reply answers: undefined for no reply, or for one whose target may be missing and is. An ephemeral message is missing for
 * everybody but its application, as it answers the same person.
 */
async function findReferenced(call: CallContext, post: Post): Promise<MessageRecord | undefined> {
  const { reference } = post.body;
  if (!reference) return undefined;
  const { visibleToId = null, applicationId = null } = post;
  const onlooker = applicationId === null ? EVERYBODY : ({ kind: 'application', applicationId } as const);
  const [target] = await loadMessages(call, post.place, { id: reference.messageId, onlooker });
  if (target && mayShow(target, { visibleToId, applicationId })) return target;
  if (reference.failIfNotExists === false) return undefined;
  throw invalidInput({ path: 'reference', code: 'REPLIES_UNKNOWN_MESSAGE', message: 'Unknown message' });
}

/** Most are shown with who calls: the one who asked for what is answered at once. */
async function findInteractionUsers(call: CallContext, { interaction }: Post): Promise<User[]> {
  if (!interaction) return [];
  const caller = call.actor.kind === 'person' ? [call.actor.user] : [];
  const others = peopleOf(interaction).filter((id) => caller.every((user) => user.id !== id));
  const known = await findUsers(call, others);
  return usersOf(interaction, new Map([...known, ...caller.map((user) => [user.id, user] as const)]));
}

/** A post whose references, mentions and files are known. */
interface Draft extends Post {
  id: bigint;
  mentions: Mentions;
  attachments: NewAttachment[];
  referenced: MessageRecord | undefined;
  interactionUsers: User[];
}

/** Stores the message, or finds the earlier one that holds its enforced nonce, or was made by the same piece of work. */
async function insertMessage(call: CallContext, draft: Draft): Promise<MessageRecord> {
  const nonceKey = enforcedNonceKey(draft) ?? nonceKeyOfWork(call, draft);
  for (;;) {
    try {
      return await insertOnce(call, draft, nonceKey);
    } catch (error) {
      if (isMissingReference(error)) throw new DomainError('UNKNOWN_CHANNEL');
      // Sent again, it is the same message.
      if (nonceKey !== null && mayBeDone(error)) throw unavailable(error);
      if (nonceKey === null || !isUniqueConflict(error)) throw error;
      const earlier = await earlierMessage(call, draft.place, nonceKey);
      if (earlier) return earlier;
    }
  }
}

function insertOnce(call: CallContext, draft: Draft, nonceKey: string | null): Promise<MessageRecord> {
  const insert = (db: Transaction) => insertRow(db, draft, messageRow(draft, nonceKey));
  const { place, author, slowModeSeconds = 0 } = draft;
  if (slowModeSeconds === 0) {
    return call.writeOne(insert, (message) => created(place, message), { onlyWithin: eventPlace(place) });
  }
  return call.write(async ({ db, record }) => {
    // First, so that the channel is there until the end of the transaction, and a nonce that repeats waits for nothing.
    const message = await insert(db);
    await takeTurn(call, db, { channelId: place.channelId, userId: author.id }, slowModeSeconds);
    record(created(place, message));
    return message;
  });
}

/** What a webhook sends is shown without a member (Discord's documentation, Gateway Events). */
function created(place: Place, message: MessageRecord): DomainEvent {
  const member = message.webhookId === null ? memberIn(place) : null;
  return { type: 'MESSAGE_CREATE', message, member, ...listenersOf(place, message) };
}

async function insertRow(
  db: Transaction,
  { author, place, attachments, mentions, referenced, interaction, interactionUsers }: Draft,
  data: Prisma.MessageUncheckedCreateInput,
): Promise<MessageRecord> {
  const row = await db.message.create({
    data: attachments.length > 0 ? { ...data, attachments: { create: attachments } } : data,
  });
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

/**
 * Stores a message by which the platform says what somebody did to another one, within the transaction that did it.
 * @param about the other message
 */
export async function postNotice(
  call: CallContext,
  { db, record }: Pick<Write, 'db' | 'record'>,
  { author, place, kind, about }: Pick<Post, 'author' | 'place' | 'kind'> & { about: bigint },
): Promise<void> {
  const nothing = { files: [], attachments: [], interactionUsers: [], referenced: undefined, body: {} };
  const mentions = { users: [], roleIds: [], everyone: false };
  const draft: Draft = { ...nothing, mentions, id: call.nextId(), author, place, kind };
  const reference = { referenceId: about, referenceChannelId: place.channelId };
  record(created(place, await insertRow(db, draft, { ...messageRow(draft, null), ...reference })));
}

function messageRow(draft: Draft, nonceKey: string | null): Prisma.MessageUncheckedCreateInput {
  const { id, author, place, body, kind, mentions, referenced, visibleToId, applicationId, webhookId, interaction } =
    draft;
  return {
    id,
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

/** A nonce tells apart what everybody sees: nothing else may be shown to who sends it again. */
function enforcedNonceKey({ author, place, body, visibleToId }: Post): string | null {
  if (visibleToId !== undefined) return null;
  return body.enforceNonce && body.nonce ? `${author.id}:${place.channelId}:${body.nonce}` : null;
}

/** A piece of work that is done again makes its message once, also where the process ended in between. */
function nonceKeyOfWork({ workKey }: CallContext, { author, place }: Post): string | null {
  return workKey === null ? null : `work:${author.id}:${place.channelId}:${workKey}`;
}

/** The message that holds an enforced nonce; null when its window is over, and then the nonce is free again. */
async function earlierMessage(call: CallContext, place: Place, key: string): Promise<MessageRecord | null> {
  const [row] = await call.read.message.findMany({
    where: { enforcedNonceKey: key },
    include: { author: true, attachments: true },
  });
  if (row && call.clock.now() - snowflakeTime(row.id) < NONCE_WINDOW_MS) {
    const [message] = await completeMessages(call, place, [row]);
    return message ?? null;
  }
  if (row) await forgetNonce(call, row);
  return null;
}

async function forgetNonce(call: CallContext, { id }: Message): Promise<void> {
  await call.writeOne((db) => db.message.updateMany({ where: { id }, data: { enforcedNonceKey: null } }));
}
