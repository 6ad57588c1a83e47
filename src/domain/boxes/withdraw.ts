import type { BoxGuild } from '../../infra/database/index.js';
import { inPieces, nextTurn } from '../../infra/turns.js';
import type { CallContext, Write } from '../call.js';
import { removeFromGuilds } from '../installations/uninstall.js';
import { limits } from '../limits.js';
import { deleteWebhooksOfGuilds } from '../webhooks/delete.js';

type GuildKey = Pick<BoxGuild, 'id'>;

/** A guild of a box is gone for good: its applications and webhooks go with it. Nothing where the box has no such guild. */
export async function withdrawGuild(call: CallContext, boxId: bigint, guildId: bigint): Promise<void> {
  await withdrawGuilds(call, boxId, [{ id: guildId }]);
}

/**
 * A box has these guilds and no others: all others of it are withdrawn. Those of a box that has had its key in place of another for a short time only
 * stay: it may have been begun anew in an empty folder, and the data may come back (docs/relay.md, R-31).
 */
export async function keepGuilds(call: CallContext, boxId: bigint, guildIds: readonly bigint[]): Promise<void> {
  const others = await guildsBeside(call, boxId, new Set(guildIds));
  if (others.length === 0) return;
  const box = await call.read.box.findUnique({ where: { id: boxId }, select: { rekeyedAt: true } });
  const rekeyedAt = box?.rekeyedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (call.clock.now() < rekeyedAt + limits.rekeyedBoxGrace * 1_000) {
    call.log.warn(
      { boxId: String(boxId), guilds: others.length },
      'a box with a new key does not have servers that it had',
    );
    return;
  }
  await withdrawGuilds(call, boxId, others);
}

/** All guilds of a box are withdrawn. */
export async function withdrawAllGuilds(call: CallContext, boxId: bigint): Promise<void> {
  await withdrawGuilds(call, boxId, await guildsBeside(call, boxId, new Set()));
}

async function guildsBeside(call: CallContext, boxId: bigint, kept: ReadonlySet<bigint>): Promise<GuildKey[]> {
  const guilds = await call.read.boxGuild.findMany({ where: { boxId }, select: { id: true }, orderBy: { id: 'asc' } });
  return guilds.filter(({ id }) => !kept.has(id));
}

/** Guilds that are withdrawn in one go. */
export const GUILDS_AT_ONCE = 20;

async function withdrawGuilds(call: CallContext, boxId: bigint, guilds: GuildKey[]): Promise<void> {
  for (const piece of inPieces(guilds, GUILDS_AT_ONCE)) {
    await nextTurn();
    await call.write((write) => withdrawWithin(call, write, boxId, piece), { serializable: true });
  }
}

/**
 * Takes those of these guilds that a box has out of what is known, in a transaction that has to be serializable.
 * @param guilds {@link GUILDS_AT_ONCE} at most
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
  // Before the installations: of a guild that a box has, they would have the box let their bots go.
  await db.boxGuild.deleteMany({ where: { id: { in: ids } } });
  for (const { applicationId, guildId } of installations) {
    if (guildId !== null) await removeFromGuilds(call, write, applicationId, guildId);
  }
  // Whoever looks for one of them once it is told to be gone finds none.
  record({ type: 'BOX_ROUTES_UPDATED' });
  for (const guildId of ids) record({ type: 'GUILD_DELETE', guildId, unavailable: false });
  // Bots that were shown one of them as unavailable do not hold it, and hear nothing of it but what is told to themselves.
  for (const { applicationId, guildId } of installations) {
    if (guildId !== null) record({ type: 'GUILD_LEFT', guildId, userId: applicationId });
  }
  record({ type: 'BOX_UPDATED', boxId });
}
