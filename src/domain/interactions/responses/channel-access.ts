import type { Interaction } from '../../../infra/database/index.js';
import type { CallContext } from '../../call.js';
import { type ChannelAccess, guildIdOf } from '../../channels/access.js';
import { loadChannelAccess } from '../../channels/load-access.js';
import { DomainError } from '../../errors.js';

/**
 * The channel with the bot's permissions. A bot that is not a member has those of `@everyone`.
 * @throws UNKNOWN_CHANNEL if the channel was deleted, GuildUnavailable
 */
export async function channelAccessOfApplication(
  call: CallContext,
  { applicationId, guildId, channelId }: Pick<Interaction, 'applicationId' | 'guildId' | 'channelId'>,
): Promise<ChannelAccess> {
  const place = await loadChannelAccess(call, channelId, applicationId);
  if (!place || guildIdOf(place) !== guildId) throw new DomainError('UNKNOWN_CHANNEL');
  return place;
}
