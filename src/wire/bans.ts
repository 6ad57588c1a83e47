import type { APIBan } from 'discord-api-types/v10';
import type { BanRecord } from '../domain/bans/index.js';
import { renderUser } from './users.js';

export function renderBan({ user, reason }: BanRecord): APIBan {
  return { user: renderUser(user), reason };
}
