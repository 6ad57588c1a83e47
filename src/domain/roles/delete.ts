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
  await call.write(
    async (write) => {
      const role = await findRole(write.db, guildId, roleId);
      if (roleId === guildId || role.managed) throw new DomainError('INVALID_ROLE');
      if (!mayWithRole('delete', role, await highestPosition(call, write.db, view))) throw missingPermissions();
      await takeFromAll(write, roleId);
      await write.db.role.delete({ where: { id: roleId }, select: { id: true } });
      await write.audit({ action: 'ROLE_DELETE', guildId, targetId: roleId, changes: auditedRole(role) });
      write.record({ type: 'GUILD_ROLE_DELETE', guildId, roleId });
      await forgetRole(write, role);
    },
    { streams: [topics.guild(guildId)] },
  );
}

const MEMBERS_PER_ROUND = 400;

/** Rounds keep each statement small. */
async function takeFromAll({ db }: Write, roleId: bigint): Promise<void> {
  for (;;) {
    const held = await db.memberRole.findMany({ where: { roleId }, select: { userId: true }, take: MEMBERS_PER_ROUND });
    if (held.length === 0) return;
    await db.memberRole.deleteMany({ where: { roleId, userId: { in: held.map(({ userId }) => userId) } } });
    if (held.length < MEMBERS_PER_ROUND) return;
    await yieldOnce();
  }
}
