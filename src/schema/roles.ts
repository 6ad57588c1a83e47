import { parseInput } from '../domain/parse-input.js';
import { createRole, RoleFields, setRolePositions } from '../domain/roles/index.js';
import type { Role as RoleRow } from '../infra/database/index.js';
import { builder } from './builder.js';
import { parseId, snowflakeId } from './ids.js';

export const Role = builder.prismaObject('Role', {
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name'),
    permissions: t.string({ description: 'Decimal bits.', resolve: (role) => String(role.permissions) }),
    position: t.exposeInt('position', { description: 'Its rank: 0 for @everyone, more for what stands above.' }),
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

const RolePositionInput = builder.inputType('RolePositionInput', {
  fields: (t) => ({
    roleId: t.id({ required: true }),
    position: t.int({ required: true, description: '1 is just above @everyone.' }),
  }),
});

const SetRolePositionsInput = builder.inputType('SetRolePositionsInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    positions: t.field({ type: [RolePositionInput], required: true }),
  }),
});

const RolesPayload = builder.objectRef<{ roles: RoleRow[] }>('RolesPayload').implement({
  fields: (t) => ({
    roles: t.field({ type: [Role], description: 'All of the server, lowest first.', resolve: ({ roles }) => roles }),
  }),
});

builder.mutationFields((t) => ({
  createRole: t.field({
    type: RolePayload,
    description: 'Makes a role just above @everyone.',
    args: { input: t.arg({ type: CreateRoleInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({
      role: await createRole(call, parseId(input.guildId, 'guildId'), parseInput(RoleFields, input)),
    }),
  }),
  setRolePositions: t.field({
    type: RolesPayload,
    description:
      "Sorts a server's roles: those named get their positions, the others keep their order around them. Moves only roles below the caller's highest, and only to below it.",
    args: { input: t.arg({ type: SetRolePositionsInput, required: true }) },
    resolve: async (_root, { input: { guildId, positions } }, { call }) => ({
      roles: await setRolePositions(
        call,
        parseId(guildId, 'guildId'),
        positions.map(({ roleId, position }, index) => ({
          roleId: parseId(roleId, `positions.${index}.roleId`),
          position,
        })),
      ),
    }),
  }),
}));
