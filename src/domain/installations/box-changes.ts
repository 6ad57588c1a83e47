import { chunksOf, forEachYielding } from '../../infra/concurrency/event-loop.js';
import { BoxRefused } from '../boxes/client.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { GuildUnavailable } from '../guilds/store.js';
import { STRANGERS_PER_BOX } from '../limits.js';
import { AskedBoxes, AskLater } from './asked-boxes.js';
import { ASK_AGAIN_MS, addSettlement, type BoxBot, letGo } from './box-bots.js';
import { uninstallFromBox } from './uninstall.js';

/**
 * Removes the calling bot from a guild on a box. Asks the box first. If the box refuses, the installation still ends.
 * @throws MISSING_ACCESS if the bot is not installed, GuildUnavailable (nothing has changed)
 */
export async function leaveBoxGuild(call: CallContext, boxId: bigint, guildId: bigint, botId: bigint): Promise<void> {
  const where = { applicationId_guildId: { applicationId: botId, guildId } };
  const installation = await call.read.installation.findUnique({ where, select: { id: true } });
  if (!installation) throw new DomainError('MISSING_ACCESS');
  await letGo(call, boxId, { guildId, botId });
  await uninstallFromBox(call, botId, guildId);
}

/**
 * Removes an installation after its box reported that the bot left. Asks the box again first, because the bot may be
 * reinstalled. If the box is offline or refuses, the report counts. If it does not respond, a job retries.
 * @param asked shared with other jobs, if a job calls this
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

function addQuestion({ addJob }: Write, { guildId, botId }: BoxBot, dueAt: number): Promise<void> {
  const payload = { guildId: String(guildId), botId: String(botId) };
  return addJob({ kind: 'forget-box-bot', key: `forget-box-bot ${guildId} ${botId}`, payload, dueAt });
}

/** @throws GuildUnavailable if the box is connected but does not respond */
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
 * Milliseconds that a bot without an installation may stay on a box, because a box adds the bot before the installation
 * is stored.
 */
export const INSTALLING_MS = 20_000;

/** Maximum of jobs per announcement. Each may wait for the box. The next announcement schedules the rest. */
const STRANGERS_AT_ONCE = 100;

const STRANGERS_PER_TURN = 20;

/**
 * Repairs a guild on a box after a disconnection. Removes installations of bots that are no longer members. Schedules
 * the removal of bots without an installation, within a quota.
 * @param announced the cloud's bots that the box announced as members (docs/relay.md, R-32)
 * @returns the number of bots whose removal was not scheduled
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
  await forEachYielding(chunksOf(leaving, STRANGERS_PER_TURN), 1, (piece) =>
    call.write(async (write) => {
      for (const botId of piece) await addSettlement(write, { guildId, botId, isStranger: true }, dueAt);
    }),
  );
  return strangers.length - leaving.length;
}

async function allowed({ limits }: CallContext, boxId: bigint, strangers: readonly bigint[]): Promise<bigint[]> {
  const leaving: bigint[] = [];
  for (const botId of strangers) {
    if (!(await limits.take(STRANGERS_PER_BOX, String(boxId))).allowed) break;
    leaving.push(botId);
  }
  return leaving;
}

/** Publishes to installed bots that the guild is available again. */
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
