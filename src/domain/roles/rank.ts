import type { Reader, Transaction } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { missingPermissions } from '../errors.js';

/** The caller can manage only roles below this position. Infinity for the owner. */
export async function highestPosition(
  call: CallContext,
  db: Pick<Reader | Transaction, 'memberRole'>,
  guild: { id: bigint; ownerId: bigint },
): Promise<number> {
  const positions = await highestPositions(call, db, [guild]);
  return positions.get(guild.id) ?? 0;
}

/** @param guilds 400 at most */
export async function highestPositions(
  call: CallContext,
  db: Pick<Reader | Transaction, 'memberRole'>,
  guilds: readonly { id: bigint; ownerId: bigint }[],
): Promise<Map<bigint, number>> {
  const { user } = requireUser(call);
  const others = guilds.filter(({ ownerId }) => ownerId !== user.id).map(({ id }) => id);
  const held =
    others.length === 0
      ? []
      : await db.memberRole.findMany({
          where: { guildId: { in: others }, userId: user.id },
          select: { guildId: true, role: { select: { position: true } } },
        });
  const positionsIn = (id: bigint) => held.flatMap((one) => (one.guildId === id ? [one.role.position] : []));
  return new Map(
    guilds.map(({ id, ownerId }) => [id, ownerId === user.id ? Number.POSITIVE_INFINITY : highestOf(positionsIn(id))]),
  );
}

export interface Ranked {
  userId: bigint;
  /** The position of the member's highest role. */
  highest: number;
}

export function ranksAbove({ ownerId }: { ownerId: bigint }, one: Ranked, other: Ranked): boolean {
  if (other.userId === ownerId || other.userId === one.userId) return false;
  return one.userId === ownerId || one.highest > other.highest;
}

/** @throws MISSING_PERMISSIONS unless the caller ranks above the member */
export async function requireAbove(
  call: CallContext,
  db: Transaction,
  guild: { id: bigint; ownerId: bigint },
  userId: bigint,
): Promise<void> {
  const { user } = requireUser(call);
  // Ownership decides regardless of roles.
  const isByRoles = user.id !== guild.ownerId && userId !== guild.ownerId;
  const held = isByRoles
    ? await db.memberRole.findMany({
        where: { guildId: guild.id, userId: { in: [user.id, userId] } },
        select: { userId: true, role: { select: { position: true } } },
      })
    : [];
  const ranked = (id: bigint): Ranked => {
    const own = held.filter((one) => one.userId === id);
    return { userId: id, highest: highestOf(own.map(({ role }) => role.position)) };
  };
  if (!ranksAbove(guild, ranked(user.id), ranked(userId))) throw missingPermissions();
}

/** Without roles, the position of `@everyone`. */
export function highestOf(positions: number[]): number {
  return Math.max(0, ...positions);
}
