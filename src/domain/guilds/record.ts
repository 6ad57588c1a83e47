import type { Emoji, Guild, Prisma, Role } from '../../infra/database/index.js';

/** A guild as it is shown: with its roles and its emojis, both in ascending order. */
export type GuildRecord = Guild & { roles: Role[]; emojis: Emoji[] };

/** What is read along with a guild for a {@link GuildRecord}. */
export const WITH_ROLES_AND_EMOJIS = {
  roles: { orderBy: { position: 'asc' } },
  emojis: { orderBy: { id: 'asc' } },
} as const satisfies Prisma.GuildInclude;
