import { drainInBatches } from '../../infra/concurrency/event-loop.js';
import { topics } from '../../infra/streams/topics.js';
import { REMOVED_MESSAGE, type RemovedMessage, removeMessagesIn } from '../bans/messages.js';
import type { CallContext, Write } from '../call.js';
import { discardAllFiles } from '../messages/files/files.js';

/** Blocks other SQLite writers for a few milliseconds. */
const PIECE = 100;

/** Removes a person's messages with their files. Idempotent. @throws `signal.reason` when aborted */
export async function removeMessagesOf(call: CallContext, authorId: bigint, signal: AbortSignal): Promise<void> {
  await drainInBatches(signal, async () => {
    const piece = await call.read.message.findMany({
      where: { authorId },
      select: REMOVED_MESSAGE,
      orderBy: { id: 'asc' },
      take: PIECE,
    });
    const guildIds = new Set(piece.map(({ channel }) => channel.guildId));
    for (const guildId of guildIds) {
      const messages = piece.filter(({ channel }) => channel.guildId === guildId);
      if (guildId === null) await removeDirect(call, messages);
      else await removeMessagesIn(call, guildId, messages);
    }
    return piece.length === PIECE;
  });
}

/** Also of a deleted channel, which has neither guild nor recipients. Discord has no bulk event for direct channels. */
async function removeDirect(call: CallContext, messages: readonly RemovedMessage[]): Promise<void> {
  for (const { id, channelId, attachments } of messages) {
    const recipientIds = await call.recipients.of(channelId);
    const remove = async ({ db, record }: Write) => {
      await db.message.deleteMany({ where: { id } });
      record({ type: 'MESSAGE_DELETE', guildId: null, channelId, recipientIds, messageId: id });
    };
    await call.write(remove, { streams: recipientIds.map(topics.user) });
    await discardAllFiles(call, channelId, attachments);
  }
}

/** Removes a person's reactions. Idempotent. @throws `signal.reason` when aborted */
export async function removeReactionsOf(call: CallContext, userId: bigint, signal: AbortSignal): Promise<void> {
  await drainInBatches(signal, async () => {
    const piece = await call.read.reaction.findMany({
      where: { userId },
      select: { messageId: true, emoji: true, message: { select: { channelId: true, channel: true } } },
      take: PIECE,
    });
    for (const { messageId, emoji, message } of piece) {
      const { channelId, channel } = message;
      const { guildId } = channel;
      const recipientIds = guildId === null ? await call.recipients.of(channelId) : [];
      await call.writeOne((db) => db.reaction.deleteMany({ where: { messageId, emoji, userId } }), {
        streams: guildId === null ? recipientIds.map(topics.user) : [topics.guild(guildId)],
        event: () => ({
          type: 'MESSAGE_REACTION_REMOVE',
          guildId,
          channelId,
          messageId,
          emoji,
          userId,
          ...(guildId === null ? { recipientIds } : {}),
        }),
      });
    }
    return piece.length === PIECE;
  });
}

/** Removes ephemeral messages that only this person saw. Idempotent. @throws `signal.reason` when aborted */
export async function removeEphemeralFor(call: CallContext, visibleToId: bigint, signal: AbortSignal): Promise<void> {
  await drainInBatches(signal, async () => {
    const select = { id: true, channelId: true, attachments: REMOVED_MESSAGE.attachments };
    const piece = await call.read.message.findMany({ where: { visibleToId }, select, take: PIECE });
    await call.writeOne((db) => db.message.deleteMany({ where: { id: { in: piece.map(({ id }) => id) } } }));
    for (const { channelId, attachments } of piece) await discardAllFiles(call, channelId, attachments);
    return piece.length === PIECE;
  });
}
