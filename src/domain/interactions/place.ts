import type { Interaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { guildIdOf, type Place } from '../channels/place.js';
import { placeOf } from '../channels/place-of.js';
import { DomainError } from '../errors.js';

/**
 * The channel with the bot's permissions. A bot that is not a member has those of `@everyone`.
 * @throws UNKNOWN_CHANNEL if the channel was deleted, GuildUnavailable
 */
export async function placeOfApplication(
  call: CallContext,
  { applicationId, guildId, channelId }: Pick<Interaction, 'applicationId' | 'guildId' | 'channelId'>,
): Promise<Place> {
  const place = await placeOf(call, channelId, applicationId);
  if (!place || guildIdOf(place) !== guildId) throw new DomainError('UNKNOWN_CHANNEL');
  return place;
}
