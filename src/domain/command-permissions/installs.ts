import type { Prisma } from '../../infra/database/index.js';
import type { Installs } from './decide.js';
import type { IntegrationOwners } from './record.js';

export function ownersOf({ server, user }: Installs, guildId: bigint, userId: bigint): IntegrationOwners {
  return { ...(server ? { guildId } : {}), ...(user ? { userId } : {}) };
}

/** The installations to a guild and to a person; null for none to look for. */
export function installedFor(guildId: bigint | null, userId: bigint | null): Prisma.InstallationWhereInput {
  return { OR: [...(guildId === null ? [] : [{ guildId }]), ...(userId === null ? [] : [{ userId }])] };
}

/** What of an installation says whether it counts. */
export const DECIDING = {
  guildId: true,
  application: { select: { userInstall: true } },
} satisfies Prisma.InstallationSelect;

/**
 * Which of an application's installations to a guild and a person let its commands run: any to a guild, since the scope `bot` brings
 * `applications.commands` along (Discord's documentation, OAuth2), and one to a person while the application installs to people.
 */
export function installsOf(rows: readonly Prisma.InstallationGetPayload<{ select: typeof DECIDING }>[]): Installs {
  return {
    server: rows.some(({ guildId }) => guildId !== null),
    user: rows.some(({ guildId, application }) => guildId === null && application.userInstall),
  };
}
