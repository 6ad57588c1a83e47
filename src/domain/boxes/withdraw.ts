import { chunksOf, yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { BoxGuild } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { removeWithoutLog } from '../installations/uninstall.js';
import { limits } from '../limits.js';
import { deleteWebhooksOfGuilds } from '../webhooks/delete.js';
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

const GUILDS_AT_ONCE = 20;

async function withdrawGuilds(call: CallContext, boxId: bigint, guilds: GuildKey[]): Promise<void> {
  for (const piece of chunksOf(guilds, GUILDS_AT_ONCE)) {
    await yieldToEventLoop();
    const guildIds = piece.map(({ id }) => id);
    const streams = [
      topics.box(boxId),
      ...guildIds.map(topics.guild),
      ...(await streamsOfApplications(call, guildIds)),
    ];
    await call.write((write) => withdrawWithin(call, write, boxId, guildIds), { streams });
  }
}

/** Of applications with installations or webhooks in the guilds, and of their bots. */
async function streamsOfApplications({ read }: CallContext, guildIds: bigint[]): Promise<string[]> {
  const ofGuilds = { guildId: { in: guildIds } };
  const select = { applicationId: true };
  const installations = await read.installation.findMany({ where: ofGuilds, select });
  const webhooks = await read.webhook.findMany({ where: { ...ofGuilds, ...LIVE }, select });
  const ids = [...installations, ...webhooks].map(({ applicationId }) => applicationId);
  return [...ids.map(topics.application), ...ids.map(topics.user)];
}

async function withdrawWithin(call: CallContext, write: Write, boxId: bigint, guildIds: bigint[]): Promise<void> {
  const { db, record } = write;
  const where = { boxId, id: { in: guildIds } };
  const there = await db.boxGuild.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } });
  const ids = there.map(({ id }) => id);
  if (ids.length === 0) return;
  await deleteWebhooksOfGuilds(call, write, ids);
  const installations = await db.installation.findMany({ where: { guildId: { in: ids } }, orderBy: { id: 'asc' } });
  // Deleted first. Otherwise removing an installation would make the box remove the bot.
  await db.boxGuild.deleteMany({ where: { id: { in: ids } } });
  for (const { applicationId, guildId } of installations) {
    if (guildId !== null) await removeWithoutLog(call, write, applicationId, guildId);
  }
  // After GUILD_DELETE, a lookup must find no route.
  record({ type: 'BOX_ROUTES_UPDATED' });
  for (const guildId of ids) record({ type: 'GUILD_DELETE', guildId, unavailable: false });
  // Bots for which a guild is unavailable receive only their own events.
  for (const { applicationId, guildId } of installations) {
    if (guildId !== null) record({ type: 'GUILD_LEFT', guildId, userId: applicationId });
  }
  record({ type: 'BOX_UPDATED', boxId });
}
