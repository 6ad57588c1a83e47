import { yieldOnce } from '../../infra/concurrency/event-loop.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { auditedRole } from './create.js';
import { findRole } from './find.js';
import { forgetRole } from './forget.js';
import { mayWithRole } from './operations.js';
import { highestPosition } from './rank.js';

/**
 * The role must be below the caller's highest.
 * @throws UNKNOWN_ROLE, INVALID_ROLE for `@everyone` and a managed role, MISSING_PERMISSIONS and the errors of
 * `accessGuild`
 */
export async function deleteRole(call: CallContext, input: { guildId: bigint; roleId: bigint }): Promise<void> {
  const { guildId, roleId } = input;
  const { view } = await accessGuild(call, guildId, 'deleteRole');
  const streams = [topics.guild(guildId)];
  const removeOrTake = async (write: Write) => {
    const role = await findRole(write.db, guildId, roleId);
    if (roleId === guildId || role.managed) throw new DomainError('INVALID_ROLE');
    if (!mayWithRole('delete', role, await highestPosition(call, write.db, view))) throw missingPermissions();
    if (await takeFromSome(write, roleId)) return false;
    await write.db.role.delete({ where: { id: roleId }, select: { id: true } });
    await write.audit({ action: 'ROLE_DELETE', guildId, targetId: roleId, changes: auditedRole(role) });
    write.record({ type: 'GUILD_ROLE_DELETE', guildId, roleId });
    await forgetRole(write, role);
    return true;
  };
  while (!(await call.write(removeOrTake, { streams }))) await yieldOnce();
}

const MEMBERS_PER_ROUND = 400;

/** Returns false if so few members have the role that its deletion can take it from them. */
async function takeFromSome({ db }: Write, roleId: bigint): Promise<boolean> {
  const held = await db.memberRole.findMany({ where: { roleId }, select: { userId: true }, take: MEMBERS_PER_ROUND });
  if (held.length < MEMBERS_PER_ROUND) return false;
  await db.memberRole.deleteMany({ where: { roleId, userId: { in: held.map(({ userId }) => userId) } } });
  return true;
}
