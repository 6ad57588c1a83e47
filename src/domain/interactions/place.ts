import type { Interaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { guildIdOf, type Place } from '../channels/place.js';
import { placeOf } from '../channels/place-of.js';
import { DomainError } from '../errors.js';

/**
 * The channel of an interaction as its application's place. The bot may do there what its roles say; where it is no member, what
 * everybody may.
 * @throws UNKNOWN_CHANNEL for one that is gone, GuildUnavailable
 */
export async function placeOfApplication(
  call: CallContext,
  { applicationId, guildId, channelId }: Pick<Interaction, 'applicationId' | 'guildId' | 'channelId'>,
): Promise<Place> {
  const place = await placeOf(call, channelId, applicationId);
  if (!place || guildIdOf(place) !== guildId) throw new DomainError('UNKNOWN_CHANNEL');
  return place;
}
