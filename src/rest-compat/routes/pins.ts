import { z } from 'zod';
import { limits } from '../../domain/limits.js';
import { listPins, pinMessage, unpinMessage } from '../../domain/messages/index.js';
import { wireTime } from '../../wire/time.js';
import { CHANGE_PINS, reads } from '../buckets.js';
import { onServerOf, type Route, route } from '../route.js';
import { ids, queryInteger, queryTime } from '../schemas.js';
import { renderFor } from './messages.js';

/** The second path is Discord's older one. Only its list has another format. */
const FAMILIES = ['/channels/:channelId/messages/pins', '/channels/:channelId/pins'] as const;

export const pinRoutes: Route[] = [
  route({
    method: 'GET',
    path: FAMILIES[0],
    summary: "List a channel's pinned messages",
    description: 'Newest pin first.',
    callers: ['bot'],
    bucket: reads('list-pins', 'channelId'),
    where: onServerOf('channelId'),
    params: ids('channelId'),
    query: z.object({ before: queryTime, limit: queryInteger(1, limits.pinsPerPage, limits.pinsPerPage) }),
    run: (call, { params, query }) => listPins(call, { ...params, ...query }),
    render: ({ items, hasMore }, context) => ({
      items: items.map(({ pinnedAt, message }) => ({
        pinned_at: wireTime(pinnedAt),
        message: renderFor(message, context),
      })),
      has_more: hasMore,
    }),
  }),
  route({
    method: 'GET',
    path: FAMILIES[1],
    summary: 'List the newest 50 pinned messages',
    description: 'Use `GET /channels/{channel_id}/messages/pins` in new code.',
    callers: ['bot'],
    bucket: reads('list-pins', 'channelId'),
    where: onServerOf('channelId'),
    params: ids('channelId'),
    run: (call, { params }) => listPins(call, { ...params, limit: limits.pinsPerPage }),
    render: ({ items }, context) => items.map(({ message }) => renderFor(message, context)),
  }),
  ...FAMILIES.flatMap((family) => [
    route({
      method: 'PUT',
      path: `${family}/:messageId`,
      summary: 'Pin a message',
      callers: ['bot'],
      bucket: CHANGE_PINS,
      where: onServerOf('channelId'),
      params: ids('channelId', 'messageId'),
      run: (call, { params }) => pinMessage(call, params),
    }),
    route({
      method: 'DELETE',
      path: `${family}/:messageId`,
      summary: 'Unpin a message',
      callers: ['bot'],
      bucket: CHANGE_PINS,
      where: onServerOf('channelId'),
      params: ids('channelId', 'messageId'),
      run: (call, { params }) => unpinMessage(call, params),
    }),
  ]),
];
