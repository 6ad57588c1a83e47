import { z } from 'zod';
import { addReaction, clearReactions, listReactions, removeReaction } from '../../domain/messages/index.js';
import { renderUser } from '../../wire/users.js';
import { CHANGE_REACTIONS, reads } from '../buckets.js';
import { onServerOf, route } from '../route.js';
import { ids, queryId, queryInteger } from '../schemas.js';

const REACTIONS = '/channels/:channelId/messages/:messageId/reactions';

/** Burst reactions cannot be created. */
const NORMAL = 0;
const BURST = 1;

const onMessage = ids('channelId', 'messageId');
const withEmoji = onMessage.extend({ emoji: z.string() });
const ofSomebody = withEmoji.extend(ids('userId').shape);

export const reactionRoutes = [
  route({
    method: 'GET',
    path: `${REACTIONS}/:emoji`,
    summary: 'List the users who reacted with an emoji',
    callers: ['bot'],
    bucket: reads('list-reactions', 'channelId'),
    where: onServerOf('channelId'),
    params: withEmoji,
    query: z.object({ after: queryId, limit: queryInteger(1, 100, 25), type: queryInteger(NORMAL, BURST, NORMAL) }),
    async run(call, { params, query: { type, ...page } }) {
      const users = await listReactions(call, { ...params, ...page });
      return type === BURST ? [] : users;
    },
    render: (users) => users.map(renderUser),
  }),
  route({
    method: 'PUT',
    path: `${REACTIONS}/:emoji/@me`,
    summary: "Add the bot's reaction",
    callers: ['bot'],
    bucket: CHANGE_REACTIONS,
    where: onServerOf('channelId'),
    params: withEmoji,
    run: (call, { params }) => addReaction(call, params),
  }),
  route({
    method: 'DELETE',
    path: `${REACTIONS}/:emoji/@me`,
    summary: "Remove the bot's reaction",
    callers: ['bot'],
    bucket: CHANGE_REACTIONS,
    where: onServerOf('channelId'),
    params: withEmoji,
    run: (call, { params }) => removeReaction(call, params),
  }),
  route({
    method: 'DELETE',
    path: `${REACTIONS}/:emoji/:userId`,
    summary: "Remove a user's reaction",
    callers: ['bot'],
    bucket: CHANGE_REACTIONS,
    where: onServerOf('channelId'),
    params: ofSomebody,
    run: (call, { params }) => removeReaction(call, params),
  }),
  route({
    method: 'DELETE',
    path: `${REACTIONS}/:emoji`,
    summary: 'Remove all reactions with an emoji',
    callers: ['bot'],
    bucket: CHANGE_REACTIONS,
    where: onServerOf('channelId'),
    params: withEmoji,
    run: (call, { params }) => clearReactions(call, params),
  }),
  route({
    method: 'DELETE',
    path: REACTIONS,
    summary: 'Remove all reactions',
    callers: ['bot'],
    bucket: CHANGE_REACTIONS,
    where: onServerOf('channelId'),
    params: onMessage,
    run: (call, { params }) => clearReactions(call, params),
  }),
];
