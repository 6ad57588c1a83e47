import { queryFromInfo } from '@pothos/plugin-prisma';
import { banMember, banMembers, DeleteMessageSeconds, UsersToBan, unbanMember } from '../domain/bans/index.js';
import { accessGuild } from '../domain/guilds/index.js';
import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import type { Ban as BanRow } from '../infra/database/index.js';
import { isOnBox } from './box-guilds.js';
import { builder } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { parseId } from './ids.js';
import { MemberIdInput } from './members.js';
import { connectionOf, type PageRows, pageArgs, pageRows, pageSizeOf, parsePage, withinPage } from './page.js';
import { withReason } from './reasons.js';

const Ban = builder.prismaObject('Ban', {
  description: 'Somebody who may not be a member.',
  fields: (t) => ({
    user: t.relation('user'),
    reason: t.exposeString('reason', { nullable: true }),
  }),
});

const BanConnection = builder.connectionObject({ type: Ban, name: 'BanConnection' }, { name: 'BanEdge' });

/** A box keeps its own bans. */
const NOBODY: PageRows<BanRow> = { rows: [], hasMore: false };

builder.prismaObjectFields('Guild', (t) => ({
  bans: t.field({
    type: BanConnection,
    description: 'For who may ban members.',
    args: pageArgs,
    complexity: (args) => ({ field: 1, multiplier: pageSizeOf(args) }),
    resolve: async ({ id }, args, context, info) => {
      const { call, budget } = context;
      const page = parsePage(args);
      if (isOnBox(context, id)) return connectionOf(page, NOBODY, (row) => row.userId);
      await budget.step(() => accessGuild(call, id, 'viewBans'));
      const query = queryFromInfo({ context, info, path: ['edges', 'node'] });
      const rows = await budget.read(page.take + 1, (take) =>
        call.read.ban.findMany({
          ...query,
          where: { guildId: id, userId: withinPage(page) },
          orderBy: { userId: page.backwards ? 'desc' : 'asc' },
          take,
        }),
      );
      return connectionOf(page, pageRows(page, rows), (row) => row.userId);
    },
  }),
}));

const BanMemberInput = builder.inputType('BanMemberInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    userId: t.id({ required: true }),
    reason: t.string({ description: 'Kept with the ban and in the audit log.' }),
    deleteMessageSeconds: t.int({
      description: 'For how long back their messages are removed, a week at most; 0, or not given, for none.',
    }),
  }),
});

const BanMembersInput = builder.inputType('BanMembersInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    userIds: t.idList({ required: true, description: `${limits.bansAtOnce} at most.` }),
    reason: t.string({ description: 'Kept with each ban and in the audit log.' }),
    deleteMessageSeconds: t.int({ description: 'As of `banMember`.' }),
  }),
});

const BanMembersPayload = builder.objectRef<Awaited<ReturnType<typeof banMembers>>>('BanMembersPayload').implement({
  fields: (t) => ({
    bannedIds: t.idList({ resolve: ({ bannedIds }) => bannedIds.map(String) }),
    failedIds: t.idList({
      description: 'Who cannot be banned by the caller, is unknown, or was banned before.',
      resolve: ({ failedIds }) => failedIds.map(String),
    }),
  }),
});

builder.mutationFields((t) => ({
  banMembers: t.field({
    type: BanMembersPayload,
    description: 'Bans several users, each on their own, for who may ban members and manages the server.',
    args: { input: t.arg({ type: BanMembersInput, required: true }) },
    resolve: (_root, { input }, { call }) =>
      banMembers(withReason(call, input.reason), {
        guildId: parseId(input.guildId, 'guildId'),
        userIds: parseInput(UsersToBan, input.userIds, 'userIds'),
        deleteMessageSeconds: parseInput(DeleteMessageSeconds, input.deleteMessageSeconds, 'deleteMessageSeconds'),
      }),
  }),
  banMember: t.field({
    type: DeletedPayload,
    description: 'Bans a user, member or not; the id that is answered is theirs.',
    args: { input: t.arg({ type: BanMemberInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const guildId = parseId(input.guildId, 'guildId');
      const userId = parseId(input.userId, 'userId');
      const seconds = parseInput(DeleteMessageSeconds, input.deleteMessageSeconds, 'deleteMessageSeconds');
      await banMember(withReason(call, input.reason), { guildId, userId, deleteMessageSeconds: seconds });
      return { id: userId };
    },
  }),
  unbanMember: t.field({
    type: DeletedPayload,
    description: 'Lifts a ban; the id that is answered is that of the user.',
    args: { input: t.arg({ type: MemberIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const userId = parseId(input.userId, 'userId');
      await unbanMember(withReason(call, input.reason), { guildId: parseId(input.guildId, 'guildId'), userId });
      return { id: userId };
    },
  }),
}));
