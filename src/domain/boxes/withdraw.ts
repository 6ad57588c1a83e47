import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { BoxGuild } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { removeWithoutLog } from '../installations/uninstall.js';
import { limits } from '../limits.js';
import { deleteWebhooksOfGuild } from '../webhooks/delete.js';
import { LIVE } from '../webhooks/record.js';

type GuildKey = Pick<BoxGuild, 'id'>;

/** Ignores guilds that the box does not have. */
export async function withdrawGuild(call: CallContext, boxId: bigint, guildId: bigint): Promise<void> {
  await withdrawGuilds(call, boxId, [{ id: guildId }]);
}

/**
 * Removes the box's other guilds, unless it got a new key recently. Then its data folder may be empty, and the old data
 * may come back (docs/relay.md, R-31).
 */
export async function keepGuilds(call: CallContext, boxId: bigint, guildIds: readonly bigint[]): Promise<void> {
  const others = await guildsBeside(call, boxId, new Set(guildIds));
  if (others.length === 0) return;
  const box = await call.read.box.findUnique({ where: { id: boxId }, select: { rekeyedAt: true } });
  const rekeyedAt = box?.rekeyedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (call.clock.now() < rekeyedAt + limits.rekeyedBoxGrace * 1_000) {
    call.log.warn(
      { boxId: String(boxId), guilds: others.length },
      'A box with a new key no longer announces some of its servers; keeping them for now',
    );
    return;
  }
  await withdrawGuilds(call, boxId, others);
}

export async function withdrawAllGuilds(call: CallContext, boxId: bigint): Promise<void> {
  await withdrawGuilds(call, boxId, await guildsBeside(call, boxId, new Set()));
}

async function guildsBeside(call: CallContext, boxId: bigint, kept: ReadonlySet<bigint>): Promise<GuildKey[]> {
  const guilds = await call.read.boxGuild.findMany({ where: { boxId }, select: { id: true }, orderBy: { id: 'asc' } });
  return guilds.filter(({ id }) => !kept.has(id));
}

async function withdrawGuilds(call: CallContext, boxId: bigint, guilds: GuildKey[]): Promise<void> {
  for (const { id } of guilds) {
    await yieldToEventLoop();
    const streams = [topics.box(boxId), topics.guild(id), ...(await streamsOfApplications(call, id))];
    await call.write((write) => withdrawWithin(call, write, boxId, id), { streams });
  }
}

/** Of applications with installations or webhooks in the guild, and of their bots. */
async function streamsOfApplications({ read }: CallContext, guildId: bigint): Promise<string[]> {
  const select = { applicationId: true };
  const installations = await read.installation.findMany({ where: { guildId }, select });
  const webhooks = await read.webhook.findMany({ where: { guildId, ...LIVE }, select });
  const ids = [...installations, ...webhooks].map(({ applicationId }) => applicationId);
  return [...ids.map(topics.application), ...ids.map(topics.user)];
}

async function withdrawWithin(call: CallContext, write: Write, boxId: bigint, guildId: bigint): Promise<void> {
  const { db, record } = write;
  // Deleted first. Otherwise removing an installation would make the box remove the bot.
  const { count } = await db.boxGuild.deleteMany({ where: { id: guildId, boxId } });
  if (count === 0) return;
  // Recorded first, because a lookup after GUILD_DELETE must find no route.
  record({ type: 'BOX_ROUTES_UPDATED' });
  await deleteWebhooksOfGuild(call, write, guildId);
  const installations = await db.installation.findMany({ where: { guildId }, orderBy: { id: 'asc' } });
  for (const { applicationId } of installations) await removeWithoutLog(call, write, applicationId, guildId);
  record({ type: 'GUILD_DELETE', guildId, unavailable: false });
  // Bots for which a guild is unavailable receive only their own events.
  for (const { applicationId } of installations) record({ type: 'GUILD_LEFT', guildId, userId: applicationId });
  record({ type: 'BOX_UPDATED', boxId });
}
