import { topics } from '../../infra/streams/topics.js';
import type { CallContext } from '../call.js';
import { channelPermissions, holderAt } from '../permissions.js';
import type { ChannelAccess, GuildChannelAccess } from './access.js';

/**
 * Does not check access; `accessChannel` does. A user who is not a member gets the permissions of `@everyone`. Null if
 * there is no such channel.
 * @throws GuildUnavailable
 */
export async function loadChannelAccess(
  call: CallContext,
  channelId: bigint,
  userId: bigint,
): Promise<ChannelAccess | null> {
  const guildId = await call.guilds.guildOfChannel(channelId);
  if (guildId === undefined) return null;
  return guildId === null ? loadDirectAccess(call, channelId) : loadGuildAccess(call, { guildId, channelId }, userId);
}

async function loadDirectAccess(call: CallContext, channelId: bigint): Promise<ChannelAccess | null> {
  const recipientIds = await call.recipients.of(channelId);
  return recipientIds.length === 0 ? null : { kind: 'direct', channelId, recipientIds };
}

async function loadGuildAccess(
  call: CallContext,
  { guildId, channelId }: Pick<GuildChannelAccess, 'guildId' | 'channelId'>,
  userId: bigint,
): Promise<GuildChannelAccess | null> {
  const asOf = call.bus.heard(topics.guild(guildId)) ?? 0;
  const [view, member] = await Promise.all([call.guilds.view(guildId), call.guilds.member(guildId, userId)]);
  const channel = view?.channels.get(channelId);
  if (!view || !channel) return null;
  const permissions = channelPermissions(view, channel, holderAt(call.clock.now(), userId, member));
  const { type, rateLimitPerUser } = channel;
  return { kind: 'guild', channelId, guildId, type, rateLimitPerUser, member, permissions, asOf };
}
