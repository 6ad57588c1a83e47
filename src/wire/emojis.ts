import type { APIEmoji } from 'discord-api-types/v10';
import type { Emoji, User } from '../infra/database/index.js';
import { renderUser } from './users.js';

interface WirePartialEmoji {
  id: string | null;
  name: string;
  animated?: true;
}

/** @param key unicode text or `name:id`, or `a:name:id` if animated */
export function renderEmoji(key: string): WirePartialEmoji {
  const [, animated, name, id] = /^(a:)?([^:]+):(\d+)$/.exec(key) ?? [];
  if (id === undefined || name === undefined) return { id: null, name: key };
  return { id, name, ...(animated ? { animated: true as const } : {}) };
}

type WireEmoji = APIEmoji & { id: string; name: string; roles: string[] };

/** @param creator only if the caller may see it */
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
