import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { requireUser } from '../domain/call.js';
import {
  ChannelEdit,
  ChannelPositions,
  closeDirectChannel,
  createChannel,
  deleteChannel,
  deleteChannelOverwrite,
  listDirectChannelIds,
  NewChannel,
  NewOverwrite,
  OverwriteTarget,
  openDirectChannel,
  setChannelOverwrite,
  setChannelPositions,
  updateChannel,
} from '../domain/channels/index.js';
import { faultsWithin } from '../domain/errors.js';
import { accessChannel, accessGuild, channelsWith } from '../domain/guilds/index.js';
import { DIRECT_CHANNELS_PER_CALLER, limits, OPENING_TOO_FAST } from '../domain/limits.js';
import { startTyping } from '../domain/messages/index.js';
import { parseInput } from '../domain/parse-input.js';
import { DIRECT_PERMISSIONS } from '../domain/permissions.js';
import { takeAsCaller } from '../domain/rate-limits.js';
import type { Channel as ChannelRow } from '../infra/database/index.js';
import { renderOverwrite } from '../wire/channels.js';
import { builder, type InputFields, inputOf, NEEDS_SESSION, WITH_PERSONAL_TOKEN } from './builder.js';
import type { GraphqlContext } from './context.js';
import { DeletedPayload } from './deleted.js';
import { isHere, readerOf, visibleChannel } from './guild-readers/index.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { childLists, fieldKey, readInPieces } from './lists.js';
import { createLoader, type Loader } from './loaders.js';
import { messagePages } from './message-pages.js';
import { MessageConnection } from './messages.js';
import { connectionOf, pageArgs, pageRows, pageSizeOf, parsePage } from './page.js';
import { User } from './users.js';

const MOST_RECIPIENTS = 2;

export const Channel = builder.prismaObject('Channel', {
  ...NEEDS_SESSION,
  description: 'A channel of a server, or a direct channel between two users.',
  fields: (t) => ({
    id: t.field({ ...WITH_PERSONAL_TOKEN, ...snowflakeId }),
    name: t.exposeString('name', {
      ...WITH_PERSONAL_TOKEN,
      description: '1–100 characters. Empty for a direct channel.',
    }),
    type: t.exposeInt('type', {
      ...WITH_PERSONAL_TOKEN,
      description: "Discord's channel type: 0 text, 1 direct, 2 voice, 4 category or 5 announcement.",
    }),
    guild: t.relation('guild', {
      nullable: true,
      description: 'Server of the channel. Null for a direct channel.',
      resolve: (query, { guildId }, _args, context) => {
        if (guildId === null) return null;
        return readerOf(context, guildId).row(query);
      },
    }),
    recipients: t.field({
      type: [User],
      description: 'The other user of a direct channel. Empty for a channel of a server.',
      resolve: async ({ id, guildId }, _args, context, info) => {
        if (guildId !== null) return [];
        const callerId = requireUser(context.call).user.id;
        const recipients = await childLists(context, info, {
          most: MOST_RECIPIENTS,
          read: (channelIds, take) =>
            context.call.read.channelRecipient.findMany({
              where: { channelId: { in: channelIds } },
              orderBy: [{ channelId: 'asc' }, { userId: 'asc' }],
              include: { user: true },
              take,
            }),
          parentOf: ({ channelId }) => channelId,
        }).load(id);
        return recipients.flatMap(({ user }) => (user.id === callerId ? [] : user));
      },
    }),
    topic: t.exposeString('topic', {
      nullable: true,
      description: 'At most 1,024 characters. Null if none is set.',
    }),
    nsfw: t.exposeBoolean('nsfw', { description: 'Whether the channel is age-restricted.' }),
    rateLimitPerUser: t.exposeInt('rateLimitPerUser', {
      description: 'Slow mode: seconds that a member waits between messages; 0 for none.',
    }),
    bitrate: t.exposeInt('bitrate', { description: 'Bitrate of a voice channel, in bits per second.' }),
    userLimit: t.exposeInt('userLimit', { description: 'Maximum number of users in a voice channel; 0 for no limit.' }),
    position: t.exposeInt('position', {
      description: 'Sort position. Channels with the same position are sorted by ID.',
    }),
    overwrites: t.field({
      type: 'JSON',
      description: "Permission overwrites, in the format of Discord's `permission_overwrites`.",
      resolve: async ({ id, guildId }, _args, context, info) => {
        if (guildId === null) return [];
        return (await readerOf(context, guildId).overwritesOf(id, info)).map(renderOverwrite);
      },
    }),
    viewerPermissions: t.string({
      description: "The caller's permissions in the channel, as decimal bits.",
      resolve: async (channel, _args, context) => String(await viewerPermissions(context).load(channel)),
    }),
    messages: t.field({
      type: MessageConnection,
      description: 'Messages, oldest first; `last: 50` returns the newest. Empty without Read Message History.',
      args: pageArgs,
      complexity: (args) => ({ field: 1, multiplier: pageSizeOf(args) }),
      resolve: (channel, args, context, info) => {
        const query = queryFromInfo({ context, info, path: ['edges', 'node'] });
        return messagePages(context, { key: fieldKey(info), page: parsePage(args), query }).load(channel);
      },
    }),
  }),
});

builder.objectField(Channel, 'parent', (t) =>
  t.field({
    type: Channel,
    nullable: true,
    description: 'Category of the channel, even if the caller cannot see the category. Null if there is none.',
    resolve: ({ guildId, parentId }, _args, context, info) =>
      guildId === null || parentId === null ? null : readerOf(context, guildId).channel(parentId, info),
  }),
);

/** Null also if the caller cannot view it. */
export async function viewableChannel(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  channelId: bigint,
): Promise<ChannelRow | null> {
  if (isHere(context, channelId)) return visibleChannel(context, info, channelId);
  const { call, budget } = context;
  const route = await budget.step(() => call.boxRoutes.ofChannel(channelId));
  return route && readerOf(context, route.guildId).visibleChannel(channelId, info);
}

type Placed = Pick<ChannelRow, 'id' | 'guildId'>;

function viewerPermissions(context: GraphqlContext): Loader<Placed, bigint> {
  const { loaders, budget } = context;
  return loaders.get('viewer permissions', () =>
    createLoader<Placed, bigint>(async (channels) => {
      const bitsIn = async ({ guildId, id }: Placed) =>
        guildId === null ? DIRECT_PERMISSIONS : readerOf(context, guildId).permissionsIn(id);
      const found = await budget.step(() => Promise.all(channels.map(bitsIn)));
      return new Map(channels.map((channel, index) => [channel, found[index] ?? 0n]));
    }, 0n),
  );
}

builder.queryField('channel', (t) =>
  t.prismaField({
    type: Channel,
    nullable: true,
    description: 'A channel that the caller can see.',
    args: { id: t.arg.id(idOf.channel) },
    resolve: async (query, _root, args, { call, budget }) => {
      const id = parseId(args.id, 'id');
      const { channelId } = await budget.step(() => accessChannel(call, id, 'viewChannel'));
      return call.read.channel.findUnique({ ...query, where: { id: channelId } });
    },
  }),
);

const ChannelConnection = builder.connectionObject(
  { type: Channel, name: 'ChannelConnection' },
  { name: 'ChannelEdge' },
);

builder.queryField('directChannels', (t) =>
  t.field({
    type: ChannelConnection,
    description:
      "The caller's direct channels, oldest first, without those that they closed and that have no newer message.",
    args: pageArgs,
    complexity: (args) => ({ field: 1, multiplier: pageSizeOf(args) }),
    resolve: async (_root, args, context, info) => {
      const page = parsePage(args);
      const query = queryFromInfo({ context, info, path: ['edges', 'node'] });
      const found = await context.budget.read(page.take + 1, (take) =>
        listDirectChannelIds(context.call, { ...page, take }),
      );
      const { rows: ids, hasMore } = pageRows(page, found);
      const channels = await readInPieces(context.budget, ids, (piece) =>
        context.call.read.channel.findMany({ ...query, where: { id: { in: piece } } }),
      );
      return connectionOf(page, { rows: channels, hasMore }, ({ id }) => id);
    },
  }),
);

const OpenDirectChannelInput = builder.inputType('OpenDirectChannelInput', {
  description: 'Identifies the other user.',
  fields: (t) => ({ userId: t.id(idOf.user) }),
});

const OverwriteTargetType = builder.enumType('OverwriteTarget', {
  description: 'Target of a permission overwrite.',
  values: {
    ROLE: { value: OverwriteTarget.Role, description: 'A role, by its ID.' },
    MEMBER: { value: OverwriteTarget.Member, description: 'A member, by the user ID.' },
  } as const,
});

const TARGET = 'ID of the role or user.';
const TARGET_TYPE = 'Whether `targetId` is a role or a member.';
const ALLOW = 'Allowed permissions, as decimal bits. Default: none.';
const DENY = 'Denied permissions, as decimal bits. Default: none.';

const ChannelOverwriteInput = builder.inputType('ChannelOverwriteInput', {
  description: 'Permission overwrite of a role or member.',
  fields: (t) => ({
    targetId: t.id({ required: true, description: TARGET }),
    targetType: t.field({ type: OverwriteTargetType, required: true, description: TARGET_TYPE }),
    allow: t.string({ description: ALLOW }),
    deny: t.string({ description: DENY }),
  }),
});

const NAME = '1–100 characters.';

function settings(t: InputFields) {
  return {
    topic: t.string({ description: 'At most 1,024 characters.' }),
    nsfw: t.boolean({ description: 'Whether the channel is age-restricted. Initially false.' }),
    rateLimitPerUser: t.int({ description: 'Slow mode in seconds, 0–21,600. Initially 0.' }),
    bitrate: t.int({ description: 'Bits per second, 8,000–96,000. Initially 64,000.' }),
    userLimit: t.int({ description: 'Maximum number of users in a voice channel, 0–99. Initially 0, for no limit.' }),
  };
}

const CreateChannelInput = builder.inputType('CreateChannelInput', {
  description: 'A new channel. Settings that its type does not have are ignored.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    name: t.string({ required: true, description: NAME }),
    type: t.int({ description: '0 text, 2 voice, 4 category or 5 announcement. Default: 0.' }),
    ...settings(t),
    position: t.int({ description: 'Sort position. Default: last.' }),
    parentId: t.id({ description: 'ID of the category.' }),
    overwrites: t.field({
      type: [ChannelOverwriteInput],
      description: `At most ${limits.overwritesPerList}. Default: the overwrites of the category.`,
    }),
  }),
});

const UpdateChannelInput = builder.inputType('UpdateChannelInput', {
  description: 'Changes of a channel. Omitted fields stay unchanged. Null resets a setting to its initial value.',
  fields: (t) => ({
    channelId: t.id(idOf.channel),
    name: t.string({ description: NAME }),
    type: t.int({ description: '0 or 5: a text channel can become an announcement channel, and the reverse.' }),
    ...settings(t),
    position: t.int({ description: 'Sort position. Null leaves it unchanged.' }),
    parentId: t.id({ description: 'ID of the category. Null removes the channel from its category.' }),
    overwrites: t.field({
      type: [ChannelOverwriteInput],
      description: `Replaces all overwrites; at most ${limits.overwritesPerList}. Null leaves them unchanged.`,
    }),
  }),
});

const ChannelPositionInput = builder.inputType('ChannelPositionInput', {
  description: 'New position of a channel. Omitted fields stay unchanged.',
  fields: (t) => ({
    channelId: t.id(idOf.channel),
    position: t.int({ description: 'Sort position. Null leaves it unchanged.' }),
    parentId: t.id({ description: 'ID of the new category. Null removes the channel from its category.' }),
    lockPermissions: t.boolean({
      description: 'Whether the channel takes over the overwrites of its new category. Needs Manage Roles.',
    }),
  }),
});

const SetChannelPositionsInput = builder.inputType('SetChannelPositionsInput', {
  description: 'New positions of channels.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    positions: t.field({
      type: [ChannelPositionInput],
      required: true,
      description: `Channels to move, at most ${limits.channelsPerGuild}.`,
    }),
  }),
});

const SetChannelOverwriteInput = builder.inputType('SetChannelOverwriteInput', {
  description: 'Permission overwrite of a role or member in a channel.',
  fields: (t) => ({
    channelId: t.id(idOf.channel),
    targetId: t.id({ required: true, description: TARGET }),
    targetType: t.field({ type: OverwriteTargetType, required: true, description: TARGET_TYPE }),
    allow: t.string({ description: ALLOW }),
    deny: t.string({ description: DENY }),
  }),
});

const DeleteChannelOverwriteInput = builder.inputType('DeleteChannelOverwriteInput', {
  description: 'Identifies a permission overwrite of a channel.',
  fields: (t) => ({
    channelId: t.id(idOf.channel),
    targetId: t.id({ required: true, description: TARGET }),
  }),
});

export const ChannelIdInput = builder.inputType('ChannelIdInput', {
  description: 'Identifies a channel.',
  fields: (t) => ({ channelId: t.id(idOf.channel) }),
});

const ChannelPayload = builder.objectRef<{ channel: ChannelRow }>('ChannelPayload').implement({
  description: 'The affected channel.',
  fields: (t) => ({
    channel: t.field({
      type: Channel,
      description: 'The channel after the change.',
      resolve: ({ channel }) => channel,
    }),
  }),
});

const ChannelsPayload = builder.objectRef<{ channels: ChannelRow[] }>('ChannelsPayload').implement({
  description: 'The affected channels.',
  fields: (t) => ({
    channels: t.field({
      type: [Channel],
      description: 'Given channels that the caller can see, in the given order.',
      resolve: ({ channels }) => channels,
    }),
  }),
});

async function visibleOf({ call, budget }: GraphqlContext, guildId: bigint, ids: bigint[]): Promise<ChannelRow[]> {
  const access = await budget.step(() => accessGuild(call, guildId, 'viewGuild'));
  const visible = channelsWith(access, requireUser(call).user.id, 'viewChannel');
  const shown = [...new Set(ids)].filter((id) => visible.has(id));
  return readInPieces(budget, shown, (piece) => call.read.channel.findMany({ where: { id: { in: piece }, guildId } }));
}

builder.mutationFields((t) => ({
  createChannel: t.field({
    type: ChannelPayload,
    description: 'Creates a channel in a server. Needs Manage Channels and every permission that its overwrites set.',
    args: { input: t.arg(inputOf(CreateChannelInput)) },
    resolve: async (_root, { input }, { call }) => ({
      channel: await createChannel(call, parseId(input.guildId, 'guildId'), parseInput(NewChannel, input)),
    }),
  }),
  openDirectChannel: t.field({
    type: ChannelPayload,
    description: 'Opens the direct channel with another user, and creates it if necessary.',
    args: { input: t.arg(inputOf(OpenDirectChannelInput)) },
    resolve: async (_root, { input }, { call }) => {
      await takeAsCaller(call, DIRECT_CHANNELS_PER_CALLER, OPENING_TOO_FAST);
      return openDirectChannel(call, parseId(input.userId, 'userId'));
    },
  }),
  closeDirectChannel: t.field({
    type: ChannelPayload,
    description:
      'Hides a direct channel from `directChannels` until its next message, or until the caller opens it again. ' +
      'Its messages stay.',
    args: { input: t.arg(inputOf(ChannelIdInput)) },
    resolve: (_root, { input }, { call }) => closeDirectChannel(call, parseId(input.channelId, 'channelId')),
  }),
  updateChannel: t.field({
    type: ChannelPayload,
    description: 'Changes settings of a channel. Needs Manage Channels, and Manage Roles for `overwrites`.',
    args: { input: t.arg(inputOf(UpdateChannelInput)) },
    resolve: async (_root, { input }, { call }) =>
      updateChannel(call, parseId(input.channelId, 'channelId'), parseInput(ChannelEdit, input)),
  }),
  deleteChannel: t.field({
    type: DeletedPayload,
    description:
      'Deletes a channel with its messages. This cannot be undone. Channels of a deleted category stay. Needs Manage Channels.',
    args: { input: t.arg(inputOf(ChannelIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const { channel } = await deleteChannel(call, parseId(input.channelId, 'channelId'));
      return { id: channel.id };
    },
  }),
  setChannelPositions: t.field({
    type: ChannelsPayload,
    description:
      'Moves channels to other positions, and at most one of them to another category. Needs Manage Channels.',
    args: { input: t.arg(inputOf(SetChannelPositionsInput)) },
    resolve: async (_root, { input }, context) => {
      const guildId = parseId(input.guildId, 'guildId');
      const positions = parseInput(ChannelPositions, input.positions, 'positions');
      await faultsWithin('positions', () => setChannelPositions(context.call, guildId, positions));
      const ids = positions.map(({ channelId }) => channelId);
      return { channels: await visibleOf(context, guildId, ids) };
    },
  }),
  setChannelOverwrite: t.field({
    type: ChannelPayload,
    description: 'Sets the permission overwrite of a role or member in a channel. Needs Manage Roles.',
    args: { input: t.arg(inputOf(SetChannelOverwriteInput)) },
    resolve: async (_root, { input }, { call }) =>
      setChannelOverwrite(call, parseId(input.channelId, 'channelId'), parseInput(NewOverwrite, input)),
  }),
  deleteChannelOverwrite: t.field({
    type: ChannelPayload,
    description: 'Removes the permission overwrite of a role or member in a channel. Needs Manage Roles.',
    args: { input: t.arg(inputOf(DeleteChannelOverwriteInput)) },
    resolve: async (_root, { input }, { call }) =>
      deleteChannelOverwrite(call, parseId(input.channelId, 'channelId'), parseId(input.targetId, 'targetId')),
  }),
  startTyping: t.field({
    type: ChannelPayload,
    description: 'Shows the caller as typing in a channel. Needs Send Messages.',
    args: { input: t.arg(inputOf(ChannelIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const channelId = parseId(input.channelId, 'channelId');
      await startTyping(call, { channelId });
      return { channel: await call.read.channel.findUniqueOrThrow({ where: { id: channelId } }) };
    },
  }),
}));
