import type { CallContext } from '../call.js';
import { type ChannelAccess, permissionsIn } from '../channels/access.js';
import { CHANNEL_OPERATIONS } from '../guild-operations.js';
import { accessChannel } from '../guilds/access.js';
import { allows } from '../permissions.js';
import { loadMessages } from './load.js';
import type { MessageRecord } from './record.js';
import { EVERYONE } from './visibility.js';

export interface ListMessagesInput {
  channelId: bigint;
  /** Set at most one of these three. Without any, the newest messages are returned. */
  before?: bigint | undefined;
  after?: bigint | undefined;
  around?: bigint | undefined;
  /** 1 to 100. */
  limit: number;
}

/**
 * Newest first, without ephemeral messages. Returns none without ReadMessageHistory.
 * @throws the errors of `accessChannel`
 */
export async function listMessages(call: CallContext, input: ListMessagesInput): Promise<MessageRecord[]> {
  const place = await accessChannel(call, input.channelId, 'listMessages');
  if (!allows(permissionsIn(place), CHANNEL_OPERATIONS.readMessageHistory)) return [];
  const { before, after, around, limit } = input;
  if (around !== undefined) return messagesAround(call, place, around, limit);
  if (after !== undefined && before === undefined) {
    return (
      await loadMessages(call, place, { viewer: EVERYONE, id: { gt: after }, order: 'asc', take: limit })
    ).reverse();
  }
  return loadMessages(call, place, {
    viewer: EVERYONE,
    ...(before === undefined ? {} : { id: { lt: before } }),
    order: 'desc',
    take: limit,
  });
}

async function messagesAround(
  call: CallContext,
  place: ChannelAccess,
  around: bigint,
  limit: number,
): Promise<MessageRecord[]> {
  const newerCount = Math.floor(limit / 2);
  const [newer, rest] = await Promise.all([
    loadMessages(call, place, { viewer: EVERYONE, id: { gt: around }, order: 'asc', take: Math.max(1, newerCount) }),
    loadMessages(call, place, { viewer: EVERYONE, id: { lte: around }, order: 'desc', take: limit - newerCount }),
  ]);
  return [...newer.reverse(), ...rest].slice(-limit);
}
