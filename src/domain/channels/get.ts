import type { User } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { accessChannel } from '../guilds/access.js';
import { type ChannelAccess, othersIn } from './access.js';
import { loadLastMessageId } from './last-messages.js';
import { type ChannelRecord, WITH_OVERWRITES } from './record.js';

export interface ChannelDetails {
  channel: ChannelRecord;
  /** Ignores ephemeral messages. */
  lastMessageId: bigint | null;
  /** Null for a guild channel. Excludes the caller. */
  recipients: User[] | null;
}

/** @throws UNKNOWN_CHANNEL, MISSING_ACCESS */
export async function getChannel(call: CallContext, id: bigint): Promise<ChannelDetails> {
  return loadChannel(call, await accessChannel(call, id, 'viewChannel'));
}

/**
 * The channel reappears with the next message or when opened again.
 * @throws UNKNOWN_CHANNEL also for a guild channel, MISSING_ACCESS
 */
export async function closeDirectChannel(call: CallContext, id: bigint): Promise<ChannelDetails> {
  const place = await accessChannel(call, id, 'viewChannel');
  if (place.kind !== 'direct') throw new DomainError('UNKNOWN_CHANNEL');
  const seat = { channelId: id, userId: requireUser(call).user.id };
  await call.writeOne((db) => db.channelRecipient.updateMany({ where: seat, data: { closedId: call.nextId() } }));
  return loadChannel(call, place);
}

/** @throws UNKNOWN_CHANNEL */
export async function loadChannel(call: CallContext, place: ChannelAccess): Promise<ChannelDetails> {
  const { channelId } = place;
  const [channel, lastMessageId, recipients] = await Promise.all([
    call.read.channel.findUnique({ where: { id: channelId }, include: WITH_OVERWRITES }),
    loadLastMessageId(call.read, channelId),
    findRecipients(call, place),
  ]);
  if (!channel) throw new DomainError('UNKNOWN_CHANNEL');
  return { channel, lastMessageId, recipients };
}

async function findRecipients(call: CallContext, place: ChannelAccess): Promise<User[] | null> {
  if (place.kind !== 'direct') return null;
  const { user } = requireUser(call);
  return call.read.user.findMany({ where: { id: { in: othersIn(place, user.id) } } });
}
