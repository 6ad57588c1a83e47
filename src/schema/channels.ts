import { queryFromInfo } from '@pothos/plugin-prisma';
import { requireUser } from '../domain/call.js';
import { createChannel, NewChannel, openDirectChannel } from '../domain/channels/index.js';
import { accessChannel } from '../domain/guilds/index.js';
import { DIRECT_CHANNELS_PER_CALLER } from '../domain/limits.js';
import { startTyping } from '../domain/messages/index.js';
import { parseInput } from '../domain/parse-input.js';
import { takeAsCaller } from '../domain/rate-limits.js';
import type { Channel as ChannelRow } from '../infra/database/index.js';
import { builder } from './builder.js';
import { parseId, snowflakeId } from './ids.js';
import { childLists, fieldKey, readInPieces } from './lists.js';
import { messagePages } from './message-pages.js';
import { MessageConnection } from './messages.js';
import { connectionOf, pageArgs, pageRows, pageSizeOf, parsePage, withinPage } from './page.js';
import { User } from './users.js';

/** How many are in one direct channel. */
const MOST_RECIPIENTS = 2;

export const Channel = builder.prismaObject('Channel', {
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name'),
    type: t.exposeInt('type', { description: "The reference platform's channel type." }),
    guild: t.relation('guild', { nullable: true, description: 'Null for a direct channel.' }),
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
    description: "The caller's direct channels, the one made first at the beginning.",
    args: pageArgs,
    complexity: (args) => ({ field: 1, multiplier: pageSizeOf(args) }),
    resolve: async (_root, args, context, info) => {
      const { user } = requireUser(context.call);
      const page = parsePage(args);
      const query = queryFromInfo({ context, info, path: ['edges', 'node'] });
      const orderBy = { channelId: page.backwards ? 'desc' : 'asc' } as const;
      const seats = await context.budget.read(page.take + 1, (take) =>
        context.call.read.channelRecipient.findMany({
          where: { userId: user.id, channelId: withinPage(page) },
          orderBy,
          take,
        }),
      );
      const { rows, hasMore } = pageRows(page, seats);
      const ids = rows.map(({ channelId }) => channelId);
      const channels = await readInPieces(context.budget, ids, (piece) =>
        context.call.read.channel.findMany({ ...query, where: { id: { in: piece } } }),
      );
      const byId = new Map(channels.map((channel) => [channel.id, channel]));
      return connectionOf(page, { rows: ids.flatMap((id) => byId.get(id) ?? []), hasMore }, ({ id }) => id);
    },
  }),
);

const OpenDirectChannelInput = builder.inputType('OpenDirectChannelInput', {
  fields: (t) => ({ userId: t.id({ required: true }) }),
});
const CreateChannelInput = builder.inputType('CreateChannelInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    name: t.string({ required: true }),
    type: t.int({ description: '0 text (the default), 2 voice, 4 category or 5 announcement.' }),
  }),
});
export const ChannelIdInput = builder.inputType('ChannelIdInput', {
  fields: (t) => ({ channelId: t.id({ required: true }) }),
});

const ChannelPayload = builder.objectRef<{ channel: ChannelRow }>('ChannelPayload').implement({
  fields: (t) => ({ channel: t.field({ type: Channel, resolve: ({ channel }) => channel }) }),
});

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
      await takeAsCaller(call, DIRECT_CHANNELS_PER_CALLER);
      return openDirectChannel(call, parseId(input.userId, 'userId'));
    },
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
