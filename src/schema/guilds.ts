import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { requireUser } from '../domain/call.js';
import {
  accessGuild,
  channelsWith,
  createGuild,
  deleteGuild,
  GuildSettings,
  leaveGuild,
  NewGuild,
  updateGuild,
} from '../domain/guilds/index.js';
import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import type { Channel as ChannelRow, Guild as GuildRow } from '../infra/database/index.js';
import { idOrNull } from '../wire/id.js';
import { builder } from './builder.js';
import { Channel } from './channels.js';
import type { GraphqlContext } from './context.js';
import { DeletedPayload } from './deleted.js';
import { parseId, snowflakeId } from './ids.js';
import { Installation } from './installations.js';
import { childLists, fieldKey, listArgs, listCost, parseList, referredRows } from './lists.js';
import { MemberConnection } from './members.js';
import { connectionOf, pageArgs, pageRows, pageSizeOf, parsePage, withinPage } from './page.js';
import { Role } from './roles.js';
import { bytesOf } from './uploads.js';

const GuildTier = builder.enumType('GuildTier', { values: ['CLOUD', 'SELF_HOSTED'] as const });

export const Guild = builder.prismaObject('Guild', {
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
    afkChannelId: t.id({ nullable: true, resolve: ({ afkChannelId }) => idOrNull(afkChannelId) }),
    afkTimeout: t.exposeInt('afkTimeout', { description: 'In seconds.' }),
    systemChannelId: t.id({
      nullable: true,
      resolve: ({ systemChannelId }) => idOrNull(systemChannelId),
    }),
    systemChannelFlags: t.exposeInt('systemChannelFlags', { description: "The reference platform's bits." }),
    verificationLevel: t.exposeInt('verificationLevel', { description: "The reference platform's level." }),
    defaultMessageNotifications: t.exposeInt('defaultMessageNotifications', {
      description: '0 for all messages, 1 for mentions.',
    }),
    explicitContentFilter: t.exposeInt('explicitContentFilter', { description: "The reference platform's level." }),
    preferredLocale: t.exposeString('preferredLocale', { description: 'Such as `en-US`.' }),
    tier: t.field({ type: GuildTier, resolve: () => 'CLOUD' as const }),
    owner: t.relation('owner', { nullable: true }),
    channels: t.field({
      type: [Channel],
      description: 'The channels the caller can see, in their order.',
      resolve: ({ id }, _args, context, info) => visibleChannels(context, info, id),
    }),
    roles: t.field({
      type: [Role],
      description: 'Lowest first, beginning with @everyone.',
      resolve: ({ id }, _args, context, info) => {
        const query = queryFromInfo({ context, info });
        return childLists(context, info, {
          most: limits.rolesPerGuild,
          read: (guildIds, take) =>
            context.call.read.role.findMany({
              ...query,
              where: { guildId: { in: guildIds } },
              orderBy: [{ position: 'asc' }, { id: 'asc' }],
              take,
            }),
          parentOf: (role) => role.guildId,
        }).load(id);
      },
    }),
    viewerPermissions: t.string({
      description: 'What the caller may do in the server at large, as decimal bits.',
      resolve: async ({ id }, _args, { call, budget }) => {
        const { permissions } = await budget.step(() => accessGuild(call, id, 'viewGuild'));
        return String(permissions);
      },
    }),
    members: t.field({
      type: MemberConnection,
      args: {
        ...pageArgs,
        search: t.arg.string({
          description:
            'Only those whose username, shown name or nickname begins with it: the first of them in the order of those names, without a page that follows.',
        }),
      },
      complexity: (args) => ({ field: 1, multiplier: pageSizeOf(args) }),
      resolve: async ({ id }, { search, ...args }, context, info) => {
        await context.budget.step(() => accessGuild(context.call, id, 'viewGuild'));
        const page = parsePage(args);
        if (search) {
          const found = await context.budget.read(page.take, (take) =>
            context.call.guilds.searchMembers(id, search, take),
          );
          return connectionOf({ ...page, backwards: false }, { rows: found, hasMore: false }, (row) => row.userId);
        }
        const query = queryFromInfo({ context, info, path: ['edges', 'node'] });
        const rows = await context.budget.read(page.take + 1, (take) =>
          context.call.read.member.findMany({
            ...query,
            where: { guildId: id, userId: withinPage(page) },
            orderBy: { userId: page.backwards ? 'desc' : 'asc' },
            take,
          }),
        );
        return connectionOf(page, pageRows(page, rows), (row) => row.userId);
      },
    }),
    installations: t.field({
      type: [Installation],
      description: 'Oldest first.',
      args: listArgs,
      complexity: listCost,
      resolve: async ({ id }, args, context, info) => {
        await context.budget.step(() => accessGuild(context.call, id, 'viewGuild'));
        const query = queryFromInfo({ context, info });
        const { most, after } = parseList(args);
        return childLists(context, info, {
          most,
          read: (guildIds, take) =>
            context.call.read.installation.findMany({
              ...query,
              where: { guildId: { in: guildIds }, id: { gt: after } },
              orderBy: { id: 'asc' },
              take,
            }),
          parentOf: (installation) => installation.guildId,
        }).load(id);
      },
    }),
  }),
});

/** The guild that a row refers to, read with those of its like; null for who is no member of it, and where it is gone. */
export async function guildOfMember(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  guildId: bigint,
): Promise<GuildRow | null> {
  const { call, budget } = context;
  const member = await budget.step(() => call.guilds.member(guildId, requireUser(call).user.id));
  if (!member) return null;
  const query = queryFromInfo({ context, info });
  const read = (ids: bigint[]) => call.read.guild.findMany({ ...query, where: { id: { in: ids } } });
  return referredRows(context, info, read).load(guildId);
}

/** Worked out once for each guild, however many of an operation's objects belong to it. */
function visibleChannels(context: GraphqlContext, info: GraphQLResolveInfo, guildId: bigint): Promise<ChannelRow[]> {
  const query = queryFromInfo({ context, info });
  return context.loaders.get(`visible ${fieldKey(info)} ${guildId}`, async () => {
    const channels = await childLists<ChannelRow>(context, info, {
      most: limits.channelsPerGuild,
      read: (guildIds, take) =>
        context.call.read.channel.findMany({
          ...query,
          where: { guildId: { in: guildIds } },
          orderBy: [{ position: 'asc' }, { id: 'asc' }],
          take,
        }),
      parentOf: (channel) => channel.guildId,
    }).load(guildId);
    const access = await context.budget.step(() => accessGuild(context.call, guildId, 'viewGuild'));
    const visible = channelsWith(access, requireUser(context.call).user.id, 'viewChannel');
    return channels.filter(({ id }) => visible.has(id));
  });
}

builder.queryFields((t) => ({
  guilds: t.prismaField({
    type: [Guild],
    description: 'Where the caller is a member.',
    args: listArgs,
    complexity: listCost,
    resolve: (query, _root, args, { call, budget }) => {
      const { most, after } = parseList(args);
      const members = { some: { userId: requireUser(call).user.id } };
      return budget.read(most, (take) =>
        call.read.guild.findMany({
          ...query,
          where: { members, deletedAt: null, id: { gt: after } },
          orderBy: { id: 'asc' },
          take,
        }),
      );
    },
  }),
  guild: t.prismaField({
    type: Guild,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (query, _root, args, { call, budget }) => {
      const id = parseId(args.id, 'id');
      await budget.step(() => accessGuild(call, id, 'viewGuild'));
      return call.read.guild.findUnique({ ...query, where: { id } });
    },
  }),
}));

const CreateGuildInput = builder.inputType('CreateGuildInput', {
  fields: (t) => ({ name: t.string({ required: true }), description: t.string() }),
});
export const GuildIdInput = builder.inputType('GuildIdInput', {
  fields: (t) => ({ guildId: t.id({ required: true }) }),
});

const ICON = 'PNG, JPEG, GIF or WebP, at most 10 MiB.';

const UpdateGuildInput = builder.inputType('UpdateGuildInput', {
  description:
    'What is not given stays as it is. Null clears what may be empty, sets the rest back to what a new server has, and leaves the name.',
  fields: (t) => ({
    guildId: t.id({ required: true }),
    name: t.string(),
    description: t.string(),
    icon: t.field({ type: 'File', description: ICON }),
    afkChannelId: t.id({ description: 'A voice channel of the server.' }),
    afkTimeout: t.int({ description: 'In seconds: 60, 300, 900, 1800 or 3600.' }),
    systemChannelId: t.id({ description: 'A text channel of the server.' }),
    systemChannelFlags: t.int(),
    verificationLevel: t.int(),
    defaultMessageNotifications: t.int(),
    explicitContentFilter: t.int(),
    preferredLocale: t.string(),
  }),
});

export const GuildPayload = builder.objectRef<{ guild: GuildRow }>('GuildPayload').implement({
  fields: (t) => ({ guild: t.field({ type: Guild, resolve: ({ guild }) => guild }) }),
});

builder.mutationFields((t) => ({
  createGuild: t.field({
    type: GuildPayload,
    description: 'Makes a server with one text and one voice channel, owned by the caller.',
    args: { input: t.arg({ type: CreateGuildInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({
      guild: await createGuild(call, parseInput(NewGuild, input)),
    }),
  }),
  updateGuild: t.field({
    type: GuildPayload,
    description: 'Changes settings of a server, all of them or none.',
    args: { input: t.arg({ type: UpdateGuildInput, required: true }) },
    resolve: async (_root, { input: { guildId, icon, ...input } }, { call }) => ({
      guild: await updateGuild(call, {
        ...parseInput(GuildSettings, input),
        guildId: parseId(guildId, 'guildId'),
        icon: bytesOf(icon),
      }),
    }),
  }),
  deleteGuild: t.field({
    type: DeletedPayload,
    description: 'Deletes a server with all that it contains, for good; only its owner may.',
    args: { input: t.arg({ type: GuildIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const id = parseId(input.guildId, 'guildId');
      await deleteGuild(call, id);
      return { id };
    },
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
