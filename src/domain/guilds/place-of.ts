import type { CallContext } from '../call.js';
import type { Place } from '../channels/place.js';
import { channelPermissions } from '../permissions.js';

/**
 * A channel as the place of somebody who does not call; null where there is no such channel. Who is no member may do there what everybody
 * may.
 * @throws GuildUnavailable
 */
export async function placeOf(call: CallContext, channelId: bigint, userId: bigint): Promise<Place | null> {
  const guildId = await call.guilds.guildOfChannel(channelId);
  if (guildId === undefined || guildId === null) return null;
  const [view, member] = await Promise.all([call.guilds.view(guildId), call.guilds.member(guildId, userId)]);
  const channel = view?.channels.get(channelId);
  if (!view || !channel) return null;
  const permissions = channelPermissions(view, channel.overwrites, userId, member?.roleIds ?? []);
  return { kind: 'guild', channelId, guildId, type: channel.type, member, permissions };
}
