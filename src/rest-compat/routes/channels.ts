import {
  createChannel,
  deleteChannelOverwrite,
  deleteOrCloseChannel,
  type GuildChannelDetails,
  getChannel,
  listChannels,
  setChannelOverwrite,
  setChannelPositions,
  updateChannel,
} from '../../domain/channels/index.js';
import { moveFaults } from '../../domain/errors.js';
import { startTyping } from '../../domain/messages/index.js';
import { renderChannel, renderChannelDetails } from '../../wire/channels.js';
import { wireName } from '../../wire/names.js';
import { reads, writes } from '../buckets.js';
import { ChannelEditBody, ChannelPositionsBody, NewChannelBody, OverwriteBody } from '../channel-body.js';
import { onServerOf, route } from '../route.js';
import { ids } from '../schemas.js';

const FAULT_NAMES = { parentId: 'parent_id' };

const shown = ({ channel, lastMessageId }: Pick<GuildChannelDetails, 'lastMessageId' | 'channel'>) =>
  renderChannel(channel, lastMessageId);

export const channelRoutes = [
  route({
    method: 'GET',
    path: '/channels/:channelId',
    summary: 'Get a channel',
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
    summary: 'Delete a channel',
    description: 'Closes a direct message channel. Its messages stay.',
    callers: ['bot'],
    bucket: writes('delete-channel', 'channelId'),
    where: onServerOf('channelId'),
    params: ids('channelId'),
    run: (call, { params }) => deleteOrCloseChannel(call, params.channelId),
    render: renderChannelDetails,
  }),
  route({
    method: 'PATCH',
    path: '/channels/:channelId',
    summary: 'Edit a channel',
    callers: ['bot'],
    bucket: writes('update-channel', 'channelId'),
    where: onServerOf('channelId'),
    params: ids('channelId'),
    body: ChannelEditBody,
    faultNames: FAULT_NAMES,
    run: (call, { params, body }) => updateChannel(call, params.channelId, body),
    render: shown,
  }),
  route({
    method: 'GET',
    path: '/guilds/:guildId/channels',
    summary: "List a server's channels",
    callers: ['bot'],
    bucket: reads('channels', 'guildId'),
    where: onServerOf('guildId'),
    params: ids('guildId'),
    run: (call, { params }) => listChannels(call, params.guildId),
    render: (channels) => channels.map(shown),
  }),
  route({
    method: 'POST',
    path: '/guilds/:guildId/channels',
    summary: 'Create a channel',
    callers: ['bot'],
    bucket: writes('create-channel', 'guildId'),
    where: onServerOf('guildId'),
    params: ids('guildId'),
    body: NewChannelBody,
    faultNames: FAULT_NAMES,
    run: (call, { params, body }) => createChannel(call, params.guildId, body),
    status: 201,
    render: (channel) => renderChannel(channel),
  }),
  route({
    method: 'PATCH',
    path: '/guilds/:guildId/channels',
    summary: 'Reorder channels',
    description: 'Changes positions and categories in one step.',
    callers: ['bot'],
    bucket: writes('channel-positions', 'guildId'),
    where: onServerOf('guildId'),
    params: ids('guildId'),
    body: ChannelPositionsBody,
    run: (call, { params, body }) => moveFaults(wireName, () => setChannelPositions(call, params.guildId, body)),
  }),
  // On self-hosted servers, permissions belong to groups (service description, section 4).
  route({
    method: 'PUT',
    path: '/channels/:channelId/permissions/:overwriteId',
    summary: "Set a channel's permission overwrite",
    description: 'For one role or member. An existing overwrite is replaced.',
    callers: ['bot'],
    bucket: writes('set-overwrite', 'channelId'),
    where: { by: 'channelId', selfHosted: 'notImplemented' },
    params: ids('channelId', 'overwriteId'),
    body: OverwriteBody,
    async run(call, { params: { channelId, overwriteId: targetId }, body: { type: targetType, ...bits } }) {
      await setChannelOverwrite(call, channelId, { targetId, targetType, ...bits });
    },
  }),
  route({
    method: 'DELETE',
    path: '/channels/:channelId/permissions/:overwriteId',
    summary: 'Delete a permission overwrite',
    callers: ['bot'],
    bucket: writes('delete-overwrite', 'channelId'),
    where: {
      by: 'channelId',
      selfHosted: 'forward',
      isDoneIf: 'UNKNOWN_OVERWRITE',
      note: 'Also 204 if there is no such overwrite.',
    },
    params: ids('channelId', 'overwriteId'),
    async run(call, { params: { channelId, overwriteId: targetId } }) {
      await deleteChannelOverwrite(call, channelId, targetId);
    },
  }),
  route({
    method: 'POST',
    path: '/channels/:channelId/typing',
    summary: 'Show the typing indicator',
    description: 'It is shown for about 10 seconds, or until the bot sends a message.',
    callers: ['bot'],
    bucket: writes('typing', 'channelId'),
    where: onServerOf('channelId'),
    params: ids('channelId'),
    run: (call, { params }) => startTyping(call, params),
  }),
];
