import { chunksOf, yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { BoxGuild } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { removeFromGuilds } from '../installations/uninstall.js';
import { limits } from '../limits.js';
import { deleteWebhooksOfGuilds } from '../webhooks/delete.js';

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

export const GUILDS_AT_ONCE = 20;

async function withdrawGuilds(call: CallContext, boxId: bigint, guilds: GuildKey[]): Promise<void> {
  for (const piece of chunksOf(guilds, GUILDS_AT_ONCE)) {
    await yieldToEventLoop();
    await call.write((write) => withdrawWithin(call, write, boxId, piece), {
      streams: [topics.box(boxId), ...piece.map(({ id }) => topics.guild(id))],
    });
  }
}

/**
 * Ignores guilds that the box does not have. The transaction must lock the streams of box and guilds.
 * @param guilds at most {@link GUILDS_AT_ONCE}
 */
export async function withdrawWithin(
  call: CallContext,
  write: Write,
  boxId: bigint,
  guilds: readonly GuildKey[],
): Promise<void> {
  const { db, record } = write;
  const where = { boxId, id: { in: guilds.map(({ id }) => id) } };
  const there = await db.boxGuild.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } });
  const ids = there.map(({ id }) => id);
  if (ids.length === 0) return;
  await deleteWebhooksOfGuilds(call, write, ids);
  const installations = await db.installation.findMany({ where: { guildId: { in: ids } }, orderBy: { id: 'asc' } });
  // Deleted first. Otherwise removing an installation would make the box remove the bot.
  await db.boxGuild.deleteMany({ where: { id: { in: ids } } });
  for (const { applicationId, guildId } of installations) {
    if (guildId !== null) await removeFromGuilds(call, write, applicationId, guildId);
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
