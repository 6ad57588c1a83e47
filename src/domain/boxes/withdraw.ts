import type { BoxGuild } from '../../infra/database/index.js';
import { inPieces, nextTurn } from '../../infra/turns.js';
import type { CallContext, Write } from '../call.js';
import { removeFromGuilds } from '../installations/uninstall.js';
import { deleteWebhooksOfGuilds } from '../webhooks/delete.js';

type GuildKey = Pick<BoxGuild, 'id'>;

/** A guild of a box is gone for good: its applications and webhooks go with it. Nothing where the box has no such guild. */
export async function withdrawGuild(call: CallContext, boxId: bigint, guildId: bigint): Promise<void> {
  await withdrawGuilds(call, boxId, [{ id: guildId }]);
}

/** A box has these guilds and no others: all others of it are withdrawn. */
export async function keepGuilds(call: CallContext, boxId: bigint, guildIds: readonly bigint[]): Promise<void> {
  const kept = new Set(guildIds);
  const guilds = await call.read.boxGuild.findMany({ where: { boxId }, select: { id: true }, orderBy: { id: 'asc' } });
  await withdrawGuilds(
    call,
    boxId,
    guilds.filter(({ id }) => !kept.has(id)),
  );
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
