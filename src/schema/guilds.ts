import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { accessBoxGuild } from '../domain/boxes/index.js';
import { requireUser } from '../domain/call.js';
import { invalidInput } from '../domain/errors.js';
import { accessGuild, channelsWith, ownGuildIds } from '../domain/guilds/index.js';
import { limits } from '../domain/limits.js';
import { ALL_PERMISSIONS } from '../domain/permissions.js';
import type { Channel as ChannelRow, Guild as GuildRow } from '../infra/database/index.js';
import { isMadeByBox } from '../infra/ids/ids.js';
import { idOrNull } from '../wire/id.js';
import {
  boxChannels,
  boxMembers,
  boxOwner,
  boxRoles,
  boxSnapshot,
  guildRowOf,
  isOnBox,
  ownBoxGuild,
  searchBoxMembers,
} from './box-guilds.js';
import { builder } from './builder.js';
import { Channel } from './channels.js';
import type { GraphqlContext } from './context.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { Installation } from './installations.js';
import {
  childLists,
  fieldKey,
  type ListArgs,
  listArgs,
  listCost,
  parseList,
  readInPieces,
  referredRows,
} from './lists.js';
import { MemberConnection } from './members.js';
import { connectionOf, type Page, pageArgs, pageRows, pageSizeOf, parsePage, withinPage } from './page.js';
import { Role } from './roles.js';

const GuildTier = builder.enumType('GuildTier', {
  description: 'Host of a server.',
  values: {
    CLOUD: { description: 'The cloud instance hosts the server.' },
    SELF_HOSTED: { description: 'A box hosts the server.' },
  },
});

export const Guild = builder.prismaObject('Guild', {
  description:
    'A server, visible to its members. ' +
    'A server on a box is visible to the owner of the box, and mostly empty while the box is offline.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name', { description: '2–100 characters.' }),
    description: t.string({
      nullable: true,
      description: 'At most 300 characters. Null if none is set.',
      resolve: async (guild, _args, context) => (await settingsOf(context, guild)).description,
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
      resolve: async (guild, _args, context) => idOrNull((await settingsOf(context, guild)).afkChannelId),
    }),
    afkTimeout: t.int({
      description: 'AFK timeout in seconds.',
      resolve: async (guild, _args, context) => (await settingsOf(context, guild)).afkTimeout,
    }),
    systemChannelId: t.id({
      nullable: true,
      description: 'ID of the channel for system messages. Null if none is set.',
      resolve: async (guild, _args, context) => idOrNull((await settingsOf(context, guild)).systemChannelId),
    }),
    systemChannelFlags: t.int({
      description: "Discord's system channel flags, as bits.",
      resolve: async (guild, _args, context) => (await settingsOf(context, guild)).systemChannelFlags,
    }),
    verificationLevel: t.int({
      description: "Discord's verification level, 0–4.",
      resolve: async (guild, _args, context) => (await settingsOf(context, guild)).verificationLevel,
    }),
    defaultMessageNotifications: t.int({
      description: '0 for all messages, 1 for mentions only.',
      resolve: async (guild, _args, context) => (await settingsOf(context, guild)).defaultMessageNotifications,
    }),
    explicitContentFilter: t.int({
      description: "Discord's explicit content filter level, 0–2.",
      resolve: async (guild, _args, context) => (await settingsOf(context, guild)).explicitContentFilter,
    }),
    preferredLocale: t.string({
      description: 'Locale, such as `en-US`.',
      resolve: async (guild, _args, context) => (await settingsOf(context, guild)).preferredLocale,
    }),
    tier: t.field({
      type: GuildTier,
      description: 'SELF_HOSTED for a server on a box, also in the API of that box.',
      resolve: ({ id }) => (isMadeByBox(id) ? 'SELF_HOSTED' : 'CLOUD'),
    }),
    owner: t.relation('owner', {
      nullable: true,
      description: 'Owner of the server. For a server on a box, a user of that box; null while the box is offline.',
      resolve: (query, guild, _args, context) =>
        isOnBox(context, guild.id)
          ? boxOwner(context, guild)
          : context.call.read.user.findUnique({ ...query, where: { id: guild.ownerId } }),
    }),
    channels: t.field({
      type: [Channel],
      description: 'Channels that the caller can see, sorted by position and ID.',
      resolve: ({ id }, _args, context, info) => visibleChannels(context, info, id),
    }),
    roles: t.field({
      type: [Role],
      description: 'All roles, lowest first, starting with @everyone.',
      resolve: ({ id }, _args, context, info) => {
        if (isOnBox(context, id)) return boxRoles(context, id);
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
      description:
        "The caller's permissions in the server, as decimal bits, without channel overwrites. The owner of its box has all.",
      resolve: async ({ id }, _args, { call, budget }) => {
        if (isOnBox({ call }, id)) return String(ALL_PERMISSIONS);
        const { permissions } = await budget.step(() => accessGuild(call, id, 'viewGuild'));
        return String(permissions);
      },
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
        await requireViewing(context, id);
        const page = parsePage(args);
        if (search) {
          const found = isOnBox(context, id)
            ? await searchBoxMembers(context, id, search, page.take)
            : await context.budget.read(page.take, (take) => context.call.guilds.searchMembers(id, search, take));
          return connectionOf({ ...page, backwards: false }, { rows: found, hasMore: false }, (row) => row.userId);
        }
        if (isOnBox(context, id)) return boxMemberPage(context, id, page);
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
    installation: t.field({
      type: Installation,
      nullable: true,
      description: 'Installation of one application. Null if it is not installed.',
      args: { applicationId: t.arg.id(idOf.application) },
      resolve: async ({ id: guildId }, args, context, info) => {
        const applicationId = parseId(args.applicationId, 'applicationId');
        await requireViewing(context, guildId);
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
        await requireViewing(context, id);
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

/** Reads the settings from the box while it is online. */
async function settingsOf(context: GraphqlContext, guild: GuildRow): Promise<GuildRow> {
  return isOnBox(context, guild.id) ? ((await boxSnapshot(context, guild.id))?.guild ?? guild) : guild;
}

/** @throws UNKNOWN_GUILD unless the caller is a member or owns the guild's box */
async function requireViewing({ call, budget }: GraphqlContext, id: bigint): Promise<void> {
  await budget.step<unknown>(() =>
    isOnBox({ call }, id) ? accessBoxGuild(call, id) : accessGuild(call, id, 'viewGuild'),
  );
}

/** Boxes list members only in ascending id order. */
async function boxMemberPage(context: GraphqlContext, guildId: bigint, page: Page) {
  if (page.backwards) {
    throw invalidInput({
      path: 'last',
      code: 'BASE_TYPE_INVALID',
      message: 'Members of a server on a box can only be paged forward. Use `first` and `after`.',
    });
  }
  const members = await boxMembers(context, guildId, { after: page.after }, page.take + 1);
  return connectionOf(page, pageRows(page, members), (row) => row.userId);
}

/** Batched. Null unless the caller is a member or owns the guild's box. */
export async function guildOfMember(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  guildId: bigint,
): Promise<GuildRow | null> {
  if (isOnBox(context, guildId)) return ownBoxGuild(context, guildId);
  const { call, budget } = context;
  const member = await budget.step(() => call.guilds.member(guildId, requireUser(call).user.id));
  if (!member) return null;
  const query = queryFromInfo({ context, info });
  const read = (ids: bigint[]) => call.read.guild.findMany({ ...query, where: { id: { in: ids } } });
  return referredRows(context, info, read).load(guildId);
}

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

/** Computed once per guild and operation. */
function visibleChannels(context: GraphqlContext, info: GraphQLResolveInfo, guildId: bigint): Promise<ChannelRow[]> {
  if (isOnBox(context, guildId)) return boxChannels(context, guildId);
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
    resolve: async (query, _root, args, { call, budget }) => {
      const id = parseId(args.id, 'id');
      if (isOnBox({ call }, id)) return guildRowOf(await budget.step(() => accessBoxGuild(call, id)));
      await budget.step(() => accessGuild(call, id, 'viewGuild'));
      return call.read.guild.findUnique({ ...query, where: { id } });
    },
  }),
}));
