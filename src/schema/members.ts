import { DomainError, renameFaults } from '../domain/errors.js';
import {
  addMemberRole,
  countInactive,
  kickMember,
  MemberChange,
  PruneDays,
  PruneRoles,
  pruneMembers,
  removeMemberRole,
  setMemberRoles,
  updateMember,
} from '../domain/members/index.js';
import { parseInput } from '../domain/parse-input.js';
import type { Member as MemberRow } from '../infra/database/index.js';
import { builder, inputOf } from './builder.js';
import type { GraphqlContext } from './context.js';
import { DeletedPayload } from './deleted.js';
import { onlyHere, readerOf } from './guild-readers/index.js';
import { idOf, parseId, parseOptionalId } from './ids.js';
import { REASON, withReason } from './reasons.js';
import { Role } from './roles.js';

export const Member = builder.prismaObject('Member', {
  description: 'A member of a server.',
  fields: (t) => ({
    user: t.relation('user', {
      description: 'User account of the member.',
      resolve: async (_query, member, _args, context, info) => {
        const user = await readerOf(context, member.guildId).userOf(member, info);
        if (!user) throw new DomainError('UNKNOWN_USER');
        return user;
      },
    }),
    nick: t.exposeString('nick', {
      nullable: true,
      description: 'Nickname in the server, at most 32 characters. Null if none is set.',
    }),
    roles: t.field({
      type: [Role],
      description: 'Roles except @everyone, lowest first.',
      resolve: (member, _args, context) => readerOf(context, member.guildId).rolesOf(member),
    }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime', description: 'Time when the member joined.' }),
    mute: t.exposeBoolean('mute', { description: 'Whether a moderator muted the member in voice.' }),
    deaf: t.exposeBoolean('deaf', { description: 'Whether a moderator deafened the member in voice.' }),
    communicationDisabledUntil: t.expose('communicationDisabledUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'End of the timeout, during which the member can only read. Null or a past time means no timeout.',
    }),
  }),
});

export const MemberConnection = builder.connectionObject(
  { type: Member, name: 'MemberConnection' },
  { name: 'MemberEdge' },
);

const SetMemberRolesInput = builder.inputType('SetMemberRolesInput', {
  description: 'All roles of a member.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    userId: t.id(idOf.user),
    roleIds: t.idList({
      required: true,
      description: 'IDs of all roles that the member should have. @everyone is ignored.',
    }),
  }),
});

const MemberRoleInput = builder.inputType('MemberRoleInput', {
  description: 'Identifies a member and a role.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    userId: t.id(idOf.user),
    roleId: t.id({ required: true, description: "ID of a role below the caller's highest role." }),
    reason: t.string(REASON),
  }),
});

const MemberPayload = builder.objectRef<{ member: MemberRow }>('MemberPayload').implement({
  description: 'The affected member.',
  fields: (t) => ({
    member: t.field({ type: Member, description: 'The member after the change.', resolve: ({ member }) => member }),
  }),
});

export const MemberIdInput = builder.inputType('MemberIdInput', {
  description: 'Identifies a user in a server.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    userId: t.id(idOf.user),
    reason: t.string(REASON),
  }),
});

const UpdateMemberInput = builder.inputType('UpdateMemberInput', {
  description: 'Changes of a member. Omitted fields stay unchanged.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    userId: t.id(idOf.user),
    nick: t.string({ description: 'Nickname, at most 32 characters. Null removes it.' }),
    communicationDisabledUntil: t.field({
      type: 'DateTime',
      description: 'End of the timeout, at most 28 days from now. Null ends the timeout.',
    }),
    mute: t.boolean({ description: 'Whether to mute the member, who must be in a voice channel.' }),
    deaf: t.boolean({ description: 'Whether to deafen the member, who must be in a voice channel.' }),
    voiceChannelId: t.id({
      description: 'ID of the voice channel to move the member to. Null disconnects them from voice.',
    }),
    reason: t.string(REASON),
  }),
});

const DAYS = 'Days of inactivity, 1–30. Default: 7.';
const PRUNED_ROLES = 'IDs of roles that do not exempt a member, at most 100. By default, every role does.';

const PruneMembersInput = builder.inputType('PruneMembersInput', {
  description: 'Selects inactive members.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    days: t.int({ description: DAYS }),
    roleIds: t.idList({ description: PRUNED_ROLES }),
    reason: t.string(REASON),
  }),
});

const PruneMembersPayload = builder.objectRef<{ pruned: number }>('PruneMembersPayload').implement({
  description: 'Result of `pruneMembers`.',
  fields: (t) => ({
    pruned: t.exposeInt('pruned', { description: 'Number of members that a background job removes.' }),
  }),
});

/** Counting may scan all members. */
const COUNT_COST = { field: 1_000, multiplier: 1 };

interface PruneArgs {
  days?: number | null | undefined;
  roleIds?: readonly (string | number)[] | null | undefined;
}

function pruneOf(guildId: bigint, { days, roleIds }: PruneArgs) {
  return {
    guildId,
    days: parseInput(PruneDays, days, 'days'),
    roleIds: parseInput(PruneRoles, roleIds?.map(String), 'roleIds'),
  };
}

type RoleChange = typeof addMemberRole;

/** Concurrent changes of other roles stay. @returns the updated member */
async function changeRole(
  { call, budget }: GraphqlContext,
  input: typeof MemberRoleInput.$inferInput,
  change: RoleChange,
): Promise<{ member: MemberRow }> {
  const guildId = parseId(input.guildId, 'guildId');
  const userId = parseId(input.userId, 'userId');
  await change(withReason(call, input.reason), { guildId, userId, roleId: parseId(input.roleId, 'roleId') });
  const where = { guildId_userId: { guildId, userId } };
  const member = await budget.step(() => call.read.member.findUnique({ where }));
  if (!member) throw new DomainError('UNKNOWN_MEMBER');
  return { member };
}

builder.prismaObjectFields('Guild', (t) => ({
  inactiveMemberCount: t.int({
    description:
      'Number of members that `pruneMembers` would remove. Needs Kick Members and Manage Guild. 0 for a server on a box.',
    args: {
      days: t.arg.int({ description: DAYS }),
      roleIds: t.arg.idList({ description: PRUNED_ROLES }),
    },
    complexity: COUNT_COST,
    resolve: onlyHere(0, ({ id }, args, { call, budget }) => budget.step(() => countInactive(call, pruneOf(id, args)))),
  }),
}));

builder.mutationFields((t) => ({
  setMemberRoles: t.field({
    type: MemberPayload,
    description:
      "Replaces a member's roles. Managed roles stay. Needs Manage Roles and a higher role than those changed.",
    args: { input: t.arg(inputOf(SetMemberRolesInput)) },
    resolve: async (_root, { input }, { call }) => ({
      member: await setMemberRoles(call, {
        guildId: parseId(input.guildId, 'guildId'),
        userId: parseId(input.userId, 'userId'),
        roleIds: input.roleIds.map((id, index) => parseId(id, `roleIds.${index}`)),
      }),
    }),
  }),
  addMemberRole: t.field({
    type: MemberPayload,
    description: 'Gives a member a role. Does nothing if they have it. Needs Manage Roles.',
    args: { input: t.arg(inputOf(MemberRoleInput)) },
    resolve: (_root, { input }, context) => changeRole(context, input, addMemberRole),
  }),
  removeMemberRole: t.field({
    type: MemberPayload,
    description: 'Removes a role from a member. Does nothing if they lack it. Needs Manage Roles.',
    args: { input: t.arg(inputOf(MemberRoleInput)) },
    resolve: (_root, { input }, context) => changeRole(context, input, removeMemberRole),
  }),
  updateMember: t.field({
    type: MemberPayload,
    description:
      "Changes a member's nickname, timeout and voice state, either all or none. Each field needs its own permission.",
    args: { input: t.arg(inputOf(UpdateMemberInput)) },
    resolve: async (_root, { input }, { call }) => {
      const { nick, communicationDisabledUntil, mute, deaf, voiceChannelId } = input;
      const change = {
        guildId: parseId(input.guildId, 'guildId'),
        userId: parseId(input.userId, 'userId'),
        nick: parseInput(MemberChange.shape.nick, nick, 'nick'),
        communicationDisabledUntil,
        mute,
        deaf,
        channelId: voiceChannelId === null ? null : parseOptionalId(voiceChannelId, 'voiceChannelId'),
      };
      const update = () => updateMember(withReason(call, input.reason), change);
      return { member: await renameFaults({ channelId: 'voiceChannelId' }, update) };
    },
  }),
  kickMember: t.field({
    type: DeletedPayload,
    description: 'Removes a member who ranks below the caller, and returns the user ID. Needs Kick Members.',
    args: { input: t.arg(inputOf(MemberIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const userId = parseId(input.userId, 'userId');
      await kickMember(withReason(call, input.reason), { guildId: parseId(input.guildId, 'guildId'), userId });
      return { id: userId };
    },
  }),
  pruneMembers: t.field({
    type: PruneMembersPayload,
    description:
      'Removes inactive members who rank below the caller and are not exempt by a role. ' +
      'Needs Kick Members and Manage Guild.',
    args: { input: t.arg(inputOf(PruneMembersInput)) },
    resolve: async (_root, { input }, { call }) => ({
      pruned: await pruneMembers(withReason(call, input.reason), pruneOf(parseId(input.guildId, 'guildId'), input)),
    }),
  }),
}));
