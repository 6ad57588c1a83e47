import { queryFromInfo } from '@pothos/plugin-prisma';
import { banMember, banMembers, DeleteMessageSeconds, UsersToBan, unbanMember } from '../domain/bans/index.js';
import { accessGuild } from '../domain/guilds/index.js';
import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import type { Ban as BanRow } from '../infra/database/index.js';
import { builder, inputOf } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { onlyHere } from './guild-readers/index.js';
import { idOf, parseId } from './ids.js';
import { MemberIdInput } from './members.js';
import { connectionOf, type PageArgs, pageArgs, pageRows, pageSizeOf, parsePage, withinPage } from './page.js';
import { withReason } from './reasons.js';

const Ban = builder.prismaObject('Ban', {
  description: 'A ban of a user from a server.',
  fields: (t) => ({
    user: t.relation('user', { description: 'The banned user.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Reason for the ban. Null if none was given.' }),
  }),
});

const BanConnection = builder.connectionObject({ type: Ban, name: 'BanConnection' }, { name: 'BanEdge' });

const noBans = (args: PageArgs) =>
  connectionOf<BanRow>(parsePage(args), { rows: [], hasMore: false }, (row) => row.userId);

builder.prismaObjectFields('Guild', (t) => ({
  bans: t.field({
    type: BanConnection,
    description: 'Bans, sorted by user ID. Needs Ban Members. Empty for a server on a box.',
    args: pageArgs,
    complexity: (args) => ({ field: 1, multiplier: pageSizeOf(args) }),
    resolve: onlyHere(noBans, async ({ id }, args, context, info) => {
      const { call, budget } = context;
      const page = parsePage(args);
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
    }),
  }),
}));

const BAN_REASON = `Stored with the ban and in the audit log. At most ${limits.auditReason} characters.`;
const DELETED_SECONDS = 'Deletes the messages of the past 0–604,800 seconds (a week). Default: 0.';

const BanMemberInput = builder.inputType('BanMemberInput', {
  description: 'A user to ban.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    userId: t.id(idOf.user),
    reason: t.string({ description: BAN_REASON }),
    deleteMessageSeconds: t.int({ description: DELETED_SECONDS }),
  }),
});

const BanMembersInput = builder.inputType('BanMembersInput', {
  description: 'Users to ban.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    userIds: t.idList({ required: true, description: `IDs of the users, at most ${limits.bansAtOnce}.` }),
    reason: t.string({ description: BAN_REASON }),
    deleteMessageSeconds: t.int({ description: DELETED_SECONDS }),
  }),
});

const BanMembersPayload = builder.objectRef<Awaited<ReturnType<typeof banMembers>>>('BanMembersPayload').implement({
  description: 'Result of `banMembers`.',
  fields: (t) => ({
    bannedIds: t.idList({
      description: 'IDs of the users who were banned.',
      resolve: ({ bannedIds }) => bannedIds.map(String),
    }),
    failedIds: t.idList({
      description: 'IDs of users who are unknown, do not rank below the caller, or were already banned.',
      resolve: ({ failedIds }) => failedIds.map(String),
    }),
  }),
});

builder.mutationFields((t) => ({
  banMembers: t.field({
    type: BanMembersPayload,
    description:
      'Bans users independently of each other. Fails if none can be banned. Needs Ban Members and Manage Guild.',
    args: { input: t.arg(inputOf(BanMembersInput)) },
    resolve: (_root, { input }, { call }) =>
      banMembers(withReason(call, input.reason), {
        guildId: parseId(input.guildId, 'guildId'),
        userIds: parseInput(UsersToBan, input.userIds, 'userIds'),
        deleteMessageSeconds: parseInput(DeleteMessageSeconds, input.deleteMessageSeconds, 'deleteMessageSeconds'),
      }),
  }),
  banMember: t.field({
    type: DeletedPayload,
    description:
      'Bans a user, and returns the user ID. They need not be a member; a member must rank below the caller. Needs Ban Members.',
    args: { input: t.arg(inputOf(BanMemberInput)) },
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
    description: 'Lifts a ban, and returns the user ID. Needs Ban Members.',
    args: { input: t.arg(inputOf(MemberIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const userId = parseId(input.userId, 'userId');
      await unbanMember(withReason(call, input.reason), { guildId: parseId(input.guildId, 'guildId'), userId });
      return { id: userId };
    },
  }),
}));
