import { MessageType } from 'discord-api-types/v10';
import { isMissingReference, isUniqueConflict } from '../../infra/database/faults.js';
import type { Attachment, Message, Prisma, User } from '../../infra/database/index.js';
import { snowflakeTime } from '../../infra/ids.js';
import type { CallContext } from '../call.js';
import { guildIdOf, memberIn, type Place, recipientsOf } from '../channels/place.js';
import { DomainError, invalidInput } from '../errors.js';
import { type MessageReference, type NewMessage, requireContent } from './body.js';
import {
  checkNotes,
  discardAllFiles,
  keepFiles,
  type NewAttachment,
  type UploadedFile,
  unlessStored,
} from './files.js';
import { completeMessages, loadMessages } from './load.js';
import { type Mentions, mentionColumns, resolveMentions } from './mentions.js';
import type { MessageRecord } from './record.js';

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
}

/** The kinds of message in which somebody says something; the others say what happened by their kind alone. */
const SPOKEN: readonly MessageType[] = [
  MessageType.Default,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
];

/** How long an enforced nonce keeps a second message away, in milliseconds. */
const NONCE_WINDOW_MS = 5 * 60_000;

/**
 * Stores a message and tells of it: the one way by which a message comes to be. It checks what the message is made of, and
 * nobody's right to post it.
 * @returns the new message, or the author's earlier one in the channel when an enforced nonce repeats
 * @throws EMPTY_MESSAGE, UNKNOWN_CHANNEL when the channel goes away meanwhile, INVALID_INPUT (at `reference`, `attachments`),
 *   and what {@link keepFiles} throws
 */
export async function postMessage(call: CallContext, post: Post): Promise<MessageRecord> {
  const { place, body, files, kind } = post;
  const notes = body.attachments ?? [];
  checkNotes(files, notes);
  if (SPOKEN.includes(kind)) requireContent(body, files.length);
  const referenced = await findReferenced(call, place, body.reference);
  const mentions = await resolveMentions(body.content ?? '', body.allowedMentions, {
    read: call.read,
    place,
    repliedUser: referenced?.author ?? null,
    mentionedUsers: [],
  });
  const id = call.nextId();
  const key = { channelId: place.channelId, messageId: id };
  const attachments = await keepFiles(call, key, files, notes);
  const insert = () => insertMessage(call, { ...post, id, mentions, attachments, referenced });
  if (attachments.length === 0) return insert();
  const discard = () => discardAllFiles(call, key);
  const message = await unlessStored(insert, discard);
  if (message.id !== id) await discard();
  return message;
}

/** The message a reply answers: undefined for no reply, or for one whose target may be missing and is. */
async function findReferenced(
  call: CallContext,
  place: Place,
  reference: MessageReference | undefined,
): Promise<MessageRecord | undefined> {
  if (!reference) return undefined;
  const [target] = await loadMessages(call, place, { id: reference.messageId });
  if (target) return target;
  if (reference.failIfNotExists === false) return undefined;
  throw invalidInput({ path: 'reference', code: 'REPLIES_UNKNOWN_MESSAGE', message: 'Unknown message' });
}

/** A post whose references, mentions and files are known. */
interface Draft extends Post {
  id: bigint;
  mentions: Mentions;
  attachments: NewAttachment[];
  referenced: MessageRecord | undefined;
}

/** Stores the message, or finds the earlier one that holds its enforced nonce. */
async function insertMessage(call: CallContext, draft: Draft): Promise<MessageRecord> {
  const nonceKey = enforcedNonceKey(draft);
  for (;;) {
    try {
      return await insertOnce(call, draft, nonceKey);
    } catch (error) {
      if (isMissingReference(error)) throw new DomainError('UNKNOWN_CHANNEL');
      if (nonceKey === null || !isUniqueConflict(error)) throw error;
      const earlier = await earlierMessage(call, draft.place, nonceKey);
      if (earlier) return earlier;
    }
  }
}

function insertOnce(call: CallContext, draft: Draft, nonceKey: string | null): Promise<MessageRecord> {
  const { author, place, attachments, mentions, referenced } = draft;
  const data = messageRow(draft, nonceKey);
  return call.writeOne(
    async (db): Promise<MessageRecord> => {
      const row = await db.message.create({
        data: attachments.length > 0 ? { ...data, attachments: { create: attachments } } : data,
      });
      return {
        ...row,
        author,
        guildId: guildIdOf(place),
        attachments: attachments.map((attachment): Attachment => ({ ...attachment, messageId: row.id })),
        mentionedUsers: mentions.users,
        reactions: [],
        ...(referenced ? { referenced } : {}),
      };
    },
    (message) => ({ type: 'MESSAGE_CREATE', message, member: memberIn(place), ...recipientsOf(place) }),
  );
}

function messageRow(draft: Draft, nonceKey: string | null): Prisma.MessageUncheckedCreateInput {
  const { id, author, place, body, kind, mentions, referenced } = draft;
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
    ...(referenced ? { referenceId: referenced.id, referenceChannelId: referenced.channelId } : {}),
  };
}

function enforcedNonceKey({ author, place, body }: Post): string | null {
  return body.enforceNonce && body.nonce ? `${author.id}:${place.channelId}:${body.nonce}` : null;
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
