import type { ApplicationCommandType } from 'discord-api-types/v10';
import { forEachYielding } from '../../infra/concurrency/event-loop.js';
import type { Prisma } from '../../infra/database/index.js';
import { ACTIVE, installationsIn } from '../applications/views.js';
import { type CallContext, requirePerson } from '../call.js';
import type { DirectChannelAccess } from '../channels/access.js';
import { GLOBAL_SCOPE } from '../commands/record.js';
import { accessChannel } from '../guilds/access.js';
import { limits } from '../limits.js';
import { decideInDirect, decideRunnable, type Installs, type RunRequest } from './decide.js';
import { installsInDirect, isWithBot } from './direct.js';
import { loadGrants } from './grants.js';
import { installedFor, installsOf } from './installs.js';
import { standingIn } from './standing.js';

/** Yields to the event loop after this many. */
const COMMANDS_PER_TURN = 500;

const CANDIDATE = {
  id: true,
  applicationId: true,
  scopeId: true,
  name: true,
  nsfw: true,
  integrationTypes: true,
  contexts: true,
} satisfies Prisma.ApplicationCommandSelect;

type Candidate = RunRequest['command'] & { id: bigint; applicationId: bigint };

/**
 * Sorted by name, at most `limits.commandsShown`, in a constant number of statements. In a guild: commands of
 * applications installed to the guild or the caller. In a direct channel: global commands of its bot and of
 * applications installed to the caller.
 * @throws UNAUTHENTICATED, FORBIDDEN for a bot, and the errors of `accessChannel`
 */
export async function runnableCommandIds(
  call: CallContext,
  { channelId, type }: { channelId: bigint; type?: ApplicationCommandType | undefined },
): Promise<bigint[]> {
  const { id: userId } = requirePerson(call).user;
  const place = await accessChannel(call, channelId, 'viewChannel');
  if (place.kind === 'direct') return runnableInDirect(call, place, userId, type);
  const standing = await standingIn(call, place, userId);
  const installs = await installsFor(call, place.guildId, userId);
  const [candidates, grantsOf] = await Promise.all([
    candidatesOf(call, [GLOBAL_SCOPE, place.guildId], [...installs.keys()], type),
    loadGrants(call, { guildId: place.guildId, channelId, person: standing.person }),
  ]);
  const { hasBuiltIns } = call;
  const runnable: Candidate[] = [];
  await forEachYielding(candidates, COMMANDS_PER_TURN, (command) => {
    const { id, applicationId } = command;
    const ofApplication = installs.get(applicationId) ?? NOT_INSTALLED;
    const facts = { ...standing, command, installs: ofApplication, grants: grantsOf(id, applicationId), hasBuiltIns };
    if (decideRunnable(facts).allowed) runnable.push(command);
  });
  return shown(runnable);
}

function shown(runnable: Candidate[]): bigint[] {
  return runnable
    .sort(byName)
    .slice(0, limits.commandsShown)
    .map(({ id }) => id);
}

async function runnableInDirect(
  call: CallContext,
  place: DirectChannelAccess,
  userId: bigint,
  type: ApplicationCommandType | undefined,
): Promise<bigint[]> {
  const installs = await installsFor(call, null, userId);
  const bots = await call.read.application.findMany({
    where: { id: { in: [...place.recipientIds] }, deletedAt: null },
    select: { id: true, userInstall: true },
  });
  for (const bot of bots) installs.set(bot.id, await installsInDirect(call, place, bot, userId));
  const runnable: Candidate[] = [];
  const candidates = await candidatesOf(call, [GLOBAL_SCOPE], [...installs.keys()], type);
  await forEachYielding(candidates, COMMANDS_PER_TURN, (command) => {
    const { applicationId } = command;
    const facts = {
      installs: installs.get(applicationId) ?? NOT_INSTALLED,
      isWithBot: isWithBot(place, applicationId),
      hasBuiltIns: call.hasBuiltIns,
    };
    if (decideInDirect({ command, ...facts }).allowed) runnable.push(command);
  });
  return shown(runnable);
}

async function installsFor(call: CallContext, guildId: bigint | null, userId: bigint): Promise<Map<bigint, Installs>> {
  const rows = await call.read.installation.findMany({
    where: { ...installedFor(guildId, userId), application: ACTIVE },
    select: { applicationId: true, guildId: true, application: { select: { userInstall: true } } },
    orderBy: { id: 'asc' },
    take: limits.installationsConsidered,
  });
  const installs = new Map<bigint, Installs>();
  for (const { applicationId, application, ...row } of rows) {
    const { server, user } = installsOf(installationsIn([row]), application);
    const known = installs.get(applicationId) ?? NOT_INSTALLED;
    installs.set(applicationId, { server: known.server || server, user: known.user || user });
  }
  return installs;
}

const NOT_INSTALLED: Installs = { server: false, user: false };

async function candidatesOf(
  call: CallContext,
  scopeIds: bigint[],
  applicationIds: bigint[],
  type: ApplicationCommandType | undefined,
): Promise<Candidate[]> {
  const rows = await call.read.applicationCommand.findMany({
    where: { applicationId: { in: applicationIds }, scopeId: { in: scopeIds }, type },
    select: CANDIDATE,
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    take: limits.commandsConsidered,
  });
  // The command registry wrote the JSON columns.
  return rows as unknown as Candidate[];
}

/** Of two commands with one name, the older comes first. */
function byName(one: Candidate, other: Candidate): number {
  if (one.name !== other.name) return one.name < other.name ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
