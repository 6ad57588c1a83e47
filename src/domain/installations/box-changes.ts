import { inPieces, inTurns } from '../../infra/turns.js';
import { BoxRefused } from '../boxes/door.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { GuildUnavailable } from '../guilds/home.js';
import { STRANGERS_PER_BOX } from '../limits.js';
import { AskedBoxes, AskLater } from './asked-boxes.js';
import { ASK_AGAIN_MS, addSettlement, type BoxBot, letGo } from './box-bots.js';
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
 * whether that is so still, since the bot may have been installed anew meanwhile; one that is away, or refuses, is believed. One that is there
 * and does not answer is asked again later.
 * @param asked the boxes that jobs ask, where it is a job
 */
export async function forgetBot(
  call: CallContext,
  guildId: bigint,
  botId: bigint,
  asked = new AskedBoxes(),
): Promise<void> {
  const { clock } = call;
  const route = await call.boxRoutes.ofGuild(guildId);
  if (!route) return;
  const { boxId } = route;
  const again = (at: number) => call.write((write) => addQuestion(write, { guildId, botId }, at));
  try {
    const isThere = await asked.ask(clock, boxId, () => isMember(call, boxId, { guildId, botId }));
    if (!isThere) await uninstallFromBox(call, botId, guildId);
  } catch (error) {
    if (error instanceof AskLater) return again(error.at);
    if (!(error instanceof GuildUnavailable)) throw error;
    await again(clock.now() + ASK_AGAIN_MS);
  }
}

/** Has a box asked later whether a bot is a member still. */
function addQuestion({ addJob }: Write, { guildId, botId }: BoxBot, dueAt: number): Promise<void> {
  const payload = { guildId: String(guildId), botId: String(botId) };
  return addJob({ kind: 'forget-box-bot', key: `forget-box-bot ${guildId} ${botId}`, payload, dueAt });
}

/** @throws GuildUnavailable where the box is there and does not answer */
async function isMember({ boxes }: CallContext, boxId: bigint, { guildId, botId }: BoxBot): Promise<boolean> {
  try {
    const member = await boxes.ask(boxId, 'member', { guild_id: String(guildId), user_id: String(botId) });
    return member !== null;
  } catch (error) {
    const isBelieved = error instanceof BoxRefused || (error instanceof GuildUnavailable && error.isAway);
    if (!isBelieved) throw error;
    return false;
  }
}

/**
 * How long a bot that is not installed may stay, in milliseconds: an installation that is under way asks the box first, and is written within this
 * time.
 */
export const INSTALLING_MS = 20_000;

/** Bots that are not installed and that one announcement has let go; the next one has the others. */
const STRANGERS_AT_ONCE = 100;

/** Of those, so many are noted in one transaction, before others have a turn. */
const STRANGERS_PER_TURN = 20;

/**
 * Makes up for what was missed while a box was away: in one of its guilds, installations whose bots are no members there any more go, and bots
 * that are not installed leave, a bounded number of them at a time.
 * @param announced those of the cloud's bots that the box announced there (docs/relay.md, R-32)
 * @returns how many that are not installed stay for now
 */
export async function reconcileBots(
  call: CallContext,
  boxId: bigint,
  guildId: bigint,
  announced: readonly bigint[],
): Promise<number> {
  const guild = await call.read.boxGuild.findFirst({ where: { id: guildId, boxId }, select: { id: true } });
  if (!guild) return 0;
  const installed = new Set(await installedBots(call, guildId));
  const there = new Set(announced);
  for (const botId of installed) if (!there.has(botId)) await forgetBot(call, guildId, botId);
  const strangers = [...there].filter((botId) => !installed.has(botId));
  const leaving = await allowed(call, boxId, strangers.slice(0, STRANGERS_AT_ONCE));
  const dueAt = call.clock.now() + INSTALLING_MS;
  await inTurns(inPieces(leaving, STRANGERS_PER_TURN), 1, (piece) =>
    call.write(async (write) => {
      for (const botId of piece) await addSettlement(write, { guildId, botId, isStranger: true }, dueAt);
    }),
  );
  return strangers.length - leaving.length;
}

/** As many of the strangers as a box may be made to let go by now. */
async function allowed({ limits }: CallContext, boxId: bigint, strangers: readonly bigint[]): Promise<bigint[]> {
  const leaving: bigint[] = [];
  for (const botId of strangers) {
    if (!(await limits.take(STRANGERS_PER_BOX, String(boxId))).allowed) break;
    leaving.push(botId);
  }
  return leaving;
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
