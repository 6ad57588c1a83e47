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
import { faultsWithin, isAllowed } from '../domain/errors.js';
import { accessChannel, accessGuild, channelsWith, permissionsInChannel } from '../domain/guilds/index.js';
import { DIRECT_CHANNELS_PER_CALLER, limits, OPENING_TOO_FAST } from '../domain/limits.js';
import { startTyping } from '../domain/messages/index.js';
import { parseInput } from '../domain/parse-input.js';
import { ALL_PERMISSIONS, DIRECT_PERMISSIONS } from '../domain/permissions.js';
import { takeAsCaller } from '../domain/rate-limits.js';
import type { Channel as ChannelRow } from '../infra/database/index.js';
import { renderOverwrite } from '../wire/channels.js';
import { boxChannel, isOnBox, ownBoxChannel, ownBoxGuild } from './box-guilds.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { DeletedPayload } from './deleted.js';
import { parseId, snowflakeId } from './ids.js';
import { childLists, fieldKey, readInPieces, referredRows } from './lists.js';
import { createLoader, type Loader } from './loaders.js';
import { messagePages } from './message-pages.js';
import { MessageConnection } from './messages.js';
import { connectionOf, pageArgs, pageRows, pageSizeOf, parsePage } from './page.js';
import { User } from './users.js';

const MOST_RECIPIENTS = 2;

export const Channel = builder.prismaObject('Channel', {
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name'),
    type: t.exposeInt('type', { description: "The reference platform's channel type." }),
    guild: t.relation('guild', {
      nullable: true,
      description: 'Null for a direct channel.',
      resolve: (query, { guildId }, _args, context) => {
        if (guildId === null) return null;
        if (isOnBox(context, guildId)) return ownBoxGuild(context, guildId);
        return context.call.read.guild.findUnique({ ...query, where: { id: guildId } });
      },
    }),
    recipients: t.field({
      type: [User],
      description: "Who is in a direct channel beside the caller; nobody in a server's.",
      resolve: async ({ id, guildId }, _args, context, info) => {
        if (guildId !== null) return [];
        const callerId = requireUser(context.call).user.id;
        const seats = await childLists(context, info, {
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
        return seats.flatMap(({ user }) => (user.id === callerId ? [] : user));
      },
    }),
    topic: t.exposeString('topic', { nullable: true }),
    nsfw: t.exposeBoolean('nsfw', { description: 'Whether it is age-restricted.' }),
    rateLimitPerUser: t.exposeInt('rateLimitPerUser', {
      description: 'Slow mode: how many seconds somebody waits before their next message.',
    }),
    bitrate: t.exposeInt('bitrate', { description: 'Of a voice channel, in bits a second.' }),
    userLimit: t.exposeInt('userLimit', { description: 'How many may be in a voice channel; 0 for any number.' }),
    position: t.exposeInt('position', { description: 'Channels of one position are sorted by id.' }),
    overwrites: t.field({
      type: 'JSON',
      description: "What it says of roles and members, as the reference platform's `permission_overwrites`.",
      resolve: async ({ id, guildId }, _args, context, info) => {
        if (guildId !== null && isOnBox(context, guildId)) {
          return (await boxChannel(context, { guildId, channelId: id }))?.overwrites.map(renderOverwrite) ?? [];
        }
        const overwrites = childLists(context, info, {
          most: limits.overwritesPerChannel,
          read: (channelIds, take) =>
            context.call.read.channelOverwrite.findMany({
              where: { channelId: { in: channelIds } },
              orderBy: [{ channelId: 'asc' }, { targetId: 'asc' }],
              take,
            }),
          parentOf: (overwrite) => overwrite.channelId,
        });
        return (await overwrites.load(id)).map(renderOverwrite);
      },
    }),
    viewerPermissions: t.string({
      description: 'What the caller may do in it, as decimal bits.',
      resolve: async (channel, _args, context) => String(await viewerPermissions(context).load(channel)),
    }),
    messages: t.field({
      type: MessageConnection,
      description: 'Oldest first; `last: 50` is the newest page. Empty for somebody who may not read the history.',
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
    description: 'The category it is in. Shown with each of its channels that the caller can see.',
    resolve: ({ guildId, parentId }, _args, context, info) => {
      if (parentId === null) return null;
      const isElsewhere = guildId !== null && isOnBox(context, guildId);
      return isElsewhere
        ? boxChannel(context, { guildId, channelId: parentId })
        : referredChannel(context, info, parentId);
    },
  }),
);

export function canViewChannel({ call, budget }: GraphqlContext, channelId: bigint): Promise<boolean> {
  return isAllowed(() => budget.step(() => accessChannel(call, channelId, 'viewChannel')));
}

/** Batched. Null if there is no such channel. */
function referredChannel(context: GraphqlContext, info: GraphQLResolveInfo, id: bigint): Promise<ChannelRow | null> {
  const query = queryFromInfo({ context, info });
  return referredRows(context, info, (ids) =>
    context.call.read.channel.findMany({ ...query, where: { id: { in: ids } } }),
  ).load(id);
}

/** Null also if the caller cannot view it. */
export async function viewableChannel(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  channelId: bigint,
): Promise<ChannelRow | null> {
  if (isOnBox(context, channelId)) return ownBoxChannel(context, channelId);
  return (await canViewChannel(context, channelId)) ? referredChannel(context, info, channelId) : null;
}

type Placed = Pick<ChannelRow, 'id' | 'guildId'>;

function viewerPermissions({ call, loaders, budget }: GraphqlContext): Loader<Placed, bigint> {
  return loaders.get('viewer permissions', () =>
    createLoader<Placed, bigint>(async (channels) => {
      const { user } = requireUser(call);
      const bitsIn = async ({ guildId, id }: Placed) =>
        guildId === null
          ? DIRECT_PERMISSIONS
          : isOnBox({ call }, guildId)
            ? ALL_PERMISSIONS
            : ((await permissionsInChannel(call.guilds, guildId, id, user.id, call.clock.now())) ?? 0n);
      const found = await budget.step(() => Promise.all(channels.map(bitsIn)));
      return new Map(channels.map((channel, index) => [channel, found[index] ?? 0n]));
    }, 0n),
  );
}

builder.queryField('channel', (t) =>
  t.prismaField({
    type: Channel,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
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
      "The caller's direct channels, the one made first at the beginning; without those that they closed and in which nobody has written since.",
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
  fields: (t) => ({ userId: t.id({ required: true }) }),
});

const OverwriteTargetType = builder.enumType('OverwriteTarget', {
  values: { ROLE: { value: OverwriteTarget.Role }, MEMBER: { value: OverwriteTarget.Member } } as const,
});

const ChannelOverwriteInput = builder.inputType('ChannelOverwriteInput', {
  fields: (t) => ({
    targetId: t.id({ required: true, description: "A role's, or a member's user." }),
    targetType: t.field({ type: OverwriteTargetType, required: true }),
    allow: t.string({ description: 'Decimal bits.' }),
    deny: t.string({ description: 'Decimal bits.' }),
  }),
});

const TYPE = '0 text (the default), 2 voice, 4 category or 5 announcement.';

const CreateChannelInput = builder.inputType('CreateChannelInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    name: t.string({ required: true }),
    type: t.int({ description: TYPE }),
    topic: t.string(),
    nsfw: t.boolean(),
    rateLimitPerUser: t.int({ description: 'Seconds.' }),
    bitrate: t.int({ description: 'Bits a second.' }),
    userLimit: t.int(),
    position: t.int({ description: 'Last when not given.' }),
    parentId: t.id({ description: 'A category.' }),
    overwrites: t.field({
      type: [ChannelOverwriteInput],
      description: `Those of the category when not given; ${limits.overwritesPerList} at most.`,
    }),
  }),
});

const UpdateChannelInput = builder.inputType('UpdateChannelInput', {
  description: 'What is not given stays. Null takes a setting back to that of a new channel.',
  fields: (t) => ({
    channelId: t.id({ required: true }),
    name: t.string(),
    type: t.int({ description: '0 or 5: text and announcement channels become each other.' }),
    topic: t.string(),
    nsfw: t.boolean(),
    rateLimitPerUser: t.int({ description: 'Seconds.' }),
    bitrate: t.int({ description: 'Bits a second.' }),
    userLimit: t.int(),
    position: t.int(),
    parentId: t.id({ description: 'A category; null for none.' }),
    overwrites: t.field({
      type: [ChannelOverwriteInput],
      description: `The whole list, ${limits.overwritesPerList} at most.`,
    }),
  }),
});

const ChannelPositionInput = builder.inputType('ChannelPositionInput', {
  fields: (t) => ({
    channelId: t.id({ required: true }),
    position: t.int(),
    parentId: t.id({ description: 'The category it moves to; null for none.' }),
    lockPermissions: t.boolean({ description: 'Whether it gets the overwrites of the category it moves to.' }),
  }),
});

const SetChannelPositionsInput = builder.inputType('SetChannelPositionsInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    positions: t.field({
      type: [ChannelPositionInput],
      required: true,
      description: `${limits.channelsPerGuild} at most.`,
    }),
  }),
});

const SetChannelOverwriteInput = builder.inputType('SetChannelOverwriteInput', {
  fields: (t) => ({
    channelId: t.id({ required: true }),
    targetId: t.id({ required: true, description: "A role's, or a member's user." }),
    targetType: t.field({ type: OverwriteTargetType, required: true }),
    allow: t.string({ description: 'Decimal bits.' }),
    deny: t.string({ description: 'Decimal bits.' }),
  }),
});

const DeleteChannelOverwriteInput = builder.inputType('DeleteChannelOverwriteInput', {
  fields: (t) => ({ channelId: t.id({ required: true }), targetId: t.id({ required: true }) }),
});

export const ChannelIdInput = builder.inputType('ChannelIdInput', {
  fields: (t) => ({ channelId: t.id({ required: true }) }),
});

const ChannelPayload = builder.objectRef<{ channel: ChannelRow }>('ChannelPayload').implement({
  fields: (t) => ({ channel: t.field({ type: Channel, resolve: ({ channel }) => channel }) }),
});

const ChannelsPayload = builder.objectRef<{ channels: ChannelRow[] }>('ChannelsPayload').implement({
  fields: (t) => ({
    channels: t.field({
      type: [Channel],
      description: 'Those that were named and that the caller can see, in the order in which they were named.',
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
    args: { input: t.arg({ type: CreateChannelInput, required: true }) },
    resolve: async (_root, { input }, { call }) => ({
      channel: await createChannel(call, parseId(input.guildId, 'guildId'), parseInput(NewChannel, input)),
    }),
  }),
  openDirectChannel: t.field({
    type: ChannelPayload,
    description: 'The direct channel of the caller with somebody, made where there is none yet.',
    args: { input: t.arg({ type: OpenDirectChannelInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      await takeAsCaller(call, DIRECT_CHANNELS_PER_CALLER, OPENING_TOO_FAST);
      return openDirectChannel(call, parseId(input.userId, 'userId'));
    },
  }),
  closeDirectChannel: t.field({
    type: ChannelPayload,
    description:
      'Takes a direct channel out of `directChannels` until the next message in it, or until the caller opens it. Nothing of it is lost.',
    args: { input: t.arg({ type: ChannelIdInput, required: true }) },
    resolve: (_root, { input }, { call }) => closeDirectChannel(call, parseId(input.channelId, 'channelId')),
  }),
  updateChannel: t.field({
    type: ChannelPayload,
    args: { input: t.arg({ type: UpdateChannelInput, required: true }) },
    resolve: async (_root, { input }, { call }) =>
      updateChannel(call, parseId(input.channelId, 'channelId'), parseInput(ChannelEdit, input)),
  }),
  deleteChannel: t.field({
    type: DeletedPayload,
    description: 'Deletes a channel with all its messages. The channels of a category stay, without one.',
    args: { input: t.arg({ type: ChannelIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const { channel } = await deleteChannel(call, parseId(input.channelId, 'channelId'));
      return { id: channel.id };
    },
  }),
  setChannelPositions: t.field({
    type: ChannelsPayload,
    description: 'Sorts channels, and moves one of them at most to another category. The others stay.',
    args: { input: t.arg({ type: SetChannelPositionsInput, required: true }) },
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
    description: 'Says what a role or a member may do in a channel.',
    args: { input: t.arg({ type: SetChannelOverwriteInput, required: true }) },
    resolve: async (_root, { input }, { call }) =>
      setChannelOverwrite(call, parseId(input.channelId, 'channelId'), parseInput(NewOverwrite, input)),
  }),
  deleteChannelOverwrite: t.field({
    type: ChannelPayload,
    description: 'Takes back what is said of a role or a member in a channel.',
    args: { input: t.arg({ type: DeleteChannelOverwriteInput, required: true }) },
    resolve: async (_root, { input }, { call }) =>
      deleteChannelOverwrite(call, parseId(input.channelId, 'channelId'), parseId(input.targetId, 'targetId')),
  }),
  startTyping: t.field({
    type: ChannelPayload,
    args: { input: t.arg({ type: ChannelIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const channelId = parseId(input.channelId, 'channelId');
      await startTyping(call, { channelId });
      return { channel: await call.read.channel.findUniqueOrThrow({ where: { id: channelId } }) };
    },
  }),
}));
