import { z } from 'zod';
import type { Role } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import type { AuditChanges } from '../audit-log/actions.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild, requirePermissions } from '../guilds/access.js';
import { nameText } from '../input.js';
import { limits } from '../limits.js';
import { permissionText } from '../permissions.js';

/** RGB value; 0 for none. */
const color = z.number().int().min(0).max(0xff_ff_ff);

/** Null counts as undefined. */
export const RoleFields = z.object({
  name: nameText(limits.roleName.min, limits.roleName.max).nullish(),
  permissions: permissionText().nullish(),
  color: color.nullish(),
  hoist: z.boolean().nullish(),
  mentionable: z.boolean().nullish(),
});

/** Discord's default name. */
const DEFAULT_NAME = 'new role';

/**
 * Creates the role just above `@everyone`, with its permissions by default. Needs ManageRoles and each of the role's
 * permissions.
 * @throws LIMIT_EXCEEDED, MISSING_PERMISSIONS and the errors of `accessGuild`
 */
export async function createRole(
  call: CallContext,
  guildId: bigint,
  input: z.output<typeof RoleFields>,
): Promise<Role> {
  const access = await accessGuild(call, guildId, 'createRole');
  const fields = {
    name: input.name ?? DEFAULT_NAME,
    permissions: input.permissions ?? access.view.rolePermissions.get(guildId) ?? 0n,
    color: input.color ?? 0,
    hoist: input.hoist ?? false,
    mentionable: input.mentionable ?? false,
  };
  requirePermissions(access.permissions, fields.permissions);
  return call.write(
    async (write) => {
      const role = await insertRole(write, { id: call.nextId(), guildId, ...fields });
      await write.audit({ action: 'ROLE_CREATE', guildId, targetId: role.id, changes: auditedRole(role) });
      return role;
    },
    { streams: [topics.guild(guildId)] },
  );
}

export function auditedRole({ name, permissions, color, hoist, mentionable }: Role): AuditChanges['ROLE_CREATE'] {
  return { name, permissions: String(permissions), color, hoist, mentionable };
}

export type RoleData = Pick<Role, 'id' | 'guildId' | 'name' | 'permissions'> &
  Partial<Pick<Role, 'managed' | 'applicationId' | 'color' | 'hoist' | 'mentionable'>>;

/** Moves other roles up by one. Publishes their events from the lowest role up. @throws LIMIT_EXCEEDED */
export async function insertRole({ db, record }: Write, data: RoleData): Promise<Role> {
  const { guildId } = data;
  const others = { guildId, id: { not: guildId } };
  const moved = await db.role.findMany({ where: others, orderBy: [{ position: 'asc' }, { id: 'desc' }] });
  if (moved.length + 1 >= limits.rolesPerGuild) {
    throw new DomainError('LIMIT_EXCEEDED', `Maximum number of server roles reached (${limits.rolesPerGuild})`);
  }
  await db.role.updateMany({ where: others, data: { position: { increment: 1 } } });
  const role = await db.role.create({ data: { ...data, position: 1 } });
  record({ type: 'GUILD_ROLE_CREATE', role });
  for (const other of moved) {
    record({ type: 'GUILD_ROLE_UPDATE', role: { ...other, position: other.position + 1 }, keepsAccess: true });
  }
  return role;
}
