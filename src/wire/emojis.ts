import type { APIEmoji } from 'discord-api-types/v10';
import type { Emoji, User } from '../infra/database/index.js';
import { renderUser } from './users.js';

/** A partial emoji from its stored key: the unicode text, or `name:id` for a guild's own. */
export function renderEmoji(key: string): { id: string | null; name: string } {
  const custom = /^([^:]+):(\d+)$/.exec(key);
  return custom ? { id: custom[2] as string, name: custom[1] as string } : { id: null, name: key };
}

/** What every emoji of a guild or an application is shown with. */
type WireEmoji = APIEmoji & { id: string; name: string; roles: string[] };

/**
 * An emoji of a guild or an application.
 * @param creator who made it, where whoever asks may know; left out otherwise
 */
export function renderGuildEmoji(emoji: Emoji, creator?: User): WireEmoji {
  return {
    id: String(emoji.id),
    name: emoji.name,
    roles: emoji.roleIds as string[],
    ...(creator ? { user: renderUser(creator) } : {}),
    require_colons: true,
    managed: false,
    animated: emoji.animated,
    available: true,
  };
}
