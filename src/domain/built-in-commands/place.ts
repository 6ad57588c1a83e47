import type { GuildPlace, Place } from '../channels/place.js';
import { DomainError } from '../errors.js';

/** @throws UNKNOWN_COMMAND in a direct channel */
export function requireServer(place: Place): GuildPlace {
  if (place.kind === 'guild') return place;
  throw new DomainError('UNKNOWN_COMMAND', 'This command is only available in servers.');
}
