import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { accessChannel } from '../guilds/access.js';
import { EVERYBODY, seenBy } from '../messages/visibility.js';
import { type ChannelDetails, WITH_OVERWRITES } from './record.js';

/**
 * A channel the caller can view.
 * @throws UNKNOWN_CHANNEL, MISSING_ACCESS
 */
export async function getChannel(call: CallContext, id: bigint): Promise<ChannelDetails> {
  const { channelId } = await accessChannel(call, id, 'viewChannel');
  const [channel, newest] = await Promise.all([
    call.read.channel.findUnique({ where: { id: channelId }, include: WITH_OVERWRITES }),
    call.read.message.findFirst({
      where: { channelId, ...seenBy(EVERYBODY) },
      orderBy: { id: 'desc' },
      select: { id: true },
    }),
  ]);
  if (!channel) throw new DomainError('UNKNOWN_CHANNEL');
  return { channel, lastMessageId: newest?.id ?? null };
}
