import type { CallContext } from '../call.js';
import { channelPermissions, holderAt } from '../permissions.js';
import type { GuildPlace, Place } from './place.js';

/**
 * Does not check access; use `accessChannel` for the caller. Reads from the cache if possible. A user who is not a
 * member gets the permissions of `@everyone`. Null if there is no such channel.
 * @throws GuildUnavailable
 */
export async function placeOf(call: CallContext, channelId: bigint, userId: bigint): Promise<Place | null> {
  const guildId = await call.guilds.guildOfChannel(channelId);
  if (guildId === undefined) return null;
  return guildId === null ? directPlace(call, channelId) : guildPlace(call, { guildId, channelId }, userId);
}

async function directPlace(call: CallContext, channelId: bigint): Promise<Place | null> {
  const recipientIds = await call.recipients.of(channelId);
  return recipientIds.length === 0 ? null : { kind: 'direct', channelId, recipientIds };
}

async function guildPlace(
  call: CallContext,
  { guildId, channelId }: Pick<GuildPlace, 'guildId' | 'channelId'>,
  userId: bigint,
): Promise<GuildPlace | null> {
  const [view, member] = await Promise.all([call.guilds.view(guildId), call.guilds.member(guildId, userId)]);
  const channel = view?.channels.get(channelId);
  if (!view || !channel) return null;
  const permissions = channelPermissions(view, channel, holderAt(call.clock.now(), userId, member));
  const { type, rateLimitPerUser } = channel;
  return { kind: 'guild', channelId, guildId, type, rateLimitPerUser, member, permissions };
}
