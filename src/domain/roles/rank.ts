import type { Transaction } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';

/** The position below which the caller may change roles: above all for the owner, else that of their highest role. */
export async function highestPosition(
  call: CallContext,
  db: Transaction,
  guild: { id: bigint; ownerId: bigint },
): Promise<number> {
  const { user } = requireUser(call);
  if (user.id === guild.ownerId) return Number.POSITIVE_INFINITY;
  const held = await db.memberRole.findMany({
    where: { guildId: guild.id, userId: user.id },
    select: { role: { select: { position: true } } },
  });
  return Math.max(0, ...held.map(({ role }) => role.position));
}
