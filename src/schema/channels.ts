import { queryFromInfo } from '@pothos/plugin-prisma';
import { createChannel, NewChannel } from '../domain/channels/index.js';
import { accessChannel } from '../domain/guilds/index.js';
import { startTyping } from '../domain/messages/index.js';
import { parseInput } from '../domain/parse-input.js';
import type { Channel as ChannelRow } from '../infra/database/index.js';
import { builder } from './builder.js';
import { parseId, snowflakeId } from './ids.js';
import { fieldKey } from './lists.js';
import { messagePages } from './message-pages.js';
import { MessageConnection } from './messages.js';
import { pageArgs, pageSizeOf, parsePage } from './page.js';

export const Channel = builder.prismaObject('Channel', {
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name'),
    type: t.exposeInt('type', { description: "The reference platform's channel type." }),
    guild: t.relation('guild', { nullable: true }),
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
