import { queryFromInfo } from '@pothos/plugin-prisma';
import { z } from 'zod';
import { limits, PINS_PER_CHANNEL } from '../domain/limits.js';
import { EVERYONE, listPinnedIds, pinMessage, unpinMessage, visibleTo } from '../domain/messages/index.js';
import type { Pin } from '../infra/database/index.js';
import { builder, inputOf } from './builder.js';
import { Channel } from './channels.js';
import { isHere } from './guild-readers/index.js';
import { referredRows } from './lists.js';
import { changeAtMessage, Message, MessageIdInput, MessagePayload, messageKeyOf } from './messages.js';

const most = limits.pinsPerPage;
const pinCount = z.number().int().min(1).max(most);

const PinnedMessage = builder.objectRef<Pin>('PinnedMessage').implement({
  description: 'A pinned message.',
  fields: (t) => ({
    pinnedAt: t.expose('pinnedAt', {
      type: 'DateTime',
      description: 'Time when the message was pinned. Pass the last one as `before` to get the next page.',
    }),
    message: t.field({
      type: Message,
      nullable: true,
      description: 'The message. Null if it was deleted during the request.',
      resolve: ({ messageId }, _args, context, info) => {
        const query = queryFromInfo({ context, info });
        return referredRows(context, info, (ids) =>
          context.call.read.message.findMany({ ...query, where: { id: { in: ids }, ...visibleTo(EVERYONE) } }),
        ).load(messageId);
      },
    }),
  }),
});

const PinPage = builder.objectRef<Awaited<ReturnType<typeof listPinnedIds>>>('PinPage').implement({
  description: 'A page of pinned messages.',
  fields: (t) => ({
    items: t.field({
      type: [PinnedMessage],
      description: 'Pinned messages, the most recently pinned first.',
      resolve: ({ items }) => items,
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether more messages were pinned before these.' }),
  }),
});

builder.prismaObjectFields(Channel, (t) => ({
  pins: t.field({
    type: PinPage,
    description:
      'Pinned messages, the most recently pinned first. Empty without Read Message History, and in a server on a box.',
    args: {
      first: t.arg.int({
        validate: pinCount,
        description: `Maximum number of messages, 1–${most}. Default: ${most}.`,
      }),
      before: t.arg({ type: 'DateTime', description: 'Returns only messages that were pinned before this time.' }),
    },
    complexity: ({ first }) => ({ field: 1, multiplier: Math.min(Math.max(first ?? most, 1), most) }),
    resolve: async ({ id: channelId }, { first, before }, { call, budget }) => {
      if (!isHere({ call }, channelId)) return { items: [], hasMore: false };
      const wanted = { channelId, before: before ?? undefined };
      let hasMore = false;
      const items = await budget.read(first ?? most, async (limit) => {
        const page = await listPinnedIds(call, { ...wanted, limit });
        hasMore = page.hasMore;
        return page.items;
      });
      return { items, hasMore };
    },
  }),
}));

builder.mutationFields((t) => ({
  pinMessage: t.field({
    type: MessagePayload,
    description: 'Pins a message and posts a notice in its channel. Needs Pin Messages.',
    args: { input: t.arg(inputOf(MessageIdInput)) },
    resolve: (_root, { input }, { call }) => {
      const key = messageKeyOf(input);
      return changeAtMessage(call, key, PINS_PER_CHANNEL, () => pinMessage(call, key));
    },
  }),
  unpinMessage: t.field({
    type: MessagePayload,
    description: 'Unpins a message. Needs Pin Messages.',
    args: { input: t.arg(inputOf(MessageIdInput)) },
    resolve: (_root, { input }, { call }) => {
      const key = messageKeyOf(input);
      return changeAtMessage(call, key, PINS_PER_CHANNEL, () => unpinMessage(call, key));
    },
  }),
}));
