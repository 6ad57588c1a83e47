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
import { builder, inputOf } from './builder.js';
import { ChannelIdInput } from './channels.js';
import { DeletedPayload } from './deleted.js';
import { GuildPayload } from './guild-mutations.js';
import { onlyHere } from './guild-readers/index.js';
import { parseId } from './ids.js';
import { User } from './users.js';

const CODE = 'Code of the invite, 8 letters and digits.';
const URL_TEXT = 'Link that opens the invite.';
const INVITER = 'User who created the invite.';
const EXPIRES_AT = 'Time when the invite expires. Null if never.';
const TEMPORARY = 'Whether the membership ends when the member disconnects, unless they were given a role.';

const Invite = builder.prismaObject('Invite', {
  description: 'An invite to a server.',
  fields: (t) => ({
    code: t.exposeString('code', { description: CODE }),
    url: t.string({
      description: URL_TEXT,
      resolve: ({ code }, _args, { app }) => `${app.addresses.publicUrl}/invite/${code}`,
    }),
    channel: t.relation('channel', {
      nullable: true,
      description: 'Channel of the invite. Null if the caller cannot see it.',
      resolve: async (query, { guildId, channelId }, _args, { call }) => {
        const { id: userId } = requireUser(call).user;
        const permissions = await permissionsInChannel(call.guilds, guildId, channelId, userId, call.clock.now());
        if (!allows(permissions ?? 0n, neededInChannel(['viewChannel']))) return null;
        return call.read.channel.findUnique({ ...query, where: { id: channelId } });
      },
    }),
    inviter: t.relation('inviter', { description: INVITER }),
    uses: t.exposeInt('uses', { description: 'Number of people who joined with the invite.' }),
    maxUses: t.exposeInt('maxUses', { description: 'Maximum number of people who can join; 0 for no limit.' }),
    temporary: t.exposeBoolean('temporary', {
      description: TEMPORARY,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time when the invite was created.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: EXPIRES_AT }),
  }),
});

const InvitePreview = builder.objectRef<InviteDetails>('InvitePreview').implement({
  description: 'Details of an invite that are visible with its code.',
  fields: (t) => ({
    code: t.string({ description: CODE, resolve: ({ invite }) => invite.code }),
    guildId: t.id({ description: 'ID of the server.', resolve: ({ invite }) => String(invite.guildId) }),
    guildName: t.string({ description: 'Name of the server.', resolve: ({ invite }) => invite.guild.name }),
    guildDescription: t.string({
      nullable: true,
      description: 'Description of the server. Null if none is set.',
      resolve: ({ invite }) => invite.guild.description,
    }),
    guildIconUrl: t.string({
      nullable: true,
      description: 'URL of the icon of the server. Null if none is set.',
      resolve: ({ invite: { guild } }, _args, { app }) =>
        guild.iconHash && `${app.addresses.publicUrl}/cdn/icons/${guild.id}/${guild.iconHash}.png`,
    }),
    memberCount: t.int({
      description: 'Number of members of the server.',
      resolve: ({ memberCount }) => memberCount ?? 0,
    }),
    presenceCount: t.int({
      description: 'Approximate number of members who are online.',
      resolve: ({ presenceCount }) => presenceCount ?? 0,
    }),
    channelName: t.string({
      description: 'Name of the channel of the invite.',
      resolve: ({ invite }) => invite.channel.name,
    }),
    inviter: t.field({ type: User, description: INVITER, resolve: ({ invite }) => invite.inviter }),
    temporary: t.boolean({
      description: TEMPORARY,
      resolve: ({ invite }) => invite.temporary,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: EXPIRES_AT,
      resolve: ({ invite }) => invite.expiresAt,
    }),
  }),
});

builder.queryField('invite', (t) =>
  t.field({
    type: InvitePreview,
    nullable: true,
    description: 'Preview of an invite. Fails if the invite has expired.',
    args: { code: t.arg.string({ required: true, description: CODE }) },
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
      'Invites that the caller can delete: all with Manage Guild, otherwise their own and those to channels where they have Manage Channels.',
    resolve: onlyHere([], async ({ id }, _args, context, info) => {
      const { budget, call } = context;
      const query = queryFromInfo({ context, info });
      const where = await budget.step(() => manageableInvites(call, id));
      return budget.read(limits.invitesPerGuild, (take) =>
        call.read.invite.findMany({ ...query, where, orderBy: [{ createdAt: 'asc' }, { code: 'asc' }], take }),
      );
    }),
  }),
}));

const InvitePayload = builder.objectRef<InviteRow>('InvitePayload').implement({
  description: 'A new invite.',
  fields: (t) => ({
    code: t.exposeString('code', { description: CODE }),
    url: t.string({
      description: URL_TEXT,
      resolve: ({ code }, _args, { app }) => `${app.addresses.publicUrl}/invite/${code}`,
    }),
    invite: t.field({ type: Invite, description: 'The new invite.', resolve: (invite) => invite }),
  }),
});

const InviteCodeInput = builder.inputType('InviteCodeInput', {
  description: 'Identifies an invite.',
  fields: (t) => ({ code: t.string({ required: true, description: CODE }) }),
});

const JoinGuildInput = builder.inputType('JoinGuildInput', {
  description: 'Identifies the invite to join with.',
  fields: (t) => ({ code: t.string({ required: true, description: CODE }) }),
});

builder.mutationFields((t) => ({
  createInvite: t.field({
    type: InvitePayload,
    description: 'Creates an invite to a channel. Needs Create Instant Invite.',
    args: {
      input: t.arg(inputOf(ChannelIdInput)),
      maxAge: t.arg.int({
        description:
          'Seconds until the invite expires, at most 604,800 (a week); 0 for never. Default: 86,400 (a day).',
      }),
      maxUses: t.arg.int({
        description: 'Maximum number of people who can join, at most 100; 0 for no limit. Default: 0.',
      }),
      temporary: t.arg.boolean({
        description: TEMPORARY,
      }),
    },
    resolve: (_root, { input, ...options }, { call }) =>
      createInvite(call, parseId(input.channelId, 'channelId'), parseInput(NewInvite, options)),
  }),
  deleteInvite: t.field({
    type: DeletedPayload,
    description:
      'Deletes an invite and returns its code. Needs Manage Guild, or Manage Channels in its channel, unless the caller created it.',
    args: { input: t.arg(inputOf(InviteCodeInput)) },
    resolve: async (_root, { input: { code } }, { call }) => {
      await deleteInvite(call, code);
      return { id: code };
    },
  }),
  joinGuild: t.field({
    type: GuildPayload,
    description: 'Adds the caller to a server. Does nothing if they are a member. Fails if they are banned.',
    args: { input: t.arg(inputOf(JoinGuildInput)) },
    resolve: async (_root, { input }, { call }) => ({ guild: await joinGuild(call, input.code) }),
  }),
}));
