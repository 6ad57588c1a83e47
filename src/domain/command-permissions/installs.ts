import type { Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import type { Installs } from './decide.js';
import type { IntegrationOwners } from './record.js';

/**
 * The installations of an application that are there for somebody in a guild: what a component or a modal of its messages rests on.
 * @param guildId null for a direct channel
 */
export async function applicationOwners(
  call: CallContext,
  guildId: bigint | null,
  userId: bigint,
  applicationId: bigint,
): Promise<IntegrationOwners> {
  const rows = await call.read.installation.findMany({
    where: { applicationId, ...installedFor(guildId, userId) },
    select: DECIDING,
  });
  return ownersOf(installsOf(rows), guildId, userId);
}

export function ownersOf({ server, user }: Installs, guildId: bigint | null, userId: bigint): IntegrationOwners {
  return { ...(server && guildId !== null ? { guildId } : {}), ...(user ? { userId } : {}) };
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
