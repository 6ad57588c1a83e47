import { queryFromInfo } from '@pothos/plugin-prisma';
import { requireUser } from '../domain/call.js';
import { neededInChannel } from '../domain/guild-operations.js';
import { joinGuild, permissionsInChannel } from '../domain/guilds/index.js';
import {
  createInvite,
  deleteInvite,
  getInvite,
  type InviteDetails,
  manageableInvites,
  NewInvite,
} from '../domain/invites/index.js';
import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import { allows } from '../domain/permissions.js';
import type { Invite as InviteRow } from '../infra/database/index.js';
import { isOnBox } from './box-guilds.js';
import { builder } from './builder.js';
import { ChannelIdInput } from './channels.js';
import { DeletedPayload } from './deleted.js';
import { GuildPayload } from './guild-mutations.js';
import { parseId } from './ids.js';
import { User } from './users.js';

const Invite = builder.prismaObject('Invite', {
  fields: (t) => ({
    code: t.exposeString('code'),
    url: t.string({ resolve: ({ code }, _args, { app }) => `${app.addresses.publicUrl}/invite/${code}` }),
    channel: t.relation('channel', {
      nullable: true,
      description: 'Null for a channel that the caller cannot see.',
      resolve: async (query, { guildId, channelId }, _args, { call }) => {
        const { id: userId } = requireUser(call).user;
        const permissions = await permissionsInChannel(call.guilds, guildId, channelId, userId, call.clock.now());
        if (!allows(permissions ?? 0n, neededInChannel(['viewChannel']))) return null;
        return call.read.channel.findUnique({ ...query, where: { id: channelId } });
      },
    }),
    inviter: t.relation('inviter', { description: 'Who made it.' }),
    uses: t.exposeInt('uses', { description: 'How many people joined by it.' }),
    maxUses: t.exposeInt('maxUses', { description: 'How many can; 0 for any number.' }),
    temporary: t.exposeBoolean('temporary', {
      description: 'Whether who joins by it stays only until they are gone, unless they are given a role.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'Null for never.' }),
  }),
});

const InvitePreview = builder.objectRef<InviteDetails>('InvitePreview').implement({
  description: 'What an invite shows to anybody who has its code.',
  fields: (t) => ({
    code: t.string({ resolve: ({ invite }) => invite.code }),
    guildId: t.id({ resolve: ({ invite }) => String(invite.guildId) }),
    guildName: t.string({ resolve: ({ invite }) => invite.guild.name }),
    guildDescription: t.string({ nullable: true, resolve: ({ invite }) => invite.guild.description }),
    guildIconUrl: t.string({
      nullable: true,
      resolve: ({ invite: { guild } }, _args, { app }) =>
        guild.iconHash && `${app.addresses.publicUrl}/cdn/icons/${guild.id}/${guild.iconHash}.png`,
    }),
    memberCount: t.int({ resolve: ({ memberCount }) => memberCount ?? 0 }),
    presenceCount: t.int({
      description: 'About how many of the members are online.',
      resolve: ({ presenceCount }) => presenceCount ?? 0,
    }),
    channelName: t.string({ resolve: ({ invite }) => invite.channel.name }),
    inviter: t.field({ type: User, resolve: ({ invite }) => invite.inviter }),
    temporary: t.boolean({
      description: 'Whether who joins by it stays only until they are gone, unless they are given a role.',
      resolve: ({ invite }) => invite.temporary,
    }),
    expiresAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ invite }) => invite.expiresAt }),
  }),
});

builder.queryField('invite', (t) =>
  t.field({
    type: InvitePreview,
    nullable: true,
    description: 'What joining by an invite leads to.',
    args: { code: t.arg.string({ required: true }) },
    resolve: (_root, { code }, { call, budget }) => {
      requireUser(call);
      return budget.step(() => getInvite(call, { code, withCounts: true }));
    },
  }),
);

builder.prismaObjectFields('Guild', (t) => ({
  invites: t.field({
    type: [Invite],
    description:
      'Those that the caller may take back: all for who manages the server, otherwise their own and those to channels they manage.',
    resolve: async ({ id }, _args, context, info) => {
      if (isOnBox(context, id)) return [];
      const { budget, call } = context;
      const query = queryFromInfo({ context, info });
      const where = await budget.step(() => manageableInvites(call, id));
      return budget.read(limits.invitesPerGuild, (take) =>
        call.read.invite.findMany({ ...query, where, orderBy: [{ createdAt: 'asc' }, { code: 'asc' }], take }),
      );
    },
  }),
}));

const InvitePayload = builder.objectRef<InviteRow>('InvitePayload').implement({
  fields: (t) => ({
    code: t.exposeString('code'),
    url: t.string({ resolve: ({ code }, _args, { app }) => `${app.addresses.publicUrl}/invite/${code}` }),
    invite: t.field({ type: Invite, resolve: (invite) => invite }),
  }),
});

const InviteCodeInput = builder.inputType('InviteCodeInput', {
  fields: (t) => ({ code: t.string({ required: true, description: "An invite's code." }) }),
});

const JoinGuildInput = builder.inputType('JoinGuildInput', {
  fields: (t) => ({ code: t.string({ required: true, description: "An invite's code." }) }),
});

builder.mutationFields((t) => ({
  createInvite: t.field({
    type: InvitePayload,
    args: {
      input: t.arg({ type: ChannelIdInput, required: true }),
      maxAge: t.arg.int({
        description: 'How long it works, in seconds, a week at most; 0 for ever, a day when not given.',
      }),
      maxUses: t.arg.int({
        description: 'How many people can join by it, 100 at most; 0, or not given, for any number.',
      }),
      temporary: t.arg.boolean({
        description: 'Whether who joins by it stays only until they are gone, unless they are given a role.',
      }),
    },
    resolve: (_root, { input, ...options }, { call }) =>
      createInvite(call, parseId(input.channelId, 'channelId'), parseInput(NewInvite, options)),
  }),
  deleteInvite: t.field({
    type: DeletedPayload,
    description: 'Takes an invite back; the id that is answered is its code.',
    args: { input: t.arg({ type: InviteCodeInput, required: true }) },
    resolve: async (_root, { input: { code } }, { call }) => {
      await deleteInvite(call, code);
      return { id: code };
    },
  }),
  joinGuild: t.field({
    type: GuildPayload,
    args: { input: t.arg({ type: JoinGuildInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({ guild: await joinGuild(call, input.code) }),
  }),
}));
