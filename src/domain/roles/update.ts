import type { z } from 'zod';
import type { Role } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { AuditChanges } from '../audit-log/actions.js';
import type { CallContext } from '../call.js';
import { DomainError, missingPermissions } from '../errors.js';
import { accessGuild, requirePermissions } from '../guilds/access.js';
import type { RoleFields } from './create.js';
import { findRole } from './find.js';
import { mayWithRole } from './operations.js';
import { highestPosition } from './rank.js';

type RoleChange = Partial<Pick<Role, 'name' | 'permissions' | 'color' | 'hoist' | 'mentionable'>>;

/**
 * The role must be below the caller's highest. Added permissions must be the caller's own.
 * @throws UNKNOWN_ROLE, INVALID_ROLE for changing more than permissions of `@everyone`, MISSING_PERMISSIONS and the
 * errors of `accessGuild`
 */
export async function updateRole(
  call: CallContext,
  { guildId, roleId, ...fields }: { guildId: bigint; roleId: bigint } & z.output<typeof RoleFields>,
): Promise<Role> {
  const { view, permissions } = await accessGuild(call, guildId, 'updateRole');
  return call.write(
    async ({ db, record, audit }) => {
      const role = await findRole(db, guildId, roleId);
      if (!mayWithRole('update', role, await highestPosition(call, db, view))) throw missingPermissions();
      const change = changesOf(role, fields);
      requirePermissions(permissions, (change.permissions ?? 0n) & ~role.permissions);
      if (roleId === guildId && Object.keys(change).some((field) => field !== 'permissions')) {
        throw new DomainError('INVALID_ROLE');
      }
      if (Object.keys(change).length === 0) return role;
      const updated = await db.role.update({ where: { id: roleId }, data: change });
      await audit({ action: 'ROLE_UPDATE', guildId, targetId: roleId, changes: auditedChange(role, change) });
      record({ type: 'GUILD_ROLE_UPDATE', role: updated, keepsAccess: change.permissions === undefined });
      return updated;
    },
    { streams: [topics.guild(guildId)] },
  );
}

function changesOf(
  role: Role,
  { name, permissions, color, hoist, mentionable }: z.output<typeof RoleFields>,
): RoleChange {
  const differs = <Value>(value: Value | null | undefined, old: Value): value is Value =>
    value !== undefined && value !== null && value !== old;
  return {
    ...(differs(name, role.name) && { name }),
    ...(differs(permissions, role.permissions) && { permissions }),
    ...(differs(color, role.color) && { color }),
    ...(differs(hoist, role.hoist) && { hoist }),
    ...(differs(mentionable, role.mentionable) && { mentionable }),
  };
}

function auditedChange(old: Role, change: RoleChange): AuditChanges['ROLE_UPDATE'] {
  const { name, permissions, color, hoist, mentionable } = change;
  return {
    ...(name !== undefined && { name: { old: old.name, new: name } }),
    ...(permissions !== undefined && { permissions: { old: String(old.permissions), new: String(permissions) } }),
    ...(color !== undefined && { color: { old: old.color, new: color } }),
    ...(hoist !== undefined && { hoist: { old: old.hoist, new: hoist } }),
    ...(mentionable !== undefined && { mentionable: { old: old.mentionable, new: mentionable } }),
  };
}
