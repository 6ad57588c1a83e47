import type { CallContext } from '../domain/call.js';
import { DomainError, invalidInput } from '../domain/errors.js';
import { REACTIONS_PER_CHANNEL } from '../domain/limits.js';
import {
  addReaction,
  clearReactions,
  listReactions,
  type MessageKey,
  removeReaction,
} from '../domain/messages/index.js';
import { builder } from './builder.js';
import { parseId } from './ids.js';
import { listArgs, listCost, parseList } from './lists.js';
import { changeAtMessage, Message, MessagePayload, messageKeyOf } from './messages.js';
import { User } from './users.js';

const EMOJI = "A unicode emoji, or `name:id` of a server's or an application's own.";

builder.prismaObjectFields(Message, (t) => ({
  reactionUsers: t.field({
    type: [User],
    description: 'Who reacted with an emoji, in the order of their ids.',
    args: { emoji: t.arg.string({ required: true, description: EMOJI }), ...listArgs },
    complexity: listCost,
    resolve: ({ id: messageId, channelId }, { emoji, ...args }, { call, budget }) => {
      const { most, after } = parseList(args);
      return budget.read(most, (limit) =>
        namingEmoji(() => listReactions(call, { channelId, messageId, emoji, after, limit })),
      );
    },
  }),
}));

const ReactionInput = builder.inputType('ReactionInput', {
  fields: (t) => ({
    channelId: t.id({ required: true }),
    messageId: t.id({ required: true }),
    emoji: t.string({ required: true, description: EMOJI }),
  }),
});

const UserReactionInput = builder.inputType('UserReactionInput', {
  fields: (t) => ({
    channelId: t.id({ required: true }),
    messageId: t.id({ required: true }),
    emoji: t.string({ required: true, description: EMOJI }),
    userId: t.id({ required: true }),
  }),
});

const ClearReactionsInput = builder.inputType('ClearReactionsInput', {
  fields: (t) => ({
    channelId: t.id({ required: true }),
    messageId: t.id({ required: true }),
    emoji: t.string({ description: 'Only those with this one.' }),
  }),
});

builder.mutationFields((t) => ({
  addReaction: t.field({
    type: MessagePayload,
    args: { input: t.arg({ type: ReactionInput, required: true }) },
    resolve: (_root, { input }, { call }) => {
      const key = messageKeyOf(input);
      return changeReactions(call, key, () => addReaction(call, { ...key, emoji: input.emoji }));
    },
  }),
  removeReaction: t.field({
    type: MessagePayload,
    description: "Takes back the caller's own reaction.",
    args: { input: t.arg({ type: ReactionInput, required: true }) },
    resolve: (_root, { input }, { call }) => {
      const key = messageKeyOf(input);
      return changeReactions(call, key, () => removeReaction(call, { ...key, emoji: input.emoji }));
    },
  }),
  removeUserReaction: t.field({
    type: MessagePayload,
    description: "Takes somebody's reaction back, for who manages messages.",
    args: { input: t.arg({ type: UserReactionInput, required: true }) },
    resolve: (_root, { input }, { call }) => {
      const key = messageKeyOf(input);
      const userId = parseId(input.userId, 'userId');
      return changeReactions(call, key, () => removeReaction(call, { ...key, emoji: input.emoji, userId }));
    },
  }),
  clearReactions: t.field({
    type: MessagePayload,
    description: 'Removes all reactions, or all with one emoji, for who manages messages.',
    args: { input: t.arg({ type: ClearReactionsInput, required: true }) },
    resolve: (_root, { input: { emoji, ...input } }, { call }) => {
      const key = messageKeyOf(input);
      const which = emoji === null || emoji === undefined ? {} : { emoji };
      return changeReactions(call, key, () => clearReactions(call, { ...key, ...which }));
    },
  }),
}));

function changeReactions(call: CallContext, key: MessageKey, change: () => Promise<unknown>) {
  return changeAtMessage(call, key, REACTIONS_PER_CHANNEL, () => namingEmoji(change));
}

/** Reports an unknown emoji at the argument `emoji`. */
async function namingEmoji<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'UNKNOWN_EMOJI') throw error;
    throw invalidInput({ path: 'emoji', code: error.code, message: error.message });
  }
}
