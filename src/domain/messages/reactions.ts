import { isMissingReference, isUniqueConflict } from '../../infra/database/faults.js';
import type { Reader, Transaction, User } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { asOf, type ChannelAccess, eventChannel, memberIn, permissionsIn, streamsOf } from '../channels/access.js';
import { usableEmoji } from '../emojis/usable.js';
import { DomainError, missingPermissions } from '../errors.js';
import type { DomainEvent } from '../events.js';
import { CHANNEL_OPERATIONS } from '../guild-operations.js';
import { accessChannel, requireTakingPart } from '../guilds/access.js';
import { limits } from '../limits.js';
import { allows } from '../permissions.js';
import { customKey, type NamedEmoji, namedEmoji } from './content/emoji.js';
import { findMessage } from './load.js';
import type { MessageKey } from './record.js';
import { managesMessages } from './rights.js';

export interface ReactionInput extends MessageKey {
  /** A unicode emoji, or `name:id` of a custom one. */
  emoji: string;
}

/**
 * The first reaction with an emoji needs AddReactions and the right to use the emoji. Later ones need neither, but are
 * refused during a timeout. A repeated reaction changes nothing.
 * @throws UNKNOWN_EMOJI, UNKNOWN_MESSAGE, TOO_MANY_REACTIONS, MISSING_PERMISSIONS and the errors of `accessChannel`
 */
export async function addReaction(call: CallContext, input: ReactionInput): Promise<void> {
  const { user } = requireUser(call);
  const named = namedEmoji(input.emoji);
  const place = await accessChannel(call, input.channelId, 'addReaction');
  requireTakingPart(call, place);
  const message = await findMessage(call, place, input.messageId);
  const known = await knownReaction(call.read, message.id, named);
  const keys: [string, ...string[]] = known ? [known.emoji] : await newKeys(call, place, named);
  if (known?.userId === user.id) return;
  const row = { messageId: message.id, userId: user.id, createdAt: new Date(call.clock.now()) };
  const eventOf = (emoji: string): DomainEvent => ({
    type: 'MESSAGE_REACTION_ADD',
    ...eventChannel(place),
    messageId: message.id,
    messageAuthorId: message.authorId,
    emoji,
    user,
    member: memberIn(place),
    ...asOf(place),
  });
  try {
    await call.write(
      async ({ db, record }) => {
        const emoji = await checkedKey(db, place, message.id, keys);
        await db.reaction.create({ data: { ...row, emoji } });
        record(eventOf(emoji));
      },
      { streams: streamsOf(eventChannel(place)) },
    );
  } catch (error) {
    if (isUniqueConflict(error)) return;
    throw isMissingReference(error) ? new DomainError('UNKNOWN_MESSAGE') : error;
  }
}

async function knownReaction({ reaction }: Pick<Reader, 'reaction'>, messageId: bigint, named: NamedEmoji) {
  const keys = 'keys' in named ? named.keys : [{ endsWith: `:${named.id}` }];
  for (const emoji of keys) {
    const known = await reaction.findFirst({
      where: { messageId, emoji },
      select: { userId: true, emoji: true },
    });
    if (known) return known;
  }
  return null;
}

/** The preferred key comes first. @throws UNKNOWN_EMOJI if the caller may not use the emoji in the channel */
async function newKeys(call: CallContext, place: ChannelAccess, named: NamedEmoji): Promise<[string, ...string[]]> {
  if ('keys' in named) return named.keys;
  const emoji = await usableEmoji(call, place, named.id);
  if (!emoji) throw new DomainError('UNKNOWN_EMOJI');
  return [customKey(emoji)];
}

/**
 * Prefers the key of an existing reaction.
 * @throws MISSING_PERMISSIONS, TOO_MANY_REACTIONS for an emoji new to the message
 */
async function checkedKey(
  db: Transaction,
  place: ChannelAccess,
  messageId: bigint,
  keys: [string, ...string[]],
): Promise<string> {
  const known = await knownReaction(db, messageId, { keys });
  if (known) return known.emoji;
  if (!allows(permissionsIn(place), CHANNEL_OPERATIONS.addNewEmoji)) throw missingPermissions();
  const kinds = await db.reaction.groupBy({ by: ['emoji'], where: { messageId } });
  if (kinds.length < limits.reactionsPerMessage) return keys[0];
  throw new DomainError('TOO_MANY_REACTIONS', `Maximum number of reactions reached (${limits.reactionsPerMessage})`);
}

/** @returns null if the message has no such reaction @throws UNKNOWN_EMOJI */
async function keyOn(call: CallContext, messageId: bigint, named: NamedEmoji): Promise<string | null> {
  const known = await knownReaction(call.read, messageId, named);
  if (known) return known.emoji;
  if ('keys' in named) return null;
  const emoji = await call.read.emoji.findUnique({ where: { id: named.id }, select: { id: true } });
  if (!emoji) throw new DomainError('UNKNOWN_EMOJI');
  return null;
}

/**
 * Removing another user's reaction needs ManageMessages. A missing reaction is ignored.
 * @throws UNKNOWN_EMOJI, UNKNOWN_MESSAGE, MISSING_PERMISSIONS and the errors of `accessChannel`
 */
export async function removeReaction(call: CallContext, input: ReactionInput & { userId?: bigint }): Promise<void> {
  const { user } = requireUser(call);
  const userId = input.userId ?? user.id;
  const named = namedEmoji(input.emoji);
  const place = await accessChannel(call, input.channelId, 'removeReaction');
  if (userId !== user.id && !managesMessages(place)) throw missingPermissions();
  const message = await findMessage(call, place, input.messageId);
  const emoji = await keyOn(call, message.id, named);
  if (emoji === null) return;
  const where = { ...eventChannel(place), messageId: message.id, emoji, userId };
  await call.writeOne((db) => db.reaction.deleteMany({ where: { messageId: message.id, emoji, userId } }), {
    streams: streamsOf(eventChannel(place)),
    event: ({ count }) => (count > 0 ? { type: 'MESSAGE_REACTION_REMOVE', ...where } : null),
  });
}

/** @throws UNKNOWN_EMOJI, UNKNOWN_MESSAGE and the errors of `accessChannel` */
export async function clearReactions(call: CallContext, input: MessageKey & { emoji?: string }): Promise<void> {
  const named = input.emoji === undefined ? undefined : namedEmoji(input.emoji);
  const place = await accessChannel(call, input.channelId, 'clearReactions');
  const message = await findMessage(call, place, input.messageId);
  const emoji = named && (await keyOn(call, message.id, named));
  if (emoji === null) return;
  const where = { ...eventChannel(place), messageId: message.id };
  const removed: DomainEvent =
    emoji === undefined
      ? { type: 'MESSAGE_REACTION_REMOVE_ALL', ...where }
      : { type: 'MESSAGE_REACTION_REMOVE_EMOJI', ...where, emoji };
  const those = { messageId: message.id, ...(emoji === undefined ? {} : { emoji }) };
  await call.writeOne((db) => db.reaction.deleteMany({ where: those }), {
    streams: streamsOf(eventChannel(place)),
    event: ({ count }) => (count === 0 ? null : removed),
  });
}

/**
 * Ordered by user id.
 * @param input.limit 1 to 100
 * @throws UNKNOWN_EMOJI, UNKNOWN_MESSAGE and the errors of `accessChannel`
 */
export async function listReactions(
  call: CallContext,
  input: ReactionInput & { after?: bigint | undefined; limit: number },
): Promise<User[]> {
  const named = namedEmoji(input.emoji);
  const place = await accessChannel(call, input.channelId, 'listReactions');
  const message = await findMessage(call, place, input.messageId);
  const emoji = await keyOn(call, message.id, named);
  if (emoji === null) return [];
  const reactions = await call.read.reaction.findMany({
    where: { messageId: message.id, emoji, ...(input.after === undefined ? {} : { userId: { gt: input.after } }) },
    orderBy: { userId: 'asc' },
    take: input.limit,
    include: { user: true },
  });
  return reactions.map((reaction) => reaction.user);
}
