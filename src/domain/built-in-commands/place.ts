import type { GuildPlace, Place } from '../channels/place.js';
import { DomainError } from '../errors.js';

/** The place, where it is a server's. @throws UNKNOWN_COMMAND in a direct channel, where there is no such command */
export function requireServer(place: Place): GuildPlace {
  if (place.kind === 'guild') return place;
  throw new DomainError('UNKNOWN_COMMAND', 'This command works in servers only.');
}
