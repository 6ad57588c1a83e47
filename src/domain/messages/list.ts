import type { CallContext } from '../call.js';
import { CHANNEL_OPERATIONS } from '../guild-operations.js';
import { accessChannel } from '../guilds/access.js';
import { allows } from '../permissions.js';
import type { MessageInput } from './delete.js';
import { loadMessage, loadMessages } from './load.js';
import type { MessageRecord } from './record.js';

export interface ListMessagesInput {
  channelId: bigint;
  /** At most one of the three; without any, the newest. */
  before?: bigint | undefined;
  after?: bigint | undefined;
  around?: bigint | undefined;
  /** 1 to 100. */
  limit: number;
}

/**
 * A page of a channel's messages, newest first. Somebody who may see the channel but not its history gets none.
 * @throws what `accessChannel` throws
 */
export async function listMessages(call: CallContext, input: ListMessagesInput): Promise<MessageRecord[]> {
  const { guildId, channelId, permissions } = await accessChannel(call, input.channelId, 'listMessages');
  if (!allows(permissions, CHANNEL_OPERATIONS.readMessageHistory)) return [];
  const { before, after, around, limit } = input;
  if (around !== undefined) return messagesAround(call, guildId, channelId, around, limit);
  if (after !== undefined && before === undefined) {
    const where = { channelId, id: { gt: after } };
    return (await loadMessages(call, guildId, { where, orderBy: { id: 'asc' }, take: limit })).reverse();
  }
  const where = { channelId, ...(before === undefined ? {} : { id: { lt: before } }) };
  return loadMessages(call, guildId, { where, orderBy: { id: 'desc' }, take: limit });
}

async function messagesAround(
  call: CallContext,
  guildId: bigint,
  channelId: bigint,
  around: bigint,
  limit: number,
): Promise<MessageRecord[]> {
  const newerCount = Math.floor(limit / 2);
  const [newer, rest] = await Promise.all([
    loadMessages(call, guildId, {
      where: { channelId, id: { gt: around } },
      orderBy: { id: 'asc' },
      take: Math.max(1, newerCount),
    }),
    loadMessages(call, guildId, {
      where: { channelId, id: { lte: around } },
      orderBy: { id: 'desc' },
      take: limit - newerCount,
    }),
  ]);
  return [...newer.reverse(), ...rest].slice(-limit);
}

/**
 * One message.
 * @throws UNKNOWN_MESSAGE and what `accessChannel` throws
 */
export async function getMessage(call: CallContext, input: MessageInput): Promise<MessageRecord> {
  const { guildId, channelId } = await accessChannel(call, input.channelId, 'readMessageHistory');
  return loadMessage(call, guildId, channelId, input.messageId);
}
