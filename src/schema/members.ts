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
import type { Member as MemberRow, Role as RoleRow } from '../infra/database/index.js';
import { boxMember, boxRoles, isOnBox } from './box-guilds.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { DeletedPayload } from './deleted.js';
import { parseId, parseOptionalId } from './ids.js';
import { readInPieces } from './lists.js';
import { createLoader, type Loader } from './loaders.js';
import { withReason } from './reasons.js';
import { Role } from './roles.js';
import { referredUser } from './users.js';

export const Member = builder.prismaObject('Member', {
  fields: (t) => ({
    user: t.relation('user', {
      resolve: async (_query, member, _args, context, info) => {
        if (isOnBox(context, member.guildId)) return boxMember(context, member).user;
        const user = await referredUser(context, info, member.userId);
        if (!user) throw new DomainError('UNKNOWN_USER');
        return user;
      },
    }),
    nick: t.exposeString('nick', { nullable: true }),
    roles: t.field({
      type: [Role],
      description: 'Without @everyone, lowest first.',
      resolve: async (member, _args, context) => {
        if (!isOnBox(context, member.guildId)) return memberRoles(context).load(member);
        const has = new Set(boxMember(context, member).roles.map(({ roleId }) => roleId));
        return (await boxRoles(context, member.guildId)).filter(({ id }) => has.has(id));
      },
    }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime' }),
    mute: t.exposeBoolean('mute', { description: 'By a moderator, in every voice channel.' }),
    deaf: t.exposeBoolean('deaf', { description: 'By a moderator, in every voice channel.' }),
    communicationDisabledUntil: t.expose('communicationDisabledUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when they may only look on; a time that is over says nothing.',
    }),
  }),
});

type MemberKey = Pick<MemberRow, 'guildId' | 'userId'>;

/** Reads each role once. */
export function memberRoles({ call, loaders, budget }: GraphqlContext): Loader<MemberKey, RoleRow[]> {
  return loaders.get('roles of members', () =>
    createLoader<MemberKey, RoleRow[]>(async (members) => {
      const guildIds = [...new Set(members.map(({ guildId }) => guildId))];
      const roleIds = new Map<string, bigint[]>();
      for (const guildId of guildIds) {
        const userIds = members.filter((member) => member.guildId === guildId).map(({ userId }) => userId);
        const where = { guildId, userId: { in: userIds } };
        for (const { userId, roleId } of await budget.read(Number.POSITIVE_INFINITY, (take) =>
          call.read.memberRole.findMany({ where, take }),
        )) {
          const key = `${guildId} ${userId}`;
          roleIds.set(key, [...(roleIds.get(key) ?? []), roleId]);
        }
      }
      const ids = [...new Set([...roleIds.values()].flat())];
      const rows = await readInPieces(budget, ids, (piece) =>
        call.read.role.findMany({ where: { id: { in: piece } } }),
      );
      const roles = new Map(rows.map((role) => [role.id, role]));
      // Skips a role that was deleted during the read.
      const rolesOf = ({ guildId, userId }: MemberKey) =>
        (roleIds.get(`${guildId} ${userId}`) ?? [])
          .flatMap((id) => roles.get(id) ?? [])
          .sort((a, b) => a.position - b.position);
      return new Map(members.map((member) => [member, rolesOf(member)]));
    }, []),
  );
}

export const MemberConnection = builder.connectionObject(
  { type: Member, name: 'MemberConnection' },
  { name: 'MemberEdge' },
);

const SetMemberRolesInput = builder.inputType('SetMemberRolesInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    userId: t.id({ required: true }),
    roleIds: t.idList({ required: true, description: 'All roles the member is to have, @everyone not among them.' }),
  }),
});

const MemberRoleInput = builder.inputType('MemberRoleInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    userId: t.id({ required: true }),
    roleId: t.id({ required: true, description: 'Below the highest of the caller.' }),
    reason: t.string({ description: 'For the audit log.' }),
  }),
});

const MemberPayload = builder.objectRef<{ member: MemberRow }>('MemberPayload').implement({
  fields: (t) => ({ member: t.field({ type: Member, resolve: ({ member }) => member }) }),
});

export const MemberIdInput = builder.inputType('MemberIdInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    userId: t.id({ required: true }),
    reason: t.string({ description: 'For the audit log.' }),
  }),
});

const UpdateMemberInput = builder.inputType('UpdateMemberInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    userId: t.id({ required: true }),
    nick: t.string({ description: 'Null for none; what is left out stays.' }),
    communicationDisabledUntil: t.field({
      type: 'DateTime',
      description: 'Times them out until then, 28 days at most; null ends it.',
    }),
    mute: t.boolean({ description: 'Of somebody in voice, by a moderator.' }),
    deaf: t.boolean({ description: 'Of somebody in voice, by a moderator.' }),
    voiceChannelId: t.id({ description: 'Moves somebody who is in voice there; null takes them out of it.' }),
    reason: t.string({ description: 'For the audit log.' }),
  }),
});

const PruneMembersInput = builder.inputType('PruneMembersInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    days: t.int({ description: 'For how many days they were not here, 1 to 30; 7 unless stated.' }),
    roleIds: t.idList({ description: 'Roles that keep nobody from being removed.' }),
    reason: t.string({ description: 'For the audit log.' }),
  }),
});

const PruneMembersPayload = builder.objectRef<{ pruned: number }>('PruneMembersPayload').implement({
  fields: (t) => ({ pruned: t.exposeInt('pruned', { description: 'How many members it removes, soon.' }) }),
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
    description: 'How many members `pruneMembers` would remove; for who may do that.',
    args: {
      days: t.arg.int({ description: 'For how many days they were not here, 1 to 30; 7 unless stated.' }),
      roleIds: t.arg.idList({ description: 'Roles that keep nobody from being counted.' }),
    },
    complexity: COUNT_COST,
    resolve: ({ id }, args, { call, budget }) =>
      isOnBox({ call }, id) ? 0 : budget.step(() => countInactive(call, pruneOf(id, args))),
  }),
}));

builder.mutationFields((t) => ({
  setMemberRoles: t.field({
    type: MemberPayload,
    args: { input: t.arg({ type: SetMemberRolesInput, required: true }) },
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
    description: 'Gives a member a role; one that they have is no change.',
    args: { input: t.arg({ type: MemberRoleInput, required: true }) },
    resolve: (_root, { input }, context) => changeRole(context, input, addMemberRole),
  }),
  removeMemberRole: t.field({
    type: MemberPayload,
    description: 'Takes a role from a member; one that they have not is no change.',
    args: { input: t.arg({ type: MemberRoleInput, required: true }) },
    resolve: (_root, { input }, context) => changeRole(context, input, removeMemberRole),
  }),
  updateMember: t.field({
    type: MemberPayload,
    description:
      "Changes a member's nickname, times them out, or moderates them in voice: all that is given, or nothing.",
    args: { input: t.arg({ type: UpdateMemberInput, required: true }) },
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
    description: 'Removes a member; the id that is answered is that of the user.',
    args: { input: t.arg({ type: MemberIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const userId = parseId(input.userId, 'userId');
      await kickMember(withReason(call, input.reason), { guildId: parseId(input.guildId, 'guildId'), userId });
      return { id: userId };
    },
  }),
  pruneMembers: t.field({
    type: PruneMembersPayload,
    description:
      'Removes people who were not here for some days, rank below the caller and have no roles but the stated ones.',
    args: { input: t.arg({ type: PruneMembersInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({
      pruned: await pruneMembers(withReason(call, input.reason), pruneOf(parseId(input.guildId, 'guildId'), input)),
    }),
  }),
}));
