import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { Permission } from '../../domain/permissions.js';
import type { User } from '../../infra/database/index.js';
import { renderUser } from '../users.js';
import type { EventRows } from './row.js';

const ofBan = {
  topic: 'guild',
  about: ({ guildId, user }: { guildId: bigint; user: User }) => ({ guildId, userId: user.id }),
  invalidates: [],
  audience: { intent: Intent.GuildModeration, anyInGuild: Permission.BanMembers | Permission.ViewAuditLog },
  render: ({ guildId, user }: { guildId: bigint; user: User }) => ({
    d: { guild_id: String(guildId), user: renderUser(user) },
  }),
} as const;

export const banEvents = { GUILD_BAN_ADD: ofBan, GUILD_BAN_REMOVE: ofBan } satisfies Partial<EventRows>;
