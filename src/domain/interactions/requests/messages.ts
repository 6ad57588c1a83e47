import { type CallContext, requirePerson } from '../../call.js';
import { type ChannelAccess, permissionsIn } from '../../channels/access.js';
import { CHANNEL_OPERATIONS } from '../../guild-operations.js';
import { loadMessages, viewerOf } from '../../messages/load.js';
import type { MessageRecord } from '../../messages/record.js';
import { allows } from '../../permissions.js';

/** Marks the application's own reactions. Undefined if the caller cannot see the message. */
export async function findMessageFor(
  call: CallContext,
  { place, application }: { place: ChannelAccess; application: { id: bigint } },
  id: bigint,
): Promise<MessageRecord | undefined> {
  const message = await findVisibleMessage(call, place, id);
  return message && withReactionsOf(call, message, application.id);
}

/** An ephemeral message is visible to one user. Other messages need ReadMessageHistory. */
export async function findVisibleMessage(
  call: CallContext,
  place: ChannelAccess,
  id: bigint,
): Promise<MessageRecord | undefined> {
  const { user } = requirePerson(call);
  const [message] = await loadMessages(call, place, { id, viewer: viewerOf(call) });
  if (!message || message.visibleToId === user.id) return message;
  const isRead = message.visibleToId === null && allows(permissionsIn(place), CHANNEL_OPERATIONS.readMessageHistory);
  return isRead ? message : undefined;
}

/** Sets `me` of each reaction for this user. */
export async function withReactionsOf(
  call: CallContext,
  message: MessageRecord,
  userId: bigint,
): Promise<MessageRecord> {
  if (message.reactions.length === 0) return message;
  const where = { messageId: message.id, userId };
  const own = await call.read.reaction.findMany({ where, select: { emoji: true } });
  const emojis = new Set(own.map(({ emoji }) => emoji));
  return { ...message, reactions: message.reactions.map((one) => ({ ...one, me: emojis.has(one.emoji) })) };
}
