import type { Application, Prisma } from '../../infra/database/index.js';
import type { InstallationsThere } from '../applications/views.js';
import type { Installs } from './decide.js';
import type { IntegrationOwners } from './record.js';

export function ownersOf({ server, user }: Installs, guildId: bigint, userId: bigint): IntegrationOwners {
  return { ...(server ? { guildId } : {}), ...(user ? { userId } : {}) };
}

/** Null skips the guild or the person. */
export function installedFor(guildId: bigint | null, userId: bigint | null): Prisma.InstallationWhereInput {
  return { OR: [...(guildId === null ? [] : [{ guildId }]), ...(userId === null ? [] : [{ userId }])] };
}

/**
 * Any server installation counts, because the scope `bot` implies `applications.commands` (Discord's documentation,
 * OAuth2). A personal one counts while the application allows user installs.
 */
export function installsOf(
  { guild, person }: InstallationsThere,
  { userInstall }: Pick<Application, 'userInstall'>,
): Installs {
  return { server: guild, user: person && userInstall };
}
