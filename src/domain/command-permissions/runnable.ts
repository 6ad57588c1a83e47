import { accessApplication } from '../applications/access.js';
import type { ApplicationWithBot, CommandView } from '../applications/views.js';
import { type CallContext, requirePerson } from '../call.js';
import type { ChannelAccess, DirectChannelAccess } from '../channels/access.js';
import { type CommandRecord, GLOBAL_SCOPE } from '../commands/record.js';
import { DomainError, invalidInput, missingPermissions } from '../errors.js';
import { accessChannel, accessGuild } from '../guilds/access.js';
import { decideInDirect, decideRunnable, type Runnability } from './decide.js';
import { installsInDirect, isWithBot, ownersInDirect } from './direct.js';
import { grantsIn } from './grants.js';
import { installsOf, ownersOf } from './installs.js';
import type { IntegrationOwners } from './record.js';
import { type Standing, standingIn } from './standing.js';

export interface RunnableCommand extends CommandView {
  place: ChannelAccess;
  owners: IntegrationOwners;
  ephemeralOnly: boolean;
}

interface CommandInChannel {
  channelId: bigint;
  commandId: bigint;
}

/**
 * @throws UNAUTHENTICATED, FORBIDDEN for a bot, the errors of `accessChannel`, UNKNOWN_COMMAND if the command does not
 * exist for the caller, INVALID_INPUT for a reserved name, MISSING_PERMISSIONS
 */
export async function findRunnableCommand(
  call: CallContext,
  { channelId, commandId }: CommandInChannel,
): Promise<RunnableCommand> {
  const { id: userId } = requirePerson(call).user;
  const place = await accessChannel(call, channelId, 'viewChannel');
  if (place.kind === 'direct') return findInDirect(call, place, commandId, userId);
  const found = await findCommand(call, commandId, place.guildId);
  const standing = await standingIn(call, place, userId);
  const verdict = await decideFor(call, found, standing, { withUserInstall: true });
  if (!verdict.allowed) throw refusalOf(verdict, found.command);
  const owners = ownersOf(verdict.through, place.guildId, userId);
  return { ...found, place, owners, ephemeralOnly: verdict.ephemeralOnly };
}

async function findInDirect(
  call: CallContext,
  place: DirectChannelAccess,
  commandId: bigint,
  userId: bigint,
): Promise<RunnableCommand> {
  const found = await findCommand(call, commandId, GLOBAL_SCOPE);
  const verdict = await decideDirectFor(call, found, place, userId);
  if (!verdict.allowed) throw refusalOf(verdict, found.command);
  return { ...found, place, owners: ownersInDirect(verdict.through, userId), ephemeralOnly: false };
}

async function decideDirectFor(
  call: CallContext,
  { command, application }: CommandView,
  place: DirectChannelAccess,
  userId: bigint,
): Promise<Runnability> {
  const installs = await installsInDirect(call, place, application, userId);
  return decideInDirect({
    command,
    installs,
    isWithBot: isWithBot(place, application.id),
    hasBuiltIns: call.hasBuiltIns,
  });
}

/**
 * For other users, the caller must manage the guild. Ignores their user installations, which are private.
 * @param input.userId the caller by default
 * @throws UNAUTHENTICATED, FORBIDDEN for a bot, MISSING_PERMISSIONS, the errors of `accessChannel`, and
 * UNKNOWN_COMMAND. The last one also hides a command that is not installed from callers without a role in its
 * application.
 */
export async function whyRunnable(
  call: CallContext,
  { channelId, commandId, ...input }: CommandInChannel & { userId?: bigint | undefined },
): Promise<Runnability> {
  const caller = requirePerson(call).user;
  const { userId = caller.id } = input;
  const place = await accessChannel(call, channelId, 'viewChannel');
  if (place.kind === 'direct') return whyInDirect(call, place, commandId, { userId, callerId: caller.id });
  if (userId !== caller.id) await accessGuild(call, place.guildId, 'manageCommandPermissions');
  const found = await findCommand(call, commandId, place.guildId);
  const standing = await standingIn(call, place, userId);
  const verdict = await decideFor(call, found, standing, { withUserInstall: userId === caller.id });
  if (verdict.rule === 'not-installed') await requireRole(call, found.application);
  return verdict;
}

/** In a direct channel, callers may ask only about themselves. */
async function whyInDirect(
  call: CallContext,
  place: DirectChannelAccess,
  commandId: bigint,
  { userId, callerId }: { userId: bigint; callerId: bigint },
): Promise<Runnability> {
  if (userId !== callerId) throw missingPermissions();
  const found = await findCommand(call, commandId, GLOBAL_SCOPE);
  const verdict = await decideDirectFor(call, found, place, userId);
  if (verdict.rule === 'not-installed') await requireRole(call, found.application);
  return verdict;
}

async function findCommand(call: CallContext, commandId: bigint, guildId: bigint): Promise<CommandView> {
  const found = await call.applications.command(commandId);
  const scopes: readonly bigint[] = [GLOBAL_SCOPE, guildId];
  if (!found || !scopes.includes(found.command.scopeId)) throw new DomainError('UNKNOWN_COMMAND');
  return found;
}

async function decideFor(
  call: CallContext,
  { command, application }: CommandView,
  standing: Standing,
  { withUserInstall }: { withUserInstall: boolean },
): Promise<Runnability> {
  const { guild, person } = standing;
  const [installed, permissions] = await Promise.all([
    call.applications.installations(application.id, guild.id, person.id),
    call.applications.permissions(application.id, guild.id, command.id),
  ]);
  const { server, user } = installsOf(installed, application);
  const installs = { server, user: user && withUserInstall };
  const grants = grantsIn(permissions, command);
  return decideRunnable({ ...standing, command, installs, grants, hasBuiltIns: call.hasBuiltIns });
}

function refusalOf({ rule, steps }: Runnability, { name }: CommandRecord): DomainError {
  switch (rule) {
    case 'not-installed':
      return new DomainError('UNKNOWN_COMMAND');
    case 'reserved-name':
      return invalidInput({
        path: 'commandId',
        code: 'APPLICATION_COMMAND_INVALID_NAME',
        message: `"${name}" is the name of a built-in command. Rename this command.`,
      });
    default:
      return missingPermissions(steps.at(-1));
  }
}

/** Rejects callers without a role in the application. */
async function requireRole(call: CallContext, { id }: ApplicationWithBot): Promise<void> {
  try {
    await accessApplication(call, id, 'view');
  } catch (error) {
    throw error instanceof DomainError ? new DomainError('UNKNOWN_COMMAND') : error;
  }
}
