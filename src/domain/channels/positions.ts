import { chunksOf } from '../../infra/concurrency/event-loop.js';
import { Prisma, type Transaction } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild, accessGuildChannel } from '../guilds/access.js';
import { auditedChanges } from './audited.js';
import { withLastMessages } from './last-messages.js';
import { type ChannelPosition, type Move, movesOf } from './order.js';
import { replaceOverwrites, sayTheSame } from './overwrites.js';
import { findParent } from './parents.js';
import { type ChannelRecord, type GuildChannelRecord, WITH_OVERWRITES } from './record.js';

export interface StatedPosition extends ChannelPosition {
  /** Whether to copy the overwrites of the new category. */
  lockPermissions?: boolean | null | undefined;
}

type Moved = Move<GuildChannelRecord>;

/**
 * Moves at most one channel to another category. Needs ManageChannels, and ManageRoles in a channel that copies
 * overwrites.
 * @throws UNKNOWN_CHANNEL, SEVERAL_PARENTS, MISSING_PERMISSIONS, INVALID_INPUT at `{index}.parentId` and the errors of
 * `accessGuild`
 */
export async function setChannelPositions(
  call: CallContext,
  guildId: bigint,
  positions: readonly StatedPosition[],
): Promise<void> {
  await accessGuild(call, guildId, 'setChannelPositions');
  for (const { channelId } of positions.filter(isLocking)) {
    await accessGuildChannel(call, channelId, 'moveChannelWithOverwrites');
  }
  await call.write(
    async (write) => {
      const channels = await findNamed(write.db, guildId, positions);
      const moves = movesOf(channels, positions);
      const parent = await parentOf(write.db, moves, positions);
      if (moves.length > 0) await applyMoves(write, guildId, moves, positions, parent);
    },
    { streams: [topics.guild(guildId)] },
  );
}

function isLocking({ parentId, lockPermissions }: StatedPosition): boolean {
  return lockPermissions === true && parentId !== undefined && parentId !== null;
}

async function findNamed(
  db: Transaction,
  guildId: bigint,
  positions: readonly StatedPosition[],
): Promise<GuildChannelRecord[]> {
  const ids = [...new Set(positions.map(({ channelId }) => channelId))];
  if (ids.length === 0) return [];
  const rows = await db.channel.findMany({
    where: { guildId, id: { in: ids } },
    include: WITH_OVERWRITES,
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
  });
  if (rows.length < ids.length) throw new DomainError('UNKNOWN_CHANNEL');
  return rows.map((row) => ({ ...row, guildId }));
}

async function parentOf(
  db: Transaction,
  moves: Moved[],
  positions: readonly StatedPosition[],
): Promise<ChannelRecord | null> {
  const [move, ...others] = moves.filter(({ channel, parentId }) => channel.parentId !== parentId);
  if (others.length > 0) throw new DomainError('SEVERAL_PARENTS');
  if (!move || move.parentId === null) return null;
  const { channel, parentId } = move;
  const index = positions.findLastIndex(({ channelId, parentId: id }) => channelId === channel.id && id === parentId);
  return findParent(db, channel, parentId, String(index));
}

async function applyMoves(
  write: Write,
  guildId: bigint,
  moves: Moved[],
  positions: readonly StatedPosition[],
  parent: ChannelRecord | null,
): Promise<void> {
  await storePlaces(write.db, moves);
  const locked = new Set(positions.filter(isLocking).map(({ channelId }) => channelId));
  const moved: GuildChannelRecord[] = [];
  for (const { channel, position, parentId } of moves) {
    const placed = { ...channel, position };
    const isElsewhere = channel.parentId !== parentId;
    moved.push(isElsewhere ? await enter(write, placed, parent, locked.has(channel.id)) : placed);
  }
  await write.audit({
    action: 'CHANNEL_POSITIONS_UPDATE',
    guildId,
    targetId: guildId,
    changes: { channels: moves.map(auditedMove) },
  });
  for (const details of await withLastMessages(write.db, moved)) {
    write.record({ type: 'CHANNEL_UPDATE', ...details, keepsAccess: !locked.has(details.channel.id) });
  }
}

/** Writes the move to the audit log, and copies the category's overwrites if `isLocked`. */
async function enter(
  { db, audit }: Write,
  before: GuildChannelRecord,
  parent: ChannelRecord | null,
  isLocked: boolean,
): Promise<GuildChannelRecord> {
  const takesOver = isLocked && parent !== null && !sayTheSame(before.overwrites, parent.overwrites);
  const overwrites = takesOver ? await replaceOverwrites(db, before, parent.overwrites) : before.overwrites;
  const after = { ...before, parentId: parent?.id ?? null, overwrites };
  const { id: targetId, guildId } = before;
  await audit({ action: 'CHANNEL_UPDATE', guildId, targetId, changes: auditedChanges(before, after) });
  return after;
}

/** SQLite takes 999 parameters. */
const CHANNELS_PER_STATEMENT = 150;

async function storePlaces(db: Transaction, moves: Moved[]): Promise<void> {
  for (const piece of chunksOf(moves, CHANNELS_PER_STATEMENT)) {
    const positions = piece.map(({ channel, position }) => Prisma.sql`WHEN ${channel.id} THEN ${position}`);
    const ids = Prisma.join(piece.map(({ channel }) => channel.id));
    await db.$executeRaw`
      UPDATE "Channel" SET "position" = CAST(CASE "id" ${Prisma.join(positions, ' ')} END AS INTEGER)
      WHERE "id" IN (${ids})`;
  }
  for (const { channel, parentId } of moves) {
    if (channel.parentId === parentId) continue;
    await db.channel.update({ where: { id: channel.id }, data: { parentId } });
  }
}

function auditedMove({ channel, position, parentId }: Moved) {
  const idText = (id: bigint | null) => (id === null ? null : String(id));
  return {
    id: String(channel.id),
    name: channel.name,
    position: { old: channel.position, new: position },
    parentId: { old: idText(channel.parentId), new: idText(parentId) },
  };
}
