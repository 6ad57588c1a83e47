import type { Application, Installation, Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { storedScopes } from '../installations/scopes.js';
import type { Installs } from './decide.js';

/** Whose installations an interaction rests on, as its `authorizing_integration_owners` tells. */
export interface IntegrationOwners {
  guildId?: bigint;
  userId?: bigint;
}

/**
 * The installations of an application that are there for somebody in a guild, whatever their scopes: what a component or a modal of its
 * messages rests on. An installation to a person counts while the application installs to people.
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
    select: { userId: true, application: { select: { userInstall: true } } },
  });
  return ownersOf(
    {
      server: rows.some((row) => row.userId === null),
      user: rows.some((row) => row.userId !== null && row.application.userInstall),
    },
    guildId,
    userId,
  );
}

export function ownersOf({ server, user }: Installs, guildId: bigint | null, userId: bigint): IntegrationOwners {
  return { ...(server && guildId !== null ? { guildId } : {}), ...(user ? { userId } : {}) };
}

/** The installations to a guild and to a person. */
export function installedFor(guildId: bigint | null, userId: bigint | null): Prisma.InstallationWhereInput {
  return { OR: [...(guildId === null ? [] : [{ guildId }]), ...(userId === null ? [] : [{ userId }])] };
}

/** An installation with what decides whether it counts. */
type InstallFacts = Pick<Installation, 'guildId' | 'scopes'> & { application: Pick<Application, 'userInstall'> };

/** Which of an application's installations to a guild and a person let its commands run. */
export function installsOf(installations: readonly InstallFacts[]): Installs {
  const withCommands = installations.filter(({ scopes }) => storedScopes(scopes).includes('applications.commands'));
  return {
    server: withCommands.some(({ guildId }) => guildId !== null),
    user: withCommands.some(({ guildId, application }) => guildId === null && application.userInstall),
  };
}
