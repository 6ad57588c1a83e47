import { parseInput } from '../domain/parse-input.js';
import { createRole, deleteRole, RoleFields, setRolePositions, updateRole } from '../domain/roles/index.js';
import type { Role as RoleRow } from '../infra/database/index.js';
import { builder, type InputFields, inputOf } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { idOf, parseId, snowflakeId } from './ids.js';

const COLOR = 'RGB value; 0 for no color.';
const HOIST = 'Whether members with this role are listed separately.';
const MENTIONABLE = 'Whether everyone can mention the role.';

export const Role = builder.prismaObject('Role', {
  description: 'A role of a server.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name', { description: '1–100 characters.' }),
    permissions: t.string({
      description: 'Permissions that the role grants, as decimal bits.',
      resolve: (role) => String(role.permissions),
    }),
    position: t.exposeInt('position', { description: 'Rank: 0 for @everyone; a greater number ranks higher.' }),
    color: t.exposeInt('color', { description: COLOR }),
    hoist: t.exposeBoolean('hoist', { description: HOIST }),
    mentionable: t.exposeBoolean('mentionable', { description: MENTIONABLE }),
    managed: t.exposeBoolean('managed', { description: 'Whether the role belongs to an installed application.' }),
  }),
});

const NAME = '1–100 characters.';

const CreateRoleInput = builder.inputType('CreateRoleInput', {
  description: 'A new role.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    name: t.string({ required: true, description: NAME }),
    permissions: t.string({
      description: 'Permission bits as a decimal number. Default: the permissions of @everyone.',
    }),
    ...appearance(t),
  }),
});

function appearance(t: InputFields) {
  return {
    color: t.int({ description: COLOR }),
    hoist: t.boolean({ description: HOIST }),
    mentionable: t.boolean({ description: MENTIONABLE }),
  };
}

const UpdateRoleInput = builder.inputType('UpdateRoleInput', {
  description: 'Changes of a role. Omitted and null fields stay unchanged.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    roleId: t.id(idOf.role),
    name: t.string({ description: NAME }),
    permissions: t.string({
      description: 'Permission bits as a decimal number. The caller can add only permissions that they have.',
    }),
    ...appearance(t),
  }),
});

const RoleIdInput = builder.inputType('RoleIdInput', {
  description: 'Identifies a role.',
  fields: (t) => ({ guildId: t.id(idOf.guild), roleId: t.id(idOf.role) }),
});

const RolePayload = builder.objectRef<{ role: RoleRow }>('RolePayload').implement({
  description: 'The affected role.',
  fields: (t) => ({
    role: t.field({ type: Role, description: 'The role after the change.', resolve: ({ role }) => role }),
  }),
});

const RolePositionInput = builder.inputType('RolePositionInput', {
  description: 'New position of a role.',
  fields: (t) => ({
    roleId: t.id(idOf.role),
    position: t.int({ required: true, description: '1 is just above @everyone. Values out of range are clamped.' }),
  }),
});

const SetRolePositionsInput = builder.inputType('SetRolePositionsInput', {
  description: 'New positions of roles.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    positions: t.field({
      type: [RolePositionInput],
      required: true,
      description: 'Roles to move. The others keep their order.',
    }),
  }),
});

const RolesPayload = builder.objectRef<{ roles: RoleRow[] }>('RolesPayload').implement({
  description: 'Roles of a server.',
  fields: (t) => ({
    roles: t.field({
      type: [Role],
      description: 'All roles of the server, lowest first.',
      resolve: ({ roles }) => roles,
    }),
  }),
});

builder.mutationFields((t) => ({
  createRole: t.field({
    type: RolePayload,
    description: 'Creates a role just above @everyone. Needs Manage Roles and every permission of the role.',
    args: { input: t.arg(inputOf(CreateRoleInput)) },
    resolve: async (_root, { input }, { call }) => ({
      role: await createRole(call, parseId(input.guildId, 'guildId'), parseInput(RoleFields, input)),
    }),
  }),
  updateRole: t.field({
    type: RolePayload,
    description:
      "Changes a role below the caller's highest; of @everyone, only `permissions` can change. Needs Manage Roles.",
    args: { input: t.arg(inputOf(UpdateRoleInput)) },
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
    description: "Deletes a role below the caller's highest, and takes it from all members. Needs Manage Roles.",
    args: { input: t.arg(inputOf(RoleIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const roleId = parseId(input.roleId, 'roleId');
      await deleteRole(call, { guildId: parseId(input.guildId, 'guildId'), roleId });
      return { id: roleId };
    },
  }),
  setRolePositions: t.field({
    type: RolesPayload,
    description: "Moves roles below the caller's highest role to other positions below it. Needs Manage Roles.",
    args: { input: t.arg(inputOf(SetRolePositionsInput)) },
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
