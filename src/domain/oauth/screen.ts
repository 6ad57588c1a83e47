import type { Application, User } from '../../infra/database/index.js';
import { type CallContext, requirePerson } from '../call.js';
import { findInstallable } from '../installations/access.js';
import { parsePermissions } from '../permissions.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { type InstallableGuild, listInstallableGuilds } from './installable-guilds.js';

export interface ConsentDetails {
  bot: User;
  maker: { kind: 'person' | 'team'; name: string };
  serverCount: number;
  /** Empty if the application does not install to servers. */
  guilds: InstallableGuild[];
}

/** @throws UNAUTHENTICATED */
export async function loadConsentDetails(call: CallContext, request: AuthorizationRequest): Promise<ConsentDetails> {
  requirePerson(call);
  const { id } = request.application;
  const [bot, maker, serverCount, guilds] = await Promise.all([
    call.read.user.findUniqueOrThrow({ where: { id } }),
    findMaker(call, request.application),
    call.read.installation.count({ where: { applicationId: id, guildId: { not: null } } }),
    request.targets.includes('SERVER') ? listInstallableGuilds(call) : [],
  ]);
  return { bot, maker, serverCount, guilds };
}

async function findMaker(
  { read }: CallContext,
  { ownerTeamId, ownerUserId }: Pick<Application, 'ownerTeamId' | 'ownerUserId'>,
): Promise<ConsentDetails['maker']> {
  if (ownerTeamId !== null) {
    const { name } = await read.team.findUniqueOrThrow({ where: { id: ownerTeamId }, select: { name: true } });
    return { kind: 'team', name };
  }
  const owner = ownerUserId && (await read.user.findUnique({ where: { id: ownerUserId }, select: { username: true } }));
  return { kind: 'person', name: owner ? owner.username : 'a deleted user' };
}

interface Named {
  id: bigint;
  name: string;
}

export interface MadeInstallation {
  application: Application;
  /** Null for a user installation. */
  guild: Named | null;
  permissions: bigint;
}

/**
 * Searches guilds and boxes of the caller or, without a guild, their own installations.
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION
 */
export async function findInstallation(
  call: CallContext,
  input: { applicationId: bigint; guildId: bigint | null },
): Promise<MadeInstallation | null> {
  const { user } = requirePerson(call);
  const { applicationId, guildId } = input;
  const application = await findInstallable(call, applicationId);
  const where = guildId === null ? { applicationId, userId: user.id } : { applicationId, guildId };
  const installation = await call.read.installation.findFirst({ where, select: { permissions: true } });
  if (installation === null) return null;
  const permissions = parsePermissions(installation.permissions);
  if (guildId === null) return { application, guild: null, permissions };
  const guild = await findOwnGuild(call, guildId, user.id);
  return guild && { application, guild, permissions };
}

async function findOwnGuild({ read }: CallContext, id: bigint, userId: bigint): Promise<Named | null> {
  const select = { id: true, name: true };
  const guild = await read.guild.findFirst({ where: { id, members: { some: { userId } } }, select });
  return guild ?? read.boxGuild.findFirst({ where: { id, box: { ownerId: userId } }, select });
}
