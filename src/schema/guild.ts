import { queryFromInfo } from '@pothos/plugin-prisma';
import { requireUser } from '../domain/call.js';
import { accessGuild, channelsWith, createGuild, leaveGuild } from '../domain/guilds/index.js';
import { Permission } from '../domain/permissions.js';
import type { Guild as GuildRow } from '../infra/database/index.js';
import { builder } from './builder.js';
import { Channel } from './channel.js';
import { DeletedPayload } from './deleted.js';
import { parseId, snowflakeId } from './ids.js';
import { Installation } from './installation.js';
import { MemberConnection } from './member.js';
import { connectionOf, pageArgs, pageRows, pageSizeOf, parsePage, withinPage } from './page.js';

const GuildTier = builder.enumType('GuildTier', { values: ['CLOUD', 'SELF_HOSTED'] as const });

const Guild = builder.prismaObject('Guild', {
  description: 'A server. Everything in it is shown to its members only.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name'),
    description: t.exposeString('description', { nullable: true }),
    iconUrl: t.string({
      nullable: true,
      resolve: ({ id, iconHash }, _args, { app }) =>
        iconHash && `${app.addresses.publicUrl}/cdn/icons/${id}/${iconHash}.png`,
    }),
    tier: t.field({ type: GuildTier, resolve: () => 'CLOUD' as const }),
    owner: t.relation('owner', { nullable: true }),
    channels: t.field({
      type: [Channel],
      description: 'The channels the caller can see, in their order.',
      select: (_args, _context, nested) => ({
        channels: nested({ orderBy: [{ position: 'asc' }, { id: 'asc' }] }),
      }),
      resolve: async ({ id, channels }, _args, { call }) => {
        const visible = channelsWith(await accessGuild(call, id), requireUser(call).user.id, Permission.ViewChannel);
        return channels.filter((channel) => visible.has(channel.id));
      },
    }),
    roles: t.relation('roles', {
      description: 'Lowest first, beginning with @everyone.',
      query: { orderBy: [{ position: 'asc' }, { id: 'asc' }] },
    }),
    members: t.field({
      type: MemberConnection,
      args: pageArgs,
      complexity: (args) => ({ field: 1, multiplier: pageSizeOf(args) }),
      resolve: async ({ id }, args, context, info) => {
        await accessGuild(context.call, id);
        const page = parsePage(args);
        const rows = await context.call.read.member.findMany({
          ...queryFromInfo({ context, info, path: ['edges', 'node'] }),
          where: { guildId: id, userId: withinPage(page) },
          orderBy: { userId: page.backwards ? 'desc' : 'asc' },
          take: page.take + 1,
        });
        return connectionOf(page, pageRows(page, rows), (row) => row.userId);
      },
    }),
    installations: t.field({
      type: [Installation],
      resolve: async ({ id }, _args, context, info) => {
        await accessGuild(context.call, id);
        const query = queryFromInfo({ context, info });
        return context.call.read.installation.findMany({ ...query, where: { guildId: id }, orderBy: { id: 'asc' } });
      },
    }),
  }),
});

builder.queryFields((t) => ({
  guilds: t.prismaField({
    type: [Guild],
    description: 'Where the caller is a member.',
    resolve: (query, _root, _args, { call }) =>
      call.read.guild.findMany({
        ...query,
        where: { members: { some: { userId: requireUser(call).user.id } } },
        orderBy: { id: 'asc' },
      }),
  }),
  guild: t.prismaField({
    type: Guild,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (query, _root, args, { call }) => {
      const id = parseId(args.id, 'id');
      await accessGuild(call, id);
      return call.read.guild.findUnique({ ...query, where: { id } });
    },
  }),
}));

const CreateGuildInput = builder.inputType('CreateGuildInput', {
  fields: (t) => ({ name: t.string({ required: true }), description: t.string() }),
});
const GuildIdInput = builder.inputType('GuildIdInput', { fields: (t) => ({ guildId: t.id({ required: true }) }) });

export const GuildPayload = builder.objectRef<{ guild: GuildRow }>('GuildPayload').implement({
  fields: (t) => ({ guild: t.field({ type: Guild, resolve: ({ guild }) => guild }) }),
});

builder.mutationFields((t) => ({
  createGuild: t.field({
    type: GuildPayload,
    description: 'Makes a server with one text and one voice channel, owned by the caller.',
    args: { input: t.arg({ type: CreateGuildInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({ guild: await createGuild(call, input) }),
  }),
  leaveGuild: t.field({
    type: DeletedPayload,
    args: { input: t.arg({ type: GuildIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.guildId, 'guildId');
      await leaveGuild(call, id);
      return { id };
    },
  }),
}));
