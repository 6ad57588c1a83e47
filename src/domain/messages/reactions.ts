import { isMissingReference, isUniqueConflict } from '../../infra/database/faults.js';
import type { Reaction, Transaction, User } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { eventPlace, memberIn, type Place, permissionsIn } from '../channels/place.js';
import { DomainError, missingPermissions } from '../errors.js';
import type { DomainEvent } from '../events.js';
import { CHANNEL_OPERATIONS } from '../guild-operations.js';
import { accessChannel } from '../guilds/access.js';
import { limits } from '../limits.js';
import { allows } from '../permissions.js';
import { emojiKey } from './emoji.js';
import { findMessage } from './load.js';
import type { MessageKey } from './record.js';
import { managesMessages } from './rights.js';

export interface ReactionInput extends MessageKey {
  /** A unicode emoji. */
  emoji: string;
}

/**
 * Reacts to a message. The first reaction with an emoji needs AddReactions; joining one does not. Reacting twice is one
 * reaction.
 * @throws UNKNOWN_EMOJI, UNKNOWN_MESSAGE, TOO_MANY_REACTIONS, MISSING_PERMISSIONS and what `accessChannel` throws
 */
export async function addReaction(call: CallContext, input: ReactionInput): Promise<void> {
  const { user } = requireUser(call);
  const emoji = emojiKey(input.emoji);
  const place = await accessChannel(call, input.channelId, 'addReaction');
  const message = await findMessage(call, place, input.messageId);
  const row: Reaction = { messageId: message.id, emoji, userId: user.id, createdAt: new Date(call.clock.now()) };
  const event: DomainEvent = {
    type: 'MESSAGE_REACTION_ADD',
    ...eventPlace(place),
    messageId: message.id,
    messageAuthorId: message.authorId,
    emoji,
    user,
    member: memberIn(place),
  };
  const known = await call.read.reaction.findFirst({
    where: { messageId: message.id, emoji },
    select: { userId: true },
  });
  if (known?.userId === user.id) return;
  try {
    if (known && (await joinReaction(call, row, known.userId, event))) return;
    await call.write(
      async ({ db, record }) => {
        await checkEmoji(db, place, message.id, emoji);
        await db.reaction.create({ data: row });
        record(event);
      },
      { serializable: true },
    );
  } catch (error) {
    if (isUniqueConflict(error)) return;
    throw isMissingReference(error) ? new DomainError('UNKNOWN_MESSAGE') : error;
  }
}

/** Adds a reaction beside another with the same emoji, which stays until then. False, and nothing is done, when it is gone. */
function joinReaction(call: CallContext, row: Reaction, knownUserId: bigint, event: DomainEvent): Promise<boolean> {
  const { messageId, emoji, userId } = row;
  return call.write(async ({ db, record }) => {
    await db.reaction.create({ data: row });
    // Changes nothing, but nobody else can remove the row before this transaction ends.
    const { count } = await db.reaction.updateMany({
      where: { messageId, emoji, userId: knownUserId },
      data: { emoji },
    });
    if (count > 0) record(event);
    else await db.reaction.delete({ where: { messageId_emoji_userId: { messageId, emoji, userId } } });
    return count > 0;
  });
}

/** @throws MISSING_PERMISSIONS, TOO_MANY_REACTIONS for an emoji that would be new to the message */
async function checkEmoji(db: Transaction, place: Place, messageId: bigint, emoji: string): Promise<void> {
  const kinds = await db.reaction.groupBy({ by: ['emoji'], where: { messageId } });
  if (kinds.some((kind) => kind.emoji === emoji)) return;
  if (!allows(permissionsIn(place), CHANNEL_OPERATIONS.addNewEmoji)) throw missingPermissions();
  if (kinds.length < limits.reactionsPerMessage) return;
  throw new DomainError('TOO_MANY_REACTIONS', `Maximum number of reactions reached (${limits.reactionsPerMessage})`);
}

/**
 * Takes a reaction back: the caller's own, or for somebody who manages messages anyone's. Taking back what is not there
 * is no error.
 * @throws UNKNOWN_EMOJI, UNKNOWN_MESSAGE, MISSING_PERMISSIONS and what `accessChannel` throws
 */
export async function removeReaction(call: CallContext, input: ReactionInput & { userId?: bigint }): Promise<void> {
  const { user } = requireUser(call);
  const userId = input.userId ?? user.id;
  const emoji = emojiKey(input.emoji);
  const place = await accessChannel(call, input.channelId, 'removeReaction');
  if (userId !== user.id && !managesMessages(place)) throw missingPermissions();
  const message = await findMessage(call, place, input.messageId);
  await call.writeOne(
    (db) => db.reaction.deleteMany({ where: { messageId: message.id, emoji, userId } }),
    ({ count }) =>
      count === 0
        ? null
        : { type: 'MESSAGE_REACTION_REMOVE', ...eventPlace(place), messageId: message.id, emoji, userId },
  );
}

/**
 * Removes all reactions of a message, or all with one emoji. Needs ManageMessages.
 * @throws UNKNOWN_EMOJI, UNKNOWN_MESSAGE and what `accessChannel` throws
 */
export async function clearReactions(call: CallContext, input: MessageKey & { emoji?: string }): Promise<void> {
  const emoji = input.emoji === undefined ? undefined : emojiKey(input.emoji);
  const place = await accessChannel(call, input.channelId, 'clearReactions');
  const message = await findMessage(call, place, input.messageId);
  const where = { ...eventPlace(place), messageId: message.id };
  await call.writeOne(
    (db) => db.reaction.deleteMany({ where: { messageId: message.id, ...(emoji === undefined ? {} : { emoji }) } }),
    ({ count }) => {
      if (count === 0) return null;
      return emoji === undefined
        ? { type: 'MESSAGE_REACTION_REMOVE_ALL', ...where }
        : { type: 'MESSAGE_REACTION_REMOVE_EMOJI', ...where, emoji };
    },
  );
}

/**
 * Who reacted with an emoji, in ascending id order.
 * @param input.limit 1 to 100
 * @throws UNKNOWN_EMOJI, UNKNOWN_MESSAGE and what `accessChannel` throws
 */
export async function listReactions(
  call: CallContext,
  input: ReactionInput & { after?: bigint | undefined; limit: number },
): Promise<User[]> {
  const emoji = emojiKey(input.emoji);
  const place = await accessChannel(call, input.channelId, 'listReactions');
  const message = await findMessage(call, place, input.messageId);
  const reactions = await call.read.reaction.findMany({
    where: { messageId: message.id, emoji, ...(input.after === undefined ? {} : { userId: { gt: input.after } }) },
    orderBy: { userId: 'asc' },
    take: input.limit,
    include: { user: true },
  });
  return reactions.map((reaction) => reaction.user);
}
