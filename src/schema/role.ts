import { createRole } from '../domain/roles/index.js';
import type { Role as RoleRow } from '../infra/database/index.js';
import { builder } from './builder.js';
import { parseId, snowflakeId } from './ids.js';

export const Role = builder.prismaObject('Role', {
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name'),
    permissions: t.string({ description: 'Decimal bits.', resolve: (role) => String(role.permissions) }),
    position: t.exposeInt('position'),
  }),
});

const CreateRoleInput = builder.inputType('CreateRoleInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    name: t.string({ required: true }),
    permissions: t.string({ description: 'Decimal bits; those of @everyone when not given.' }),
  }),
});

const RolePayload = builder.objectRef<{ role: RoleRow }>('RolePayload').implement({
  fields: (t) => ({ role: t.field({ type: Role, resolve: ({ role }) => role }) }),
});

builder.mutationField('createRole', (t) =>
  t.field({
    type: RolePayload,
    description: 'Makes a role just above @everyone.',
    args: { input: t.arg({ type: CreateRoleInput, required: true }) },
    resolve: async (_root, { input: { guildId, name, permissions } }, { call }) => ({
      role: await createRole(call, parseId(guildId, 'guildId'), { name, permissions: permissions ?? undefined }),
    }),
  }),
);
