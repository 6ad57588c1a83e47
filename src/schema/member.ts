import { setMemberRoles } from '../domain/members/index.js';
import type { Member as MemberRow } from '../infra/database/index.js';
import { builder } from './builder.js';
import { parseId } from './ids.js';
import { Role } from './role.js';

const Member = builder.prismaObject('Member', {
  fields: (t) => ({
    user: t.relation('user'),
    nick: t.exposeString('nick', { nullable: true }),
    roles: t.field({
      type: [Role],
      description: 'Without @everyone, lowest first.',
      select: (_args, _context, nested) => ({ roles: { select: { role: nested(true) } } }),
      // A role that was deleted while they were read is null: it is read by a statement of its own.
      resolve: ({ roles }) => roles.flatMap(({ role }) => role ?? []).sort((a, b) => a.position - b.position),
    }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime' }),
  }),
});

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

const MemberPayload = builder.objectRef<{ member: MemberRow }>('MemberPayload').implement({
  fields: (t) => ({ member: t.field({ type: Member, resolve: ({ member }) => member }) }),
});

builder.mutationField('setMemberRoles', (t) =>
  t.field({
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
);
