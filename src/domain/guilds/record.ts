import type { Emoji, Guild, Prisma, Role } from '../../infra/database/index.js';

export type GuildRecord = Guild & { roles: Role[]; emojis: Emoji[] };

export const WITH_ROLES_AND_EMOJIS = {
  roles: { orderBy: { position: 'asc' } },
  emojis: { orderBy: { id: 'asc' } },
} as const satisfies Prisma.GuildInclude;
