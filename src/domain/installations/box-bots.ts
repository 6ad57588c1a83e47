import type { Application, Installation, User } from '../../infra/database/index.js';
import { isMadeByBox } from '../../infra/ids/ids.js';
import { BoxRefused } from '../boxes/client.js';
import type { CallContext, Write } from '../call.js';
import { GuildUnavailable } from '../guilds/store.js';
import { AskedBoxes, AskLater } from './asked-boxes.js';

export interface BoxBot {
  guildId: bigint;
  botId: bigint;
  /** The box reported a bot without an installation. It repeats the report whenever it reconnects. */
  isStranger?: boolean | undefined;
}

/** Retry delay after a box was unavailable, in milliseconds. */
export const ASK_AGAIN_MS = 60_000;

/** Publishes that the bot lost a guild on a box, and schedules its removal there. Ignores other guilds. */
export async function leaveBox(call: CallContext, write: Write, bot: BoxBot): Promise<void> {
  const { guildId, botId: userId } = bot;
  if (!isMadeByBox(guildId) || (await write.db.boxGuild.count({ where: { id: guildId } })) === 0) return;
  write.record({ type: 'MEMBERSHIP_UPDATED', guildId, userId });
  write.record({ type: 'GUILD_LEFT', guildId, userId });
  await addSettlement(write, bot, call.clock.now());
}

/** Schedules {@link settleBoxBot} after the commit. */
export function addSettlement(
  { addJob }: Pick<Write, 'addJob'>,
  { guildId, botId, isStranger }: BoxBot,
  dueAt: number,
): Promise<void> {
  const payload = { guildId: String(guildId), botId: String(botId), ...(isStranger && { isStranger }) };
  return addJob({ kind: 'settle-box-bot', key: `settle-box-bot ${guildId} ${botId}`, payload, dueAt });
}

/**
 * Synchronizes a box with the cloud. An installed bot stays, with its granted permissions; any other is removed. Jobs
 * for one bot and guild never run concurrently, so the last write wins. If the box is unavailable, the removal is
 * retried unless `isStranger`. A box's refusal is final.
 * @param asked shared with other jobs
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

export async function letGo({ boxes }: CallContext, boxId: bigint, { guildId, botId }: BoxBot): Promise<void> {
  await unlessRefused(boxes.ask(boxId, 'remove_bot', { guild_id: String(guildId), bot_id: String(botId) }));
}

async function keep({ boxes }: CallContext, boxId: bigint, guildId: bigint, installation: Granted): Promise<void> {
  const { application, permissions } = installation;
  const wanted = { bot: application.bot, name: application.name, permissions };
  await unlessRefused(boxes.ask(boxId, 'install_bot', { guild_id: String(guildId), ...wanted }));
}

/** A retry would not help. The cloud alone decides which guilds a bot has. */
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
