import { closeDirectChannel, getChannel } from '../../domain/channels/index.js';
import { startTyping } from '../../domain/messages/index.js';
import { renderChannelDetails } from '../../wire/channels.js';
import { reads, writes } from '../buckets.js';
import { onServerOf, route } from '../route.js';
import { ids } from '../schemas.js';

export const channelRoutes = [
  route({
    method: 'GET',
    path: '/channels/:channelId',
    callers: ['bot'],
    bucket: reads('channel', 'channelId'),
    where: onServerOf('channelId'),
    params: ids('channelId'),
    run: (call, { params }) => getChannel(call, params.channelId),
    render: renderChannelDetails,
  }),
  route({
    method: 'DELETE',
    path: '/channels/:channelId',
    callers: ['bot'],
    bucket: writes('delete-channel', 'channelId'),
    where: onServerOf('channelId'),
    params: ids('channelId'),
    run: (call, { params }) => closeDirectChannel(call, params.channelId),
    render: renderChannelDetails,
  }),
  route({
    method: 'POST',
    path: '/channels/:channelId/typing',
    callers: ['bot'],
    bucket: writes('typing', 'channelId'),
    where: onServerOf('channelId'),
    params: ids('channelId'),
    run: (call, { params }) => startTyping(call, params),
  }),
];
