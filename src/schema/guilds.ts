import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { ownGuildIds } from '../domain/guilds/index.js';
import type { Guild as GuildRow } from '../infra/database/index.js';
import { isMadeByBox } from '../infra/ids/ids.js';
import { idOrNull } from '../wire/id.js';
import { builder, NEEDS_SESSION, WITH_PERSONAL_TOKEN } from './builder.js';
import { Channel } from './channels.js';
import type { GraphqlContext } from './context.js';
import { readerOf } from './guild-readers/index.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { Installation } from './installations.js';
import { childLists, type ListArgs, listArgs, listCost, parseList, readInPieces } from './lists.js';
import { MemberConnection } from './members.js';
import { connectionOf, pageArgs, pageSizeOf, parsePage } from './page.js';
import { Role } from './roles.js';

const GuildTier = builder.enumType('GuildTier', {
  description: 'Host of a server.',
  values: {
    CLOUD: { description: 'The cloud instance hosts the server.' },
    SELF_HOSTED: { description: 'A box hosts the server.' },
  },
});

export const Guild = builder.prismaObject('Guild', {
  ...NEEDS_SESSION,
  description:
    'A server, visible to its members. ' +
    'A server on a box is visible to the owner of the box, and mostly empty while the box is offline.',
  fields: (t) => ({
    id: t.field({ ...WITH_PERSONAL_TOKEN, ...snowflakeId }),
    name: t.exposeString('name', { ...WITH_PERSONAL_TOKEN, description: '2–100 characters.' }),
    description: t.string({
      nullable: true,
      description: 'At most 300 characters. Null if none is set.',
      resolve: async (guild, _args, context) => (await readerOf(context, guild.id).settingsOf(guild)).description,
    }),
    iconUrl: t.string({
      nullable: true,
      description: 'URL of the icon. Null if none is set, and for a server on a box.',
      resolve: ({ id, iconHash }, _args, { app }) =>
        iconHash && `${app.addresses.publicUrl}/cdn/icons/${id}/${iconHash}.png`,
    }),
    afkChannelId: t.id({
      nullable: true,
      description: 'ID of the AFK voice channel. Null if none is set.',
      resolve: async (guild, _args, context) =>
        idOrNull((await readerOf(context, guild.id).settingsOf(guild)).afkChannelId),
    }),
    afkTimeout: t.int({
      description: 'AFK timeout in seconds.',
      resolve: async (guild, _args, context) => (await readerOf(context, guild.id).settingsOf(guild)).afkTimeout,
    }),
    systemChannelId: t.id({
      nullable: true,
      description: 'ID of the channel for system messages. Null if none is set.',
      resolve: async (guild, _args, context) =>
        idOrNull((await readerOf(context, guild.id).settingsOf(guild)).systemChannelId),
    }),
    systemChannelFlags: t.int({
      description: "Discord's system channel flags, as bits.",
      resolve: async (guild, _args, context) =>
        (await readerOf(context, guild.id).settingsOf(guild)).systemChannelFlags,
    }),
    verificationLevel: t.int({
      description: "Discord's verification level, 0–4.",
      resolve: async (guild, _args, context) => (await readerOf(context, guild.id).settingsOf(guild)).verificationLevel,
    }),
    defaultMessageNotifications: t.int({
      description: '0 for all messages, 1 for mentions only.',
      resolve: async (guild, _args, context) =>
        (await readerOf(context, guild.id).settingsOf(guild)).defaultMessageNotifications,
    }),
    explicitContentFilter: t.int({
      description: "Discord's explicit content filter level, 0–2.",
      resolve: async (guild, _args, context) =>
        (await readerOf(context, guild.id).settingsOf(guild)).explicitContentFilter,
    }),
    preferredLocale: t.string({
      description: 'Locale, such as `en-US`.',
      resolve: async (guild, _args, context) => (await readerOf(context, guild.id).settingsOf(guild)).preferredLocale,
    }),
    tier: t.field({
      type: GuildTier,
      description: 'SELF_HOSTED for a server on a box, also in the API of that box.',
      resolve: ({ id }) => (isMadeByBox(id) ? 'SELF_HOSTED' : 'CLOUD'),
    }),
    owner: t.relation('owner', {
      nullable: true,
      description: 'Owner of the server. For a server on a box, a user of that box; null while the box is offline.',
      resolve: (query, guild, _args, context) => readerOf(context, guild.id).ownerOf(guild, query),
    }),
    channels: t.field({
      type: [Channel],
      description: 'Channels that the caller can see, sorted by position and ID.',
      resolve: ({ id }, _args, context, info) => readerOf(context, id).channels(info),
    }),
    roles: t.field({
      type: [Role],
      description: 'All roles, lowest first, starting with @everyone.',
      resolve: ({ id }, _args, context, info) => readerOf(context, id).roles(info),
    }),
    viewerPermissions: t.string({
      description:
        "The caller's permissions in the server, as decimal bits, without channel overwrites. In a server on a box, the owner of the box has all permissions.",
      resolve: async ({ id }, _args, context) => String(await readerOf(context, id).permissions()),
    }),
    members: t.field({
      type: MemberConnection,
      description: 'Members, sorted by user ID. Members of a server on a box can only be paged forward.',
      args: {
        ...pageArgs,
        search: t.arg.string({
          description:
            'Returns only members whose username, display name or nickname starts with this text. ' +
            'The result is a single page, sorted by name.',
        }),
      },
      complexity: (args) => ({ field: 1, multiplier: pageSizeOf(args) }),
      resolve: async ({ id }, { search, ...args }, context, info) => {
        const reader = readerOf(context, id);
        await reader.require('viewGuild');
        const page = parsePage(args);
        if (search) {
          const rows = await reader.searchMembers(search, page.take);
          return connectionOf({ ...page, backwards: false }, { rows, hasMore: false }, (row) => row.userId);
        }
        return connectionOf(page, await reader.members(page, info), (row) => row.userId);
      },
    }),
    installation: t.field({
      type: Installation,
      nullable: true,
      description: 'Installation of one application. Null if it is not installed.',
      args: { applicationId: t.arg.id(idOf.application) },
      resolve: async ({ id: guildId }, args, context, info) => {
        const applicationId = parseId(args.applicationId, 'applicationId');
        await readerOf(context, guildId).require('viewGuild');
        const where = { applicationId_guildId: { applicationId, guildId } };
        const query = queryFromInfo({ context, info });
        return context.budget.step(() => context.call.read.installation.findUnique({ ...query, where }));
      },
    }),
    installations: t.field({
      type: [Installation],
      description: 'Installed applications, oldest first.',
      args: listArgs,
      complexity: listCost,
      resolve: async ({ id }, args, context, info) => {
        await readerOf(context, id).require('viewGuild');
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

/** Oldest first. */
export async function ownGuilds(
  context: GraphqlContext,
  args: ListArgs,
  info: GraphQLResolveInfo,
): Promise<GuildRow[]> {
  const { call, budget } = context;
  const query = queryFromInfo({ context, info });
  const { most, after } = parseList(args);
  const ids = await budget.step(() => ownGuildIds(call, { after, take: most }));
  return readInPieces(budget, ids, (piece) => call.read.guild.findMany({ ...query, where: { id: { in: piece } } }));
}

builder.queryFields((t) => ({
  guilds: t.field({
    type: [Guild],
    description: 'Servers of which the caller is a member, oldest first.',
    args: listArgs,
    complexity: listCost,
    resolve: (_root, args, context, info) => ownGuilds(context, args, info),
  }),
  guild: t.prismaField({
    type: Guild,
    nullable: true,
    description: 'A server of which the caller is a member, or which is on a box of the caller.',
    args: { id: t.arg.id(idOf.guild) },
    resolve: (query, _root, args, context) => readerOf(context, parseId(args.id, 'id')).find(query),
  }),
}));
