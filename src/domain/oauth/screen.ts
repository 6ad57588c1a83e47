import type { Application, Guild, User } from '../../infra/database/index.js';
import { nextTurn } from '../../infra/turns.js';
import { type CallContext, requirePerson } from '../call.js';
import { GUILD_OPERATIONS } from '../guild-operations.js';
import { findInstallable } from '../installations/access.js';
import { allows, parsePermissions } from '../permissions.js';
import { listOwnGuilds, type OwnGuild } from '../users/own.js';
import type { AuthorizationRequest } from './authorization-request.js';

/** How many guilds are read at a time. */
const PAGE = 200;

/** What the authorization screen shows beside the request itself. */
export interface ConsentFacts {
  bot: User;
  /** Where the caller may install the application to, by name; none when it does not install to servers. */
  guilds: OwnGuild[];
}

/** @throws UNAUTHENTICATED */
export async function loadConsentFacts(call: CallContext, request: AuthorizationRequest): Promise<ConsentFacts> {
  requirePerson(call);
  const [bot, guilds] = await Promise.all([
    call.read.user.findUniqueOrThrow({ where: { id: request.application.id } }),
    request.targets.includes('SERVER') ? listInstallableGuilds(call) : [],
  ]);
  return { bot, guilds };
}

/** The guilds where the caller has ManageGuild, by name. */
async function listInstallableGuilds(call: CallContext): Promise<OwnGuild[]> {
  const found: OwnGuild[] = [];
  for (let after: bigint | undefined; ; ) {
    await nextTurn();
    const page = await listOwnGuilds(call, { after, limit: PAGE, withCounts: false });
    found.push(...page.filter(({ permissions }) => allows(permissions, GUILD_OPERATIONS.installApplication)));
    after = page.at(-1)?.guild.id;
    if (page.length < PAGE) break;
  }
  return found.sort((a, b) => a.guild.name.localeCompare(b.guild.name));
}

export interface MadeInstallation {
  application: Application;
  /** Null for an installation to the caller. */
  guild: Guild | null;
  /** What its bot was given. */
  permissions: bigint;
}

/**
 * An installation in one of the caller's guilds or, without a guild, to the caller; null when there is none.
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
  const guild = await call.read.guild.findFirst({ where: { id: guildId, members: { some: { userId: user.id } } } });
  return guild && { application, guild, permissions };
}
