import { isMadeByBox } from '../../infra/ids.js';
import { inTurns } from '../../infra/turns.js';
import { BoxRefused } from '../boxes/door.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { GuildUnavailable } from '../guilds/home.js';
import { addSettlement, letGo } from './box-bots.js';
import { uninstallFromBox } from './uninstall.js';

/**
 * The calling bot leaves a guild on a box, which is asked first, and whose refusal keeps no bot there.
 * @throws MISSING_ACCESS where it is not installed, GuildUnavailable while the box is away: then nothing has changed
 */
export async function leaveBoxGuild(call: CallContext, boxId: bigint, guildId: bigint, botId: bigint): Promise<void> {
  const where = { applicationId_guildId: { applicationId: botId, guildId } };
  const installation = await call.read.installation.findUnique({ where, select: { id: true } });
  if (!installation) throw new DomainError('MISSING_ACCESS');
  await letGo(call, boxId, { guildId, botId });
  await uninstallFromBox(call, botId, guildId);
}

/**
 * A box says that a bot is no member of one of its guilds any more: its installation goes, as with a kick in the cloud. The box is asked
 * whether that is so still, since the bot may have been installed anew meanwhile; one that is away, or refuses, is believed.
 */
export async function forgetBot(call: CallContext, guildId: bigint, botId: bigint): Promise<void> {
  const route = await call.boxRoutes.ofGuild(guildId);
  if (route && !(await isMember(call, route.boxId, guildId, botId))) await uninstallFromBox(call, botId, guildId);
}

async function isMember(call: CallContext, boxId: bigint, guildId: bigint, botId: bigint): Promise<boolean> {
  try {
    const member = await call.boxes.ask(boxId, 'member', { guild_id: String(guildId), user_id: String(botId) });
    return member !== null;
  } catch (error) {
    if (!(error instanceof GuildUnavailable || error instanceof BoxRefused)) throw error;
    return false;
  }
}

/**
 * How long a bot that is not installed may stay, in milliseconds: an installation that is under way asks the box first, and is written within this
 * time.
 */
const STRANGER_MS = 20_000;

/** Guilds that are compared before others have a turn. */
const GUILDS_PER_TURN = 10;

/**
 * Makes up for what was missed while a box was away: installations whose bots are no members there any more go, and bots that are not
 * installed leave. Bots of the box's own are nobody's business here.
 * @param announced the bots of each of the box's guilds, as it announced them (docs/relay.md, R-32)
 */
export async function reconcileBots(
  call: CallContext,
  boxId: bigint,
  announced: ReadonlyMap<bigint, readonly bigint[]>,
): Promise<void> {
  const guilds = await call.read.boxGuild.findMany({ where: { boxId }, select: { id: true } });
  await inTurns(guilds, GUILDS_PER_TURN, async ({ id }) => {
    const bots = announced.get(id);
    if (bots) await reconcileGuild(call, id, bots);
  });
}

async function reconcileGuild(call: CallContext, guildId: bigint, announced: readonly bigint[]): Promise<void> {
  const installed = new Set(await installedBots(call, guildId));
  const there = new Set(announced.filter((botId) => !isMadeByBox(botId)));
  for (const botId of installed) if (!there.has(botId)) await forgetBot(call, guildId, botId);
  const strangers = [...there].filter((botId) => !installed.has(botId));
  if (strangers.length === 0) return;
  await call.write(async (write) => {
    for (const botId of strangers) await addSettlement(write, { guildId, botId }, call.clock.now() + STRANGER_MS);
  });
}

/** Tells the bots that are installed in a guild on a box that it can be reached again: their sessions are shown it anew. */
export async function readmitBots(call: CallContext, guildId: bigint): Promise<void> {
  for (const userId of await installedBots(call, guildId)) {
    call.announce({ type: 'MEMBERSHIP_UPDATED', guildId, userId });
    call.announce({ type: 'GUILD_JOINED', guildId, userId });
  }
}

async function installedBots({ read }: CallContext, guildId: bigint): Promise<bigint[]> {
  const rows = await read.installation.findMany({ where: { guildId }, select: { applicationId: true } });
  return rows.map(({ applicationId }) => applicationId);
}
