import type { ChannelAccess, GuildChannelAccess } from '../channels/access.js';
import { DomainError } from '../errors.js';

/** @throws UNKNOWN_COMMAND in a direct channel */
export function requireServer(place: ChannelAccess): GuildChannelAccess {
  if (place.kind === 'guild') return place;
  throw new DomainError('UNKNOWN_COMMAND', 'This command is only available in servers.');
}
