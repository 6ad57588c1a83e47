import { parseInput } from '../domain/parse-input.js';
import { createRole, deleteRole, RoleFields, setRolePositions, updateRole } from '../domain/roles/index.js';
import type { Role as RoleRow } from '../infra/database/index.js';
import { builder } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { parseId, snowflakeId } from './ids.js';

export const Role = builder.prismaObject('Role', {
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name'),
    permissions: t.string({ description: 'Decimal bits.', resolve: (role) => String(role.permissions) }),
    position: t.exposeInt('position', { description: 'Its rank: 0 for @everyone, more for what stands above.' }),
    color: t.exposeInt('color', { description: 'As an RGB value; 0 for none.' }),
    hoist: t.exposeBoolean('hoist', { description: 'Whether its members are listed apart.' }),
    mentionable: t.exposeBoolean('mentionable', { description: 'Whether everybody may mention it.' }),
    managed: t.exposeBoolean('managed', { description: 'Whether it belongs to an installation.' }),
  }),
});

type InputFields = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]['fields']>>[0];

const CreateRoleInput = builder.inputType('CreateRoleInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    name: t.string({ required: true }),
    permissions: t.string({ description: 'Decimal bits; those of @everyone when not given.' }),
    ...appearance(t),
  }),
});

function appearance(t: InputFields) {
  return {
    color: t.int({ description: 'As an RGB value; 0 for none.' }),
    hoist: t.boolean({ description: 'Whether its members are listed apart.' }),
    mentionable: t.boolean({ description: 'Whether everybody may mention it.' }),
  };
}

const UpdateRoleInput = builder.inputType('UpdateRoleInput', {
  description: 'What is left out, or null, stays.',
  fields: (t) => ({
    guildId: t.id({ required: true }),
    roleId: t.id({ required: true }),
    name: t.string(),
    permissions: t.string({ description: 'Decimal bits.' }),
    ...appearance(t),
  }),
});

const RoleIdInput = builder.inputType('RoleIdInput', {
  fields: (t) => ({ guildId: t.id({ required: true }), roleId: t.id({ required: true }) }),
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
  updateRole: t.field({
    type: RolePayload,
    description: "Changes a role below the caller's highest.",
    args: { input: t.arg({ type: UpdateRoleInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({
      role: await updateRole(call, {
        guildId: parseId(input.guildId, 'guildId'),
        roleId: parseId(input.roleId, 'roleId'),
        ...parseInput(RoleFields, input),
      }),
    }),
  }),
  deleteRole: t.field({
    type: DeletedPayload,
    description: "Removes a role below the caller's highest from the server, and from everybody who has it.",
    args: { input: t.arg({ type: RoleIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const roleId = parseId(input.roleId, 'roleId');
      await deleteRole(call, { guildId: parseId(input.guildId, 'guildId'), roleId });
      return { id: roleId };
    },
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
