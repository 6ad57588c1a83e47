import type { Reader, Transaction } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { missingPermissions } from '../errors.js';

/** The position below which the caller may change roles: above all for the owner, else that of their highest role. */
export async function highestPosition(
  call: CallContext,
  db: Pick<Reader | Transaction, 'memberRole'>,
  guild: { id: bigint; ownerId: bigint },
): Promise<number> {
  const { user } = requireUser(call);
  if (user.id === guild.ownerId) return Number.POSITIVE_INFINITY;
  const held = await db.memberRole.findMany({
    where: { guildId: guild.id, userId: user.id },
    select: { role: { select: { position: true } } },
  });
  return highestOf(held.map(({ role }) => role.position));
}

/**
 * The caller ranks above a member: by the highest role of each, or as the owner. Above the owner, and above themselves, is nobody.
 * @throws MISSING_PERMISSIONS
 */
export async function requireAbove(
  call: CallContext,
  db: Transaction,
  guild: { id: bigint; ownerId: bigint },
  userId: bigint,
): Promise<void> {
  const { user } = requireUser(call);
  if (userId === guild.ownerId || userId === user.id) throw missingPermissions();
  if (user.id === guild.ownerId) return;
  const held = await db.memberRole.findMany({
    where: { guildId: guild.id, userId: { in: [user.id, userId] } },
    select: { userId: true, role: { select: { position: true } } },
  });
  const positionsOf = (id: bigint) => held.flatMap((one) => (one.userId === id ? [one.role.position] : []));
  if (highestOf(positionsOf(userId)) >= highestOf(positionsOf(user.id))) throw missingPermissions();
}

/** That of `@everyone` for who has no other role. */
function highestOf(positions: number[]): number {
  return Math.max(0, ...positions);
}
