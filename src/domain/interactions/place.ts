import type { Interaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import type { Place } from '../channels/place.js';
import { DomainError } from '../errors.js';
import { channelPermissions, holderAt } from '../permissions.js';

/**
 * The channel of an interaction as its application's place. The bot may do there what its roles say; where it is no member, what
 * everybody may.
 * @throws UNKNOWN_CHANNEL for one that is gone, GuildUnavailable
 */
export async function placeOfApplication(
  call: CallContext,
  { applicationId, guildId, channelId }: Pick<Interaction, 'applicationId' | 'guildId' | 'channelId'>,
): Promise<Place> {
  if (guildId === null) return directPlace(call, channelId);
  const [view, member] = await Promise.all([call.guilds.view(guildId), call.guilds.member(guildId, applicationId)]);
  const channel = view?.channels.get(channelId);
  if (!view || !channel) throw new DomainError('UNKNOWN_CHANNEL');
  const permissions = channelPermissions(view, channel, holderAt(call.clock.now(), applicationId, member));
  const { type, rateLimitPerUser } = channel;
  return { kind: 'guild', channelId, guildId, type, rateLimitPerUser, member, permissions };
}

async function directPlace(call: CallContext, channelId: bigint): Promise<Place> {
  const recipientIds = await call.recipients.of(channelId);
  if (recipientIds.length === 0) throw new DomainError('UNKNOWN_CHANNEL');
  return { kind: 'direct', channelId, recipientIds };
}
