import { accessApplication } from '../applications/access.js';
import type { ApplicationWithBot, CommandView } from '../applications/views.js';
import { type CallContext, requirePerson } from '../call.js';
import type { DirectPlace, Place } from '../channels/place.js';
import { type CommandRecord, GLOBAL_SCOPE } from '../commands/record.js';
import { DomainError, invalidInput, missingPermissions } from '../errors.js';
import { accessChannel, accessGuild } from '../guilds/access.js';
import { decideInDirect, decideRunnable, type Runnability } from './decide.js';
import { installsInDirect, isWithBot, ownersInDirect } from './direct.js';
import { grantsIn } from './grants.js';
import { installsOf, ownersOf } from './installs.js';
import type { IntegrationOwners } from './record.js';
import { type Standing, standingIn } from './standing.js';

/** A command that the caller may run in a channel. */
export interface RunnableCommand extends CommandView {
  /** The channel, as the caller stands in it. */
  place: Place;
  /** Whose installations it is run through. */
  owners: IntegrationOwners;
  /** Whether nobody but the caller may see the answers. */
  ephemeralOnly: boolean;
}

interface CommandInChannel {
  channelId: bigint;
  commandId: bigint;
}

/**
 * A command that the caller may run in a channel.
 * @throws UNAUTHENTICATED, FORBIDDEN for a bot, what `accessChannel` throws, UNKNOWN_COMMAND for one that is not there for the
 *   caller, INVALID_INPUT for one with the name of a built-in command, and MISSING_PERMISSIONS with the reason for one that the caller
 *   may not run
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
  place: DirectPlace,
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
  place: DirectPlace,
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
 * Whether somebody may run a command in a channel, and why. About others it is told to who manages the server; what somebody installed to
 * themselves is nobody else's business, and left out then.
 * @param input.userId the caller unless stated
 * @throws UNAUTHENTICATED, FORBIDDEN for a bot, MISSING_PERMISSIONS, what `accessChannel` throws, and UNKNOWN_COMMAND for one that
 *   is neither there nor of an application of the caller's
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

/** In a direct channel everybody asks for themselves. */
async function whyInDirect(
  call: CallContext,
  place: DirectPlace,
  commandId: bigint,
  { userId, callerId }: { userId: bigint; callerId: bigint },
): Promise<Runnability> {
  if (userId !== callerId) throw missingPermissions();
  const found = await findCommand(call, commandId, GLOBAL_SCOPE);
  const verdict = await decideDirectFor(call, found, place, userId);
  if (verdict.rule === 'not-installed') await requireRole(call, found.application);
  return verdict;
}

/** @throws UNKNOWN_COMMAND for one that is not there, or another guild's */
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
        message: `"${name}" is the name of a built-in command; rename it.`,
      });
    default:
      return missingPermissions(steps.at(-1));
  }
}

/** Somebody without a role in the application is not told of a command that is not installed. @throws UNKNOWN_COMMAND */
async function requireRole(call: CallContext, { id }: ApplicationWithBot): Promise<void> {
  try {
    await accessApplication(call, id, 'view');
  } catch (error) {
    throw error instanceof DomainError ? new DomainError('UNKNOWN_COMMAND') : error;
  }
}
