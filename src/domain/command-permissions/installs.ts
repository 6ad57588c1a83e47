import type { Application, Prisma } from '../../infra/database/index.js';
import type { InstallationsThere } from '../applications/views.js';
import type { Installs } from './decide.js';
import type { IntegrationOwners } from './record.js';

export function ownersOf({ server, user }: Installs, guildId: bigint, userId: bigint): IntegrationOwners {
  return { ...(server ? { guildId } : {}), ...(user ? { userId } : {}) };
}

/** The installations to a guild and to a person; null for none to look for. */
export function installedFor(guildId: bigint | null, userId: bigint | null): Prisma.InstallationWhereInput {
  return { OR: [...(guildId === null ? [] : [{ guildId }]), ...(userId === null ? [] : [{ userId }])] };
}

/**
 * Which of an application's installations to a guild and a person let its commands run: any to a guild, since the scope `bot` brings
 * `applications.commands` along (Discord's documentation, OAuth2), and one to a person while the application installs to people.
 */
export function installsOf(
  { guild, person }: InstallationsThere,
  { userInstall }: Pick<Application, 'userInstall'>,
): Installs {
  return { server: guild, user: person && userInstall };
}
