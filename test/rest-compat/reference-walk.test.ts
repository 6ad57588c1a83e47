import { beforeAll, describe, expect } from 'vitest';
import { banMember } from '../../src/domain/bans/index.js';
import { deleteGuild } from '../../src/domain/guilds/index.js';
import { addMemberRole } from '../../src/domain/members/index.js';
import { ALL_PERMISSIONS, Permission } from '../../src/domain/permissions.js';
import { createRole } from '../../src/domain/roles/index.js';
import type { User } from '../../src/infra/database/index.js';
import { documentPath } from '../../src/rest-compat/openapi.js';
import { routes } from '../../src/rest-compat/table.js';
import { ABSENT_OPERATIONS } from '../harness/absent-operations.js';
import { test } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { dataUri, movingGif, PIXEL } from '../harness/images.js';
import { putAnswered, putInteraction } from '../harness/interaction-rows.js';
import { grantCode, inForm, postForm, REDIRECT_URI } from '../harness/oauth.js';
import { createApplication, createGuild, install, type Person, signUp } from '../harness/people.js';
import { REFERENCE_OPERATIONS, referenceFaults } from '../harness/reference.js';
import { ask, formOf, openScene, type RestAnswer, type RestRequest, type Scene } from '../harness/rest.js';
import { createPerson, nameMember, putInVoice, putWebhook } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { addMember, callOf, createGuild as createGuildOf } from '../harness/world.js';

/**
 * Covers every operation of the reference platform's OpenAPI document. An operation either has a route, or is listed
 * as absent with the reason. Each route is called until every success status occurred, with fully populated data.
 * `ask` compares the responses with the document.
 */

let server: TestServer;
let scene: Scene;
let ada: Person;
/** Existing values for each path parameter, by the document's names. */
let there: Record<string, string>;
/** Ada's token with all scopes, and her application with editable command permissions. */
let token: string;
let granted: Record<string, string>;
/** The bot token of that application, and a guild that it may add members to. */
let helperToken: string;
let joinable: string;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
  const { app } = server;
  // Administrators cannot be timed out.
  await scene.permit(ALL_PERMISSIONS & ~Permission.Administrator);
  await giveRole(scene.bot.bot.user, await newRole());
  there = { guild_id: scene.guildId, application_id: scene.bot.id };
  await furnish();
  ada = await signUp(server, 'ada');
  const application = await createApplication(ada, 'Helper');
  const data = { redirectUris: [REDIRECT_URI] };
  await app.db.writer.application.update({ where: { id: BigInt(application.id) }, data });
  const guild = await createGuild(ada);
  await install(ada, application, guild);
  const bob = await signUp(server, 'bob');
  const other = await createGuild(bob);
  await install(bob, application, other, { permissions: String(Permission.CreateInstantInvite) });
  joinable = other.id;
  helperToken = application.botToken;
  const scope = 'identify guilds guilds.join applications.commands.permissions.update';
  const code = await grantCode(server, ada, application, { scope });
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...inForm(application) };
  token = (await postForm(server, form)).body.access_token;
  const command = await ask(server, 'POST', `/applications/${application.id}/commands`, {
    json: COMMAND,
    headers: { authorization: `Bot ${helperToken}` },
  });
  granted = { application_id: application.id, guild_id: guild.id, command_id: command.body.id };
});

const owner = () => callOf(server.app, scene.guild.owner);

async function furnish(): Promise<void> {
  const { app } = server;
  const { channelId, guildId, bot } = scene;
  const overwrite = { id: guildId, type: 0, allow: '1024', deny: '0' };
  const emoji = await must('POST', '/guilds/{guild_id}/emojis', {
    name: 'wave',
    image: dataUri(await movingGif(), 'image/gif'),
  });
  Object.assign(there, {
    channel_id: channelId,
    overwrite_id: guildId,
    role_id: await newRole(),
    emoji_id: emoji.id,
    emoji_name: encodeURIComponent('👍'),
    user_id: String(scene.guild.owner.id),
  });
  await must('PATCH', '/channels/{channel_id}', { topic: 'Of many things', permission_overwrites: [overwrite] });
  const category = await must('POST', '/guilds/{guild_id}/channels', { name: 'category', type: 4 });
  await must('POST', '/guilds/{guild_id}/channels', { name: 'news', type: 5, parent_id: category.id });
  await must('PATCH', '/guilds/{guild_id}', {
    icon: dataUri(PIXEL),
    description: 'Of herons',
    system_channel_id: channelId,
  });
  there.message_id = await newMessage();
  const member = await newMember();
  await nameMember(app, scene.guild.id, member, 'Heron');
  await giveRole(member, String(there.role_id));
  await putInVoice(app, { guildId: scene.guild.id, userId: bot.bot.id });
  await putInVoice(app, { guildId: scene.guild.id, userId: scene.guild.owner.id });
  there.code = (await must('POST', '/channels/{channel_id}/invites', { max_age: 60, unique: true })).code;
  await banMember(owner(), { guildId: scene.guild.id, userId: (await newMember()).id });
  const kept = { ...COMMAND, name: 'kept' };
  there.command_id = (await must('POST', '/applications/{application_id}/commands', kept)).id;
  await must('POST', '/applications/{application_id}/guilds/{guild_id}/commands', kept);
  await must('POST', '/applications/{application_id}/emojis', { name: 'wave', image: dataUri(PIXEL) });
}

async function must(method: string, path: string, json?: object): Promise<Loose> {
  const { status, body } = await scene.bot.ask(method, fill(path), json ? { json } : {});
  if (status > 299) throw new Error(`${method} ${path} was answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

const newRole = async () => String((await createRole(owner(), scene.guild.id, { name: 'Helpers', hoist: true })).id);

const giveRole = ({ id: userId }: User, roleId: string) =>
  addMemberRole(owner(), { guildId: scene.guild.id, userId, roleId: BigInt(roleId) });

async function newMember(): Promise<User> {
  const user = await createPerson(server.app);
  await addMember(server.app, scene.guild.id, user);
  return user;
}

async function newBan(): Promise<string> {
  const { id } = await newMember();
  await banMember(owner(), { guildId: scene.guild.id, userId: id });
  return String(id);
}

async function newMessage(): Promise<string> {
  const { bot, other, guildId, messages } = scene;
  const answered = await scene.send();
  const embed = {
    title: 'A title',
    description: 'A description',
    url: 'https://a.example/',
    timestamp: '2026-01-01T00:00:00.000Z',
    color: 255,
    footer: { text: 'A footer' },
    image: { url: 'https://a.example/a.png' },
    thumbnail: { url: 'https://a.example/a.png' },
    author: { name: 'An author' },
    fields: [{ name: 'A name', value: 'A value', inline: true }],
  };
  const button = { type: 2, style: 1, label: 'Press', custom_id: 'press' };
  const select = { type: 3, custom_id: 'choose', options: [{ label: 'One', value: 'one' }] };
  const body = {
    content: `<@${other.id}> <@&${guildId}> <#${scene.channelId}>`,
    embeds: [embed],
    components: [
      { type: 1, components: [button] },
      { type: 1, components: [select] },
    ],
    message_reference: { message_id: answered.id },
    nonce: 'nonce',
  };
  const form = formOf(body, { name: 'files[0]', content: PIXEL, filename: 'a.png', type: 'image/png' });
  const { body: message } = await bot.ask('POST', messages, { form });
  for (const emoji of [encodeURIComponent('👍'), `wave:${there.emoji_id}`]) {
    for (const who of [bot, other]) await who.put(`${messages}/${message.id}/reactions/${emoji}/@me`);
  }
  await bot.put(`${messages}/pins/${message.id}`);
  return message.id;
}

const newChannel = async (more: object = {}) =>
  (await must('POST', '/guilds/{guild_id}/channels', { name: 'made', ...more })).id as string;

interface Asked extends RestRequest {
  params?: Record<string, string>;
  /** Begins with `?`. */
  query?: string;
  as?: 'bot' | 'token' | 'nobody';
}

const COMMAND = {
  name: 'play',
  description: 'Plays a song',
  name_localizations: { de: 'spiele' },
  options: [
    { type: 3, name: 'song', description: 'Which', required: true, choices: [{ name: 'One', value: '1' }] },
    { type: 4, name: 'times', description: 'How often', min_value: 1 },
    { type: 7, name: 'where', description: 'In which channel', channel_types: [0] },
  ],
};

const LAYOUT = {
  flags: 1 << 15,
  components: [
    { type: 10, content: 'A text' },
    { type: 14, divider: true, spacing: 2 },
    { type: 12, items: [{ media: { url: 'https://a.example/a.png' }, description: 'A picture' }] },
    {
      type: 9,
      components: [{ type: 10, content: 'Beside' }],
      accessory: { type: 11, media: { url: 'https://a.example/a.png' } },
    },
    {
      type: 17,
      accent_color: 255,
      components: [
        { type: 10, content: 'Within' },
        { type: 1, components: [{ type: 8, custom_id: 'channel', channel_types: [0] }] },
        { type: 1, components: [{ type: 2, style: 5, label: 'Go', url: 'https://a.example/' }] },
      ],
    },
  ],
};

async function ofInteraction(path: string): Promise<Record<string, string>> {
  const at = { bot: scene.bot.bot, guild: scene.guild };
  if (path === 'callback') {
    const { interaction, token: interactionToken } = await putInteraction(server.app, at);
    return { interaction_id: String(interaction.id), interaction_token: interactionToken };
  }
  const { token: webhookToken, messageId } = await putAnswered(server.app, at);
  return { webhook_id: scene.bot.id, webhook_token: webhookToken, message_id: String(messageId) };
}

const sent = async (): Promise<Asked> => ({ params: { message_id: (await scene.send()).id } });
const furnished = async (): Promise<Asked> => ({ params: { message_id: await newMessage() } });
const ofMember = async (more: RestRequest = {}): Promise<Asked> => ({
  params: { user_id: String((await newMember()).id) },
  ...more,
});
const answeredOne = async (more: RestRequest = {}): Promise<Asked> => ({
  params: await ofInteraction('answered'),
  as: 'nobody',
  ...more,
});
const globalCommand = async () =>
  (await must('POST', '/applications/{application_id}/commands', { ...COMMAND, name: next('g') })).id;
const guildCommand = async () =>
  (await must('POST', '/applications/{application_id}/guilds/{guild_id}/commands', { ...COMMAND, name: next('s') })).id;
const emojiIn = async (path: string): Promise<Asked> => ({
  params: { emoji_id: (await must('POST', path, { name: next('e'), image: dataUri(PIXEL) })).id },
});

let made = 0;
const next = (name: string) => `${name}${++made}`;

/** The requests per operation, in order. Reading operations without an entry are called once on existing data. */
const ASKED: Record<string, (() => Asked | Promise<Asked>)[]> = {
  'PATCH /applications/@me': [() => ({ json: { description: 'Does it all', tags: ['music'] } })],
  'POST /applications/{application_id}/commands': [() => ({ json: COMMAND }), () => ({ json: COMMAND })],
  'PUT /applications/{application_id}/commands': [() => ({ json: [COMMAND, { ...COMMAND, name: 'kept' }] })],
  'GET /applications/{application_id}/commands/{command_id}': [
    async () => ({ params: { command_id: await globalCommand() } }),
  ],
  'PATCH /applications/{application_id}/commands/{command_id}': [
    async () => ({ params: { command_id: await globalCommand() }, json: { description: 'Other' } }),
  ],
  'DELETE /applications/{application_id}/commands/{command_id}': [
    async () => ({ params: { command_id: await globalCommand() } }),
  ],
  'POST /applications/{application_id}/guilds/{guild_id}/commands': [
    () => ({ json: COMMAND }),
    () => ({ json: COMMAND }),
  ],
  'PUT /applications/{application_id}/guilds/{guild_id}/commands': [() => ({ json: [COMMAND] })],
  'GET /applications/{application_id}/guilds/{guild_id}/commands/{command_id}': [
    async () => ({ params: { command_id: await guildCommand() } }),
  ],
  'PATCH /applications/{application_id}/guilds/{guild_id}/commands/{command_id}': [
    async () => ({ params: { command_id: await guildCommand() }, json: { description: 'Other' } }),
  ],
  'DELETE /applications/{application_id}/guilds/{guild_id}/commands/{command_id}': [
    async () => ({ params: { command_id: await guildCommand() } }),
  ],
  'PUT /applications/{application_id}/guilds/{guild_id}/commands/{command_id}/permissions': [
    () => ({
      as: 'token',
      params: granted,
      json: { permissions: [{ id: granted.guild_id, type: 1, permission: true }] },
    }),
  ],
  'POST /applications/{application_id}/emojis': [() => ({ json: { name: 'made', image: dataUri(PIXEL) } })],
  'GET /applications/{application_id}/emojis/{emoji_id}': [() => emojiIn('/applications/{application_id}/emojis')],
  'PATCH /applications/{application_id}/emojis/{emoji_id}': [
    async () => ({ ...(await emojiIn('/applications/{application_id}/emojis')), json: { name: 'other' } }),
  ],
  'DELETE /applications/{application_id}/emojis/{emoji_id}': [() => emojiIn('/applications/{application_id}/emojis')],
  'GET /channels/{channel_id}': [
    () => ({}),
    ...[2, 4, 5].map((type) => async () => ({ params: { channel_id: await newChannel({ type }) } })),
    async () => ({ params: { channel_id: (await must('POST', '/users/@me/channels', recipient())).id } }),
  ],
  'PATCH /channels/{channel_id}': [() => ({ json: { topic: 'Another' } })],
  'DELETE /channels/{channel_id}': [
    async () => ({ params: { channel_id: await newChannel() } }),
    async () => ({ params: { channel_id: (await must('POST', '/users/@me/channels', recipient())).id } }),
  ],
  'POST /channels/{channel_id}/invites': [() => ({ json: { max_uses: 1, unique: true } })],
  'POST /channels/{channel_id}/messages': [
    () => ({ json: { content: 'hello', tts: true, allowed_mentions: { parse: [] } } }),
    () => ({ json: LAYOUT }),
  ],
  'POST /channels/{channel_id}/messages/bulk-delete': [
    async () => ({ json: { messages: [(await scene.send()).id, (await scene.send()).id] } }),
  ],
  'PUT /channels/{channel_id}/messages/pins/{message_id}': [sent],
  'DELETE /channels/{channel_id}/messages/pins/{message_id}': [furnished],
  'PUT /channels/{channel_id}/pins/{message_id}': [sent],
  'DELETE /channels/{channel_id}/pins/{message_id}': [furnished],
  'PATCH /channels/{channel_id}/messages/{message_id}': [
    async () => ({ ...(await furnished()), json: { content: 'edited' } }),
    async () => ({ ...(await sent()), json: { ...LAYOUT, content: null } }),
  ],
  'DELETE /channels/{channel_id}/messages/{message_id}': [furnished],
  'DELETE /channels/{channel_id}/messages/{message_id}/reactions': [furnished],
  'DELETE /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}': [furnished],
  'DELETE /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me': [furnished],
  'PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me': [sent],
  'DELETE /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/{user_id}': [
    async () => ({ params: { message_id: await newMessage(), user_id: scene.other.id } }),
  ],
  'PUT /channels/{channel_id}/permissions/{overwrite_id}': [() => ({ json: { type: 0, allow: '1024', deny: '0' } })],
  'DELETE /channels/{channel_id}/permissions/{overwrite_id}': [
    async () => ({
      params: {
        channel_id: await newChannel({ permission_overwrites: [{ id: scene.guildId, type: 0, allow: '1024' }] }),
      },
    }),
  ],
  'POST /channels/{channel_id}/typing': [() => ({})],
  'GET /guilds/{guild_id}': [() => ({}), () => ({ query: '?with_counts=true' })],
  'PATCH /guilds/{guild_id}': [() => ({ json: { name: 'Herons', icon: dataUri(PIXEL) } })],
  'PUT /guilds/{guild_id}/bans/{user_id}': [() => ofMember({ json: { delete_message_seconds: 60 } })],
  'GET /guilds/{guild_id}/bans/{user_id}': [async () => ({ params: { user_id: await newBan() } })],
  'DELETE /guilds/{guild_id}/bans/{user_id}': [async () => ({ params: { user_id: await newBan() } })],
  'POST /guilds/{guild_id}/bulk-ban': [async () => ({ json: { user_ids: [String((await newMember()).id), '1'] } })],
  'POST /guilds/{guild_id}/channels': [
    () => ({ json: { name: 'made', topic: 'Of it', rate_limit_per_user: 5 } }),
    () => ({ json: { name: 'made', type: 2, bitrate: 64_000, user_limit: 5 } }),
    () => ({ json: { name: 'made', type: 4 } }),
    () => ({ json: { name: 'made', type: 5 } }),
  ],
  'PATCH /guilds/{guild_id}/channels': [async () => ({ json: [{ id: await newChannel(), position: 1 }] })],
  'POST /guilds/{guild_id}/emojis': [
    async () => ({ json: { name: 'made', image: dataUri(PIXEL), roles: [there.role_id] } }),
  ],
  'PATCH /guilds/{guild_id}/emojis/{emoji_id}': [
    async () => ({ ...(await emojiIn('/guilds/{guild_id}/emojis')), json: { name: 'other' } }),
  ],
  'DELETE /guilds/{guild_id}/emojis/{emoji_id}': [() => emojiIn('/guilds/{guild_id}/emojis')],
  'GET /guilds/{guild_id}/audit-logs': [() => ({ query: '?limit=100' })],
  'GET /guilds/{guild_id}/members': [() => ({ query: '?limit=100' })],
  'GET /guilds/{guild_id}/members/search': [() => ({ query: '?query=heron' })],
  'PATCH /guilds/{guild_id}/members/@me': [() => ({ json: { nick: 'Bittern' } })],
  'PUT /guilds/{guild_id}/members/{user_id}': [joining, joining],
  'PATCH /guilds/{guild_id}/members/{user_id}': [
    () => ofMember({ json: { nick: 'Egret', communication_disabled_until: inAMinute() } }),
  ],
  'DELETE /guilds/{guild_id}/members/{user_id}': [() => ofMember()],
  'PUT /guilds/{guild_id}/members/{user_id}/roles/{role_id}': [() => ofMember()],
  'DELETE /guilds/{guild_id}/members/{user_id}/roles/{role_id}': [() => ofMember()],
  'POST /guilds/{guild_id}/prune': [() => ({ json: { days: 30 } }), () => ({ json: { compute_prune_count: false } })],
  'POST /guilds/{guild_id}/roles': [() => ({ json: { name: 'Made', color: 255, hoist: true, permissions: '1024' } })],
  'PATCH /guilds/{guild_id}/roles': [async () => ({ json: [{ id: await newRole(), position: 1 }] })],
  'PATCH /guilds/{guild_id}/roles/{role_id}': [
    async () => ({ params: { role_id: await newRole() }, json: { colors: { primary_color: 5 } } }),
  ],
  'DELETE /guilds/{guild_id}/roles/{role_id}': [async () => ({ params: { role_id: await newRole() } })],
  'PATCH /guilds/{guild_id}/voice-states/@me': [() => ({ json: { suppress: false } })],
  'PATCH /guilds/{guild_id}/voice-states/{user_id}': [inVoice],
  'POST /interactions/{interaction_id}/{interaction_token}/callback': [
    () => callback('', { content: 'hello' }),
    () => callback('?with_response=true', { content: 'hello' }),
    () => callback('?with_response=true', LAYOUT),
  ],
  'GET /invites/{code}': [() => ({}), () => ({ query: '?with_counts=true' })],
  'DELETE /invites/{code}': [
    async () => ({ params: { code: (await must('POST', '/channels/{channel_id}/invites', { unique: true })).code } }),
  ],
  'GET /oauth2/@me': [() => ({ as: 'token' })],
  'GET /users/@me': [() => ({}), () => ({ as: 'token' })],
  'PATCH /users/@me': [() => ({ json: { username: 'bittern', avatar: dataUri(PIXEL) } })],
  'POST /users/@me/channels': [() => ({ json: recipient() })],
  'GET /users/@me/guilds': [() => ({ query: '?with_counts=true' }), () => ({ as: 'token' })],
  'DELETE /users/@me/guilds/{guild_id}': [leaving],
  'GET /channels/{channel_id}/webhooks': [() => hooked()],
  'POST /channels/{channel_id}/webhooks': [() => ({ json: { name: 'Herald', avatar: dataUri(PIXEL) } })],
  'GET /guilds/{guild_id}/webhooks': [() => hooked()],
  'GET /webhooks/{webhook_id}': [() => hooked()],
  'PATCH /webhooks/{webhook_id}': [
    () => hooked({ json: { name: 'Crier' } }),
    async () => hooked({ json: { channel_id: await newChannel() } }),
  ],
  'DELETE /webhooks/{webhook_id}': [() => hooked()],
  'GET /webhooks/{webhook_id}/{webhook_token}': [() => byWebhook()],
  'PATCH /webhooks/{webhook_id}/{webhook_token}': [() => byWebhook({ json: { name: 'Crier' } })],
  'DELETE /webhooks/{webhook_id}/{webhook_token}': [() => byWebhook()],
  'POST /webhooks/{webhook_id}/{webhook_token}': [
    () => answeredOne({ json: { content: 'more' } }),
    () => byWebhook({ json: { content: 'posted', embeds: [{ title: 'A title' }] }, query: '?wait=true' }),
    () => byWebhook({ json: LAYOUT }),
    async () => byWebhook({ json: { content: 'a reply', message_reference: { message_id: (await scene.send()).id } } }),
    () => byWebhook({ form: formOf({}, { name: 'files[0]', content: PIXEL, filename: 'a.png', type: 'image/png' }) }),
  ],
  'POST /webhooks/{webhook_id}/{webhook_token}/slack': [() => byWebhook({ json: { text: 'hello' } })],
  'POST /webhooks/{webhook_id}/{webhook_token}/github': [
    () => byWebhook({ json: { sender: { login: 'octocat' } }, headers: { 'x-github-event': 'public' } }),
  ],
  'GET /webhooks/{webhook_id}/{webhook_token}/messages/@original': [() => answeredOne()],
  'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original': [
    () => answeredOne({ json: { content: 'edited' } }),
  ],
  'DELETE /webhooks/{webhook_id}/{webhook_token}/messages/@original': [() => answeredOne()],
  'GET /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}': [() => answeredOne(), () => byWebhook()],
  'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}': [
    () => answeredOne({ json: { content: 'edited' } }),
    () => byWebhook({ json: { content: 'edited' } }),
    () => byWebhook({ json: { ...LAYOUT, content: null } }),
  ],
  'DELETE /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}': [() => answeredOne(), () => byWebhook()],
};

async function hooked(more: RestRequest = {}): Promise<Asked> {
  const { webhook } = await putWebhook(server.app, { bot: scene.bot.bot, guild: scene.guild });
  return { params: { webhook_id: String(webhook.id) }, ...more };
}

async function byWebhook(more: RestRequest & { query?: string } = {}): Promise<Asked> {
  const { webhook, token: webhookToken } = await putWebhook(server.app, { bot: scene.bot.bot, guild: scene.guild });
  const params = { webhook_id: String(webhook.id), webhook_token: webhookToken };
  const path = '/webhooks/{webhook_id}/{webhook_token}';
  const { body } = await send(`POST ${path}`, { params, as: 'nobody', json: { content: 'posted' } });
  return { params: { ...params, message_id: body.id }, as: 'nobody', ...more };
}

const recipient = () => ({ recipient_id: String(scene.guild.owner.id) });
const inAMinute = () => new Date(server.app.clock.now() + 60_000).toISOString();

function joining(): Asked {
  return {
    params: { user_id: ada.id, guild_id: joinable },
    headers: { authorization: `Bot ${helperToken}` },
    json: { access_token: token },
  };
}

async function inVoice(): Promise<Asked> {
  const { id } = await newMember();
  await putInVoice(server.app, { guildId: scene.guild.id, userId: id });
  return { params: { user_id: String(id) }, json: { channel_id: null } };
}

async function callback(query: string, data: object): Promise<Asked> {
  return { params: await ofInteraction('callback'), as: 'nobody', query, json: { type: 4, data } };
}

async function leaving(): Promise<Asked> {
  const guild = await createGuildOf(server.app);
  await addMember(server.app, guild.id, scene.bot.bot.user);
  return { params: { guild_id: String(guild.id) } };
}

/** Resources that never exist (docs/absent.md), with the status. */
const NEVER: Record<string, number> = {
  'GET /guilds/{guild_id}/soundboard-sounds/{sound_id}': 404,
  'GET /guilds/{guild_id}/widget.json': 403,
  'GET /stickers/{sticker_id}': 404,
};

/** Lists that are always empty (docs/absent.md). */
const EMPTY = [
  'GET /applications/{application_id}/entitlements',
  'GET /applications/{application_id}/role-connections/metadata',
  'GET /guilds/{guild_id}/auto-moderation/rules',
  'GET /guilds/{guild_id}/scheduled-events',
  'GET /guilds/{guild_id}/stickers',
  'GET /guilds/{guild_id}/templates',
  'GET /soundboard-default-sounds',
];

function fill(path: string, params: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? there[name] ?? '1');
}

function send(name: string, { params, query = '', as = 'bot', headers, ...request }: Asked): Promise<RestAnswer> {
  const [method = '', path = ''] = name.split(' ');
  const authorization = { bot: `Bot ${scene.bot.bot.token}`, token: `Bearer ${token}`, nobody: '' }[as];
  const shown: Record<string, string> = authorization === '' ? {} : { authorization };
  return ask(server, method, fill(path, params) + query, { ...request, headers: { ...shown, ...headers } });
}

const nameless = (name: string) => name.replace(/\{\w+\}/g, '{}');
const rows = new Map(routes.map((row) => [nameless(`${row.method} ${documentPath(row)}`), row]));
const names = REFERENCE_OPERATIONS.map(({ name }) => name);
const ours = names.filter((name) => rows.has(nameless(name)));
const absent = ABSENT_OPERATIONS.flatMap(({ operations }) => operations);

test('every operation of the document either has a route or is listed as absent', () => {
  expect(absent.toSorted()).toEqual(names.filter((name) => !rows.has(nameless(name))).toSorted());
});

test('every operation of these tables is in the document and has a route', () => {
  expect(ours).toEqual(expect.arrayContaining([...Object.keys(ASKED), ...Object.keys(NEVER), ...EMPTY]));
});

describe('an operation matches the document with each of its statuses', () => {
  test.each(ours.filter((name) => !(name in NEVER)))('%s', async (name) => {
    const statuses = new Set<number>();
    for (const asked of ASKED[name] ?? [() => ({})]) {
      const { status, body } = await send(name, await asked());
      expect(status, JSON.stringify(body)).toBeLessThan(300);
      if (Array.isArray(body)) expect(body.length > 0).toBe(!EMPTY.includes(name));
      statuses.add(status);
    }
    expect([...statuses].toSorted()).toEqual(rows.get(nameless(name))?.statuses.toSorted());
  });

  test.each(Object.entries(NEVER))('%s never succeeds, and its refusal matches the document', async (name, status) => {
    expect((await send(name, {})).status).toBe(status);
  });
});

const KINDS: Record<string, Kind> = {
  guild_id: 'guild',
  channel_id: 'channel',
  message_id: 'message',
  role_id: 'role',
  overwrite_id: 'role',
  emoji_id: 'emoji',
  user_id: 'user',
  command_id: 'command',
  application_id: 'application',
  webhook_id: 'webhook',
};
const ALL_KINDS = [
  'guild',
  'channel',
  'message',
  'role',
  'emoji',
  'user',
  'command',
  'application',
  'webhook',
] as const;
type Kind = (typeof ALL_KINDS)[number];
type Ids = Partial<Record<Kind, string>>;

/** Operations that accept the id of any user, who need not be a member. */
const OF_ANYBODY = [
  'PUT /guilds/{guild_id}/bans/{user_id}',
  'GET /users/{user_id}',
  'DELETE /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/{user_id}',
];

describe('an id is refused', { tags: ['slow'] }, () => {
  /** Ids of existing resources in a guild without the bot. */
  let elsewhere: Ids;
  /** Ids of deleted resources of this guild or application. */
  let gone: Ids;
  let here: Ids;

  beforeAll(async () => {
    const other = await openScene(server);
    await other.permit(ALL_PERMISSIONS);
    const { id: role } = await createRole(callOf(server.app, other.guild.owner), other.guild.id, { permissions: 0n });
    const emoji = await other.bot.post(`/guilds/${other.guildId}/emojis`, { name: 'other', image: dataUri(PIXEL) });
    const command = await other.bot.post(`/applications/${other.bot.id}/commands`, COMMAND);
    elsewhere = {
      guild: other.guildId,
      channel: other.channelId,
      message: (await other.send()).id,
      role: String(role),
      emoji: emoji.body.id,
      user: other.stranger.id,
      command: command.body.id,
      application: other.bot.id,
      webhook: await hookIn(other),
    };
    here = {
      guild: scene.guildId,
      channel: await newChannel(),
      message: (await scene.send()).id,
      role: await newRole(),
      emoji: (await emojiIn('/guilds/{guild_id}/emojis')).params?.emoji_id ?? '',
      user: String(scene.guild.owner.id),
      command: await globalCommand(),
      webhook: await hookIn(scene),
    };
    gone = {
      guild: await deletedGuild(),
      channel: await newChannel(),
      message: (await scene.send()).id,
      role: await newRole(),
      emoji: (await emojiIn('/guilds/{guild_id}/emojis')).params?.emoji_id ?? '',
      command: await globalCommand(),
      webhook: await hookIn(scene),
    };
    await must('DELETE', `/webhooks/${gone.webhook}`);
    await must('DELETE', `/channels/${gone.channel}`);
    await must('DELETE', `/channels/{channel_id}/messages/${gone.message}`);
    await must('DELETE', `/guilds/{guild_id}/roles/${gone.role}`);
    await must('DELETE', `/guilds/{guild_id}/emojis/${gone.emoji}`);
    await must('DELETE', `/applications/{application_id}/commands/${gone.command}`);
  });

  const hookIn = async ({ bot: { bot }, guild }: Scene) =>
    String((await putWebhook(server.app, { bot, guild })).webhook.id);

  let stateBefore: string;
  beforeAll(async () => {
    stateBefore = await stateElsewhere();
  });

  async function deletedGuild(): Promise<string> {
    const guild = await createGuildOf(server.app);
    await addMember(server.app, guild.id, scene.bot.bot.user);
    await deleteGuild(callOf(server.app, guild.owner), guild.id);
    return String(guild.id);
  }

  function wrongIds(name: string, kind: Kind): [what: string, id: string][] {
    // A guild and its `@everyone` role share an id.
    const others = ALL_KINDS.filter((other) => other !== kind && !(kind === 'role' && other === 'guild'));
    const wrong: [string, string | undefined][] = others.map((other) => [`of a ${other}`, here[other]]);
    if (!OF_ANYBODY.includes(name))
      wrong.push(['of another server', elsewhere[kind]], ['of what is deleted', gone[kind]]);
    if (OF_ANYBODY.includes(name) && name.startsWith('DELETE')) return [];
    return wrong.flatMap(([what, id]): [string, string][] => (id === undefined ? [] : [[what, id]]));
  }

  const withIds = ours
    .filter((name) => !(name in NEVER) && !/_token\}/.test(name))
    .flatMap((name) => [...name.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => ({ name, param })))
    .flatMap(({ name, param }) => {
      const kind = KINDS[param];
      return kind ? [{ name, param, kind }] : [];
    });

  async function stateElsewhere(): Promise<string> {
    const { reader } = server.app.db;
    const where = { guildId: BigInt(elsewhere.guild ?? '') };
    const channelId = BigInt(elsewhere.channel ?? '');
    const rows = [
      await reader.guild.findMany({ where: { id: where.guildId } }),
      await reader.channel.findMany({ where, include: { overwrites: true, pins: true } }),
      await reader.role.findMany({ where }),
      await reader.emoji.findMany({ where }),
      await reader.member.findMany({ where, include: { roles: true } }),
      await reader.ban.findMany({ where }),
      await reader.invite.findMany({ where }),
      await reader.message.findMany({ where: { channelId }, include: { reactions: true } }),
      await reader.applicationCommand.findMany({ where: { applicationId: BigInt(elsewhere.application ?? '') } }),
      await reader.webhook.findMany({ where }),
    ];
    return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  }

  test.each(withIds)(
    'as $param of $name if it is of another kind, of another guild, or deleted',
    async ({ name, param, kind }) => {
      const [first = (): Asked => ({})] = ASKED[name] ?? [];
      const asked = await first();
      const answers = wrongIds(name, kind).map(async ([what, id]) => {
        const { status, body } = await send(name, { ...asked, params: { ...asked.params, [param]: id } });
        expect(status, `${what}: ${JSON.stringify(body)}`).toBeGreaterThanOrEqual(400);
        expect(status, what).toBeLessThan(500);
        expect(body.code, `${what}: is not routed`).toBeGreaterThan(0);
      });
      await Promise.all(answers);
    },
  );

  test('without any change to the other guild', async () => {
    expect(await stateElsewhere()).toBe(stateBefore);
  });
});

describe('the comparison of a response with the document', () => {
  const faults = (status: number, body: unknown) => referenceFaults('GET', '/users/@me', status, body);
  const refusal = { message: 'Invalid Form Body', code: 50035 };

  test.each([
    ['a shape', 200, { id: '1' }],
    ['a status of success', 201, {}],
    ['a refusal without a code', 400, { message: 'no' }],
    ['faults that are no list', 400, { ...refusal, errors: { name: { _errors: { code: 'X', message: 'x' } } } }],
    ['a fault that is no list', 400, { ...refusal, errors: { name: 'x' } }],
    ['a fault whose code is a number', 400, { ...refusal, errors: { name: { _errors: [{ code: 1, message: 'x' }] } } }],
    ['faults next to inner fields', 400, { ...refusal, errors: { name: { _errors: [], 0: { _errors: [] } } } }],
    ['a limit that does not say when to come back', 429, refusal],
  ])('reports %s that the document does not have', (_what, status, body) => {
    expect(faults(status, body)).not.toEqual([]);
  });

  test('accepts a refusal that matches the document', () => {
    expect(faults(400, refusal)).toEqual([]);
    const errors = { embeds: { 0: { title: { _errors: [{ code: 'BASE_TYPE_REQUIRED', message: 'x' }] } } } };
    expect(faults(400, { ...refusal, errors })).toEqual([]);
    expect(faults(429, { ...refusal, retry_after: 1.5, global: false })).toEqual([]);
  });
});
