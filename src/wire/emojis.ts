import type { APIEmoji } from 'discord-api-types/v10';
import type { Emoji, User } from '../infra/database/index.js';
import { renderUser } from './users.js';

/** A partial emoji, as reactions show it. */
interface WirePartialEmoji {
  id: string | null;
  name: string;
  animated?: true;
}

/** A partial emoji from its stored key: the unicode text, or `name:id`, `a:name:id` where it moves, for any other. */
export function renderEmoji(key: string): WirePartialEmoji {
  const [, animated, name, id] = /^(a:)?([^:]+):(\d+)$/.exec(key) ?? [];
  if (id === undefined || name === undefined) return { id: null, name: key };
  return { id, name, ...(animated ? { animated: true as const } : {}) };
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
