import { z } from 'zod';
import {
  createApplicationEmoji,
  createEmoji,
  deleteApplicationEmoji,
  deleteEmoji,
  EmojiChange,
  EmojiName,
  type EmojiRecord,
  getApplicationEmoji,
  getEmoji,
  listApplicationEmojis,
  listEmojis,
  NewEmoji,
  updateApplicationEmoji,
  updateEmoji,
} from '../../domain/emojis/index.js';
import { renderGuildEmoji } from '../../wire/emojis.js';
import { reads, writes } from '../buckets.js';
import { imageData } from '../images.js';
import { CLOUD, onServerOf, route } from '../route.js';
import { ids } from '../schemas.js';

const OF_GUILD = '/guilds/:guildId/emojis';
const OF_APPLICATION = '/applications/:applicationId/emojis';

const NAMES = { roleIds: 'roles' };

const render = ({ emoji, creator }: EmojiRecord) => renderGuildEmoji(emoji, creator ?? undefined);

const inGuild = ids('guildId');
const ofGuild = ids('guildId', 'emojiId');
const inApplication = ids('applicationId');
const ofApplication = ids('applicationId', 'emojiId');

/** Self-hosted servers allow only reads. */
const guildEmojiRoutes = [
  route({
    method: 'GET',
    path: OF_GUILD,
    summary: "List a server's emojis",
    callers: ['bot'],
    bucket: reads('emojis', 'guildId'),
    where: onServerOf('guildId'),
    params: inGuild,
    run: (call, { params }) => listEmojis(call, params.guildId),
    render: (emojis) => emojis.map(render),
  }),
  route({
    method: 'POST',
    path: OF_GUILD,
    summary: 'Create a server emoji',
    callers: ['bot'],
    bucket: writes('create-emoji', 'guildId'),
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: inGuild,
    body: z.object({ name: EmojiName, image: imageData, roles: NewEmoji.shape.roleIds }),
    faultNames: NAMES,
    status: 201,
    run: (call, { params, body: { roles: roleIds, ...body } }) => createEmoji(call, { ...params, ...body, roleIds }),
    render,
  }),
  route({
    method: 'GET',
    path: `${OF_GUILD}/:emojiId`,
    summary: 'Get a server emoji',
    callers: ['bot'],
    bucket: reads('emoji', 'guildId'),
    where: onServerOf('guildId'),
    params: ofGuild,
    run: (call, { params }) => getEmoji(call, params),
    render,
  }),
  route({
    method: 'PATCH',
    path: `${OF_GUILD}/:emojiId`,
    summary: 'Edit a server emoji',
    callers: ['bot'],
    bucket: writes('edit-emoji', 'guildId'),
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: ofGuild,
    body: z.object({ name: EmojiChange.shape.name, roles: EmojiChange.shape.roleIds }),
    faultNames: NAMES,
    run: (call, { params, body: { name, roles: roleIds } }) => updateEmoji(call, params, { name, roleIds }),
    render,
  }),
  route({
    method: 'DELETE',
    path: `${OF_GUILD}/:emojiId`,
    summary: 'Delete a server emoji',
    callers: ['bot'],
    bucket: writes('delete-emoji', 'guildId'),
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: ofGuild,
    run: (call, { params }) => deleteEmoji(call, params),
  }),
];

const applicationEmojiRoutes = [
  route({
    method: 'GET',
    path: OF_APPLICATION,
    summary: "List an application's emojis",
    callers: ['bot'],
    bucket: reads('application-emojis', 'applicationId'),
    where: CLOUD,
    params: inApplication,
    run: (call, { params }) => listApplicationEmojis(call, params.applicationId),
    render: (emojis) => ({ items: emojis.map(render) }),
  }),
  route({
    method: 'POST',
    path: OF_APPLICATION,
    summary: 'Create an application emoji',
    callers: ['bot'],
    bucket: writes('create-application-emoji', 'applicationId'),
    where: CLOUD,
    params: inApplication,
    body: z.object({ name: EmojiName, image: imageData }),
    status: 201,
    run: (call, { params, body }) => createApplicationEmoji(call, { ...params, ...body }),
    render,
  }),
  route({
    method: 'GET',
    path: `${OF_APPLICATION}/:emojiId`,
    summary: 'Get an application emoji',
    callers: ['bot'],
    bucket: reads('application-emoji', 'applicationId'),
    where: CLOUD,
    params: ofApplication,
    run: (call, { params }) => getApplicationEmoji(call, params),
    render,
  }),
  route({
    method: 'PATCH',
    path: `${OF_APPLICATION}/:emojiId`,
    summary: 'Edit an application emoji',
    callers: ['bot'],
    bucket: writes('edit-application-emoji', 'applicationId'),
    where: CLOUD,
    params: ofApplication,
    body: z.object({ name: EmojiChange.shape.name }),
    run: (call, { params, body }) => updateApplicationEmoji(call, { ...params, ...body }),
    render,
  }),
  route({
    method: 'DELETE',
    path: `${OF_APPLICATION}/:emojiId`,
    summary: 'Delete an application emoji',
    callers: ['bot'],
    bucket: writes('delete-application-emoji', 'applicationId'),
    where: CLOUD,
    params: ofApplication,
    run: (call, { params }) => deleteApplicationEmoji(call, params),
  }),
];

export const emojiRoutes = [...guildEmojiRoutes, ...applicationEmojiRoutes];
