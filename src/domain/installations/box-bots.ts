import type { Application, Installation, User } from '../../infra/database/index.js';
import { isMadeByBox } from '../../infra/ids.js';
import { inPieces } from '../../infra/turns.js';
import { BoxRefused } from '../boxes/door.js';
import type { CallContext, Write } from '../call.js';
import { GuildUnavailable } from '../guilds/home.js';
import { AskedBoxes, AskLater } from './asked-boxes.js';

/** A bot, and a guild on a box that it belongs to or does not. */
export interface BoxBot {
  guildId: bigint;
  botId: bigint;
  /** Whether it was never installed there as far as anybody knows: its box told of it, and tells of it again. */
  isStranger?: boolean | undefined;
}

/** How long after a box did not answer it is asked again about a bot, in milliseconds. */
export const ASK_AGAIN_MS = 60_000;

/** Guilds that are looked up with one query: SQLite takes 999 parameters. */
const GUILDS_PER_QUERY = 400;

/** Those of an application's installations that were removed and are on boxes: its bot loses the guilds, and the boxes are to let it go. */
export async function leaveBoxes(
  call: CallContext,
  write: Write,
  botId: bigint,
  removed: readonly Pick<Installation, 'guildId'>[],
): Promise<void> {
  const ids = removed.flatMap(({ guildId }) => (guildId !== null && isMadeByBox(guildId) ? [guildId] : []));
  for (const piece of inPieces(ids, GUILDS_PER_QUERY)) {
    const guilds = await write.db.boxGuild.findMany({ where: { id: { in: piece } }, select: { id: true } });
    for (const { id: guildId } of guilds) {
      write.record({ type: 'MEMBERSHIP_UPDATED', guildId, userId: botId });
      write.record({ type: 'GUILD_LEFT', guildId, userId: botId });
      await addSettlement(write, { guildId, botId }, call.clock.now());
    }
  }
}

/** Has a box keep of a bot what its installation says, once what is said now is committed. */
export function addSettlement(
  { addJob }: Pick<Write, 'addJob'>,
  { guildId, botId, isStranger }: BoxBot,
  dueAt: number,
): Promise<void> {
  const payload = { guildId: String(guildId), botId: String(botId), ...(isStranger && { isStranger }) };
  return addJob({ kind: 'settle-box-bot', key: `settle-box-bot ${guildId} ${botId}`, payload, dueAt });
}

/**
 * Has a box keep a bot that is installed there, with what it was granted, and let any other go. It is done after each change, for one bot and
 * guild never twice at a time: so that of several who install and uninstall at once the last to write is right. A box that is away is asked
 * again later to let a bot go, for as long as it has the guild; of a stranger it tells again when it is back. One that refuses is asked no more.
 * @param asked the boxes that other jobs ask
 */
export async function settleBoxBot(call: CallContext, bot: BoxBot, asked = new AskedBoxes()): Promise<void> {
  const { clock } = call;
  const route = await call.boxRoutes.ofGuild(bot.guildId);
  if (!route) return;
  const { boxId } = route;
  const installation = await findInstallation(call, bot);
  const settle = () => (installation ? keep(call, boxId, bot.guildId, installation) : letGo(call, boxId, bot));
  const again = (at: number) => call.write((write) => addSettlement(write, bot, at));
  try {
    await asked.ask(clock, boxId, settle);
  } catch (error) {
    if (error instanceof AskLater) return again(error.at);
    if (!(error instanceof GuildUnavailable)) throw error;
    if (!installation && !bot.isStranger) await again(clock.now() + ASK_AGAIN_MS);
  }
}

/** Has a box end a bot's membership. What the box refuses stays there. @throws GuildUnavailable while the box is away */
export async function letGo({ boxes }: CallContext, boxId: bigint, { guildId, botId }: BoxBot): Promise<void> {
  await unlessRefused(boxes.ask(boxId, 'remove_bot', { guild_id: String(guildId), bot_id: String(botId) }));
}

async function keep({ boxes }: CallContext, boxId: bigint, guildId: bigint, installation: Granted): Promise<void> {
  const { application, permissions } = installation;
  const wanted = { bot: application.bot, name: application.name, permissions };
  await unlessRefused(boxes.ask(boxId, 'install_bot', { guild_id: String(guildId), ...wanted }));
}

/** To ask again would change nothing, and the cloud's row says what it says (decisions 260). */
async function unlessRefused(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!(error instanceof BoxRefused)) throw error;
  }
}

type Granted = Installation & { application: Application & { bot: User } };

function findInstallation({ read }: CallContext, { guildId, botId: applicationId }: BoxBot): Promise<Granted | null> {
  return read.installation.findUnique({
    where: { applicationId_guildId: { applicationId, guildId } },
    include: { application: { include: { bot: true } } },
  });
}
