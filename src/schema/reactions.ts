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
import { builder, inputOf } from './builder.js';
import { idOf, parseId } from './ids.js';
import { listArgs, listCost, parseList } from './lists.js';
import { changeAtMessage, Message, MessagePayload, messageKeyOf } from './messages.js';
import { User } from './users.js';

const EMOJI = 'A Unicode emoji, or `name:id` of a custom emoji.';

builder.prismaObjectFields(Message, (t) => ({
  reactionUsers: t.field({
    type: [User],
    description: 'Users who reacted with an emoji, sorted by ID. Needs Read Message History.',
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
  description: "Identifies the caller's reaction to a message.",
  fields: (t) => ({
    channelId: t.id(idOf.channel),
    messageId: t.id(idOf.message),
    emoji: t.string({ required: true, description: EMOJI }),
  }),
});

const UserReactionInput = builder.inputType('UserReactionInput', {
  description: "Identifies a user's reaction to a message.",
  fields: (t) => ({
    channelId: t.id(idOf.channel),
    messageId: t.id(idOf.message),
    emoji: t.string({ required: true, description: EMOJI }),
    userId: t.id(idOf.user),
  }),
});

const ClearReactionsInput = builder.inputType('ClearReactionsInput', {
  description: 'Selects reactions to a message.',
  fields: (t) => ({
    channelId: t.id(idOf.channel),
    messageId: t.id(idOf.message),
    emoji: t.string({ description: 'Removes only reactions with this emoji. Default: all reactions.' }),
  }),
});

builder.mutationFields((t) => ({
  addReaction: t.field({
    type: MessagePayload,
    description: "Adds the caller's reaction. An emoji that is new to the message needs Add Reactions.",
    args: { input: t.arg(inputOf(ReactionInput)) },
    resolve: (_root, { input }, { call }) => {
      const key = messageKeyOf(input);
      return changeReactions(call, key, () => addReaction(call, { ...key, emoji: input.emoji }));
    },
  }),
  removeReaction: t.field({
    type: MessagePayload,
    description: "Removes the caller's own reaction.",
    args: { input: t.arg(inputOf(ReactionInput)) },
    resolve: (_root, { input }, { call }) => {
      const key = messageKeyOf(input);
      return changeReactions(call, key, () => removeReaction(call, { ...key, emoji: input.emoji }));
    },
  }),
  removeUserReaction: t.field({
    type: MessagePayload,
    description: "Removes a user's reaction. Another user's reaction needs Manage Messages.",
    args: { input: t.arg(inputOf(UserReactionInput)) },
    resolve: (_root, { input }, { call }) => {
      const key = messageKeyOf(input);
      const userId = parseId(input.userId, 'userId');
      return changeReactions(call, key, () => removeReaction(call, { ...key, emoji: input.emoji, userId }));
    },
  }),
  clearReactions: t.field({
    type: MessagePayload,
    description: 'Removes all reactions, or all with one emoji. Needs Manage Messages.',
    args: { input: t.arg(inputOf(ClearReactionsInput)) },
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
