import { expect } from 'vitest';
import { ALL_PERMISSIONS } from '../../src/domain/permissions.js';
import type { Route } from '../../src/rest-compat/route.js';
import { routes } from '../../src/rest-compat/table.js';
import { test } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { dataUri, PIXEL } from '../harness/images.js';
import { putAnswered } from '../harness/interaction-rows.js';
import { grantCode, inForm, postForm, REDIRECT_URI } from '../harness/oauth.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { ask, formOf, type RestAnswer } from '../harness/rest.js';
import { putInVoice } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { addToTeam, createTeam } from '../harness/teams.js';
import { createWebhook, type TestGuild, userOf } from '../harness/world.js';

/**
 * Libraries send received objects back, whole or in part. The PATCH or PUT of a resource must accept the response of
 * its GET and change nothing.
 */

let server: TestServer;
let owner: Person;
let ada: Person;
let application: MadeApplication;
let guild: MadeGuild;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  owner = await signUp(server, 'owner');
  ada = await signUp(server, 'ada');
  application = await createApplication(owner);
  guild = await createGuild(owner);
  await invite(owner, guild, ada);
  await install(owner, application, guild, { permissions: String(ALL_PERMISSIONS) });
});

const bot = async (method: string, path: string, json?: unknown): Promise<RestAnswer> =>
  ask(server, method, path, { json, headers: { authorization: `Bot ${application.botToken}` } });
const g = (path = '') => `/guilds/${guild.id}${path}`;
const of = (path = '') => `/applications/${application.id}${path}`;

async function done(answer: Promise<RestAnswer>): Promise<Loose> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/** The routes that were sent the response of their GET. */
const sentBack = new Set<string>();

/** Returns the route of a request. If several match, the one with the fewest parameters. */
function rowAt(method: string, path: string): string {
  const isAt = (row: Route) => new RegExp(`^${row.path.replace(/:\w+/g, '[^/]+')}$`).test(path);
  const rows = routes.filter((row) => row.method === method && isAt(row));
  const [row] = rows.toSorted((a, b) => a.paramNames.length - b.paramNames.length);
  return `${method} ${row?.path}`;
}

const entries = () => server.app.db.reader.auditEntry.count();

async function tokenOf(person: Person, scope: string): Promise<string> {
  const where = { id: BigInt(application.id) };
  await server.app.db.writer.application.update({ where, data: { redirectUris: [REDIRECT_URI] } });
  const code = await grantCode(server, person, application, { scope });
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...inForm(application) };
  return (await postForm(server, form)).body.access_token;
}

/** Sends the response of `path`, or `bodyOf` it, back by `method` and expects no change. */
async function expectRoundTrip(
  path: string,
  { method = 'PATCH', to = path, bodyOf = (shown: Loose): unknown => shown, asked = bot } = {},
): Promise<void> {
  const shown = await done(asked('GET', path));
  const before = await entries();
  sentBack.add(rowAt(method, to));
  await done(asked(method, to, bodyOf(shown)));
  expect(withoutTimes(await done(asked('GET', path)))).toEqual(withoutTimes(shown));
  expect(await entries()).toBe(before);
}

function withoutTimes(value: Loose): Loose {
  return JSON.parse(JSON.stringify(value), (key, entry) =>
    key === 'edited_timestamp' ? null : typeof entry === 'string' ? entry.replace(/\?ex=.*/, '') : entry,
  );
}

test('a guild can be sent back unchanged', async () => {
  await done(bot('PATCH', g(), { icon: dataUri(PIXEL), description: 'Text', afk_timeout: 60 }));
  await expectRoundTrip(g());
});

test('a member can be sent back with the managed and default roles that libraries include', async () => {
  const role = await done(bot('POST', g('/roles'), { name: 'Given' }));
  const until = new Date(Date.now() + 60_000).toISOString();
  const path = g(`/members/${ada.id}`);
  const access_token = await tokenOf(ada, 'guilds.join');
  await done(bot('PATCH', path, { roles: [role.id], nick: 'Ada', communication_disabled_until: until }));
  const withEveryone = ({ roles, ...member }: Loose) => ({ ...member, roles: [guild.id, ...roles] });
  for (const each of [path, g(`/members/${application.id}`)]) {
    await expectRoundTrip(each, { bodyOf: ({ communication_disabled_until: _, ...member }) => withEveryone(member) });
  }
  await expectRoundTrip(path, { bodyOf: withEveryone });
  await expectRoundTrip(path, { method: 'PUT', bodyOf: (shown) => ({ ...withEveryone(shown), access_token }) });
  const include_roles = [guild.id, role.id];
  expect(await done(bot('GET', g(`/prune?include_roles=${include_roles}`)))).toEqual({ pruned: 0 });
  expect(await done(bot('POST', g('/prune'), { include_roles }))).toEqual({ pruned: 0 });
  await expectRoundTrip(g('/members/@me'));
});

test('roles can be sent back, one by one and as a list of positions', async () => {
  await done(bot('POST', g('/roles'), { name: 'Colored', color: 255, permissions: '2048', hoist: true }));
  for (const { id, tags } of await done(bot('GET', g('/roles')))) {
    // A bot can only edit roles below its own.
    if (tags?.bot_id !== application.id) await expectRoundTrip(g(`/roles/${id}`));
  }
  await expectRoundTrip(g('/roles'));
});

test('channels of all types can be sent back, one by one and as a list of positions', async () => {
  const parent = await done(bot('POST', g('/channels'), { type: 4, name: 'Category' }));
  for (const type of [0, 2, 5]) {
    const permission_overwrites = [{ id: guild.id, type: 0, allow: '0', deny: '2048' }];
    const more = type === 2 ? { user_limit: 5 } : { topic: 'Text' };
    const channel = { type, name: 'channel', parent_id: parent.id, permission_overwrites, ...more };
    await done(bot('POST', g('/channels'), channel));
  }
  for (const { id } of await done(bot('GET', g('/channels')))) await expectRoundTrip(`/channels/${id}`);
  await expectRoundTrip(g('/channels'));
});

test('an overwrite can be sent back', async () => {
  const id = guild.textChannelId;
  const entry = { id: application.id, type: 1, allow: '2048', deny: '8192' };
  await done(bot('PUT', `/channels/${id}/permissions/${entry.id}`, entry));
  await expectRoundTrip(`/channels/${id}`, {
    method: 'PUT',
    to: `/channels/${id}/permissions/${entry.id}`,
    bodyOf: ({ permission_overwrites }) => permission_overwrites.find((each: Loose) => each.id === entry.id),
  });
});

test('emojis of a guild and of an application can be sent back', async () => {
  const role = await done(bot('POST', g('/roles'), { name: 'Users' }));
  const emoji = { name: 'wave', image: dataUri(PIXEL), roles: [role.id, guild.id] };
  await expectRoundTrip(g(`/emojis/${(await done(bot('POST', g('/emojis'), emoji))).id}`));
  await expectRoundTrip(of(`/emojis/${(await done(bot('POST', of('/emojis'), emoji))).id}`));
});

const EMBED = {
  title: 'Title',
  url: 'https://a.example',
  color: 255,
  timestamp: '2026-01-01T00:00:00Z',
  footer: { text: 'Footer', icon_url: 'https://a.example/a.png' },
  author: { name: 'Author' },
  image: { url: 'https://a.example/b.png' },
  fields: [{ name: 'Name', value: 'Value' }],
};

const button = { type: 2, style: 1, label: 'Press', custom_id: 'press', emoji: { name: '🎉' } };
const select = { type: 3, custom_id: 'select', options: [{ label: 'One', value: '1' }] };
const ROWS = [
  { type: 1, components: [button, { type: 2, style: 5, label: 'Link', url: 'https://a.example' }] },
  { type: 1, components: [select] },
  { type: 1, components: [{ type: 7, custom_id: 'users', default_values: [{ id: '1', type: 'user' }] }] },
  { type: 1, components: [{ type: 8, custom_id: 'channels', channel_types: [0] }] },
];

const file = (name: string) => ({ name: 'files[0]', content: PIXEL, filename: name, type: 'image/png' });
const layoutOf = (filename: string) => [
  {
    type: 17,
    components: [
      {
        type: 9,
        components: [{ type: 10, content: 'Text' }],
        accessory: { type: 11, media: { url: `attachment://${filename}` } },
      },
      { type: 12, items: [{ media: { url: 'https://a.example/c.png' }, description: 'c' }] },
      { type: 14 },
      { type: 13, file: { url: `attachment://${filename}` } },
      ROWS[0],
    ],
  },
];

test.for([
  [
    'text, a picture, an embed with a file and components',
    () =>
      formOf(
        {
          content: 'Hello',
          embeds: [EMBED, { image: { url: 'attachment://a.png' } }],
          components: ROWS,
          attachments: [{ id: 0, description: 'A' }],
        },
        file('a.png'),
      ),
  ],
  ['a layout with a file', () => formOf({ flags: 1 << 15, components: layoutOf('größe.png') }, file('größe.png'))],
] as const)('a message with %s can be sent back', async ([, form]) => {
  const path = `/channels/${guild.textChannelId}/messages`;
  const authorization = `Bot ${application.botToken}`;
  const sent = await done(ask(server, 'POST', path, { form: form(), headers: { authorization } }));
  await expectRoundTrip(`${path}/${sent.id}`);

  const channel = { id: BigInt(guild.textChannelId) };
  const hook = await createWebhook(
    server.app,
    { owner: await userOf(server.app, owner), channel },
    { id: BigInt(application.id) },
  );
  const byToken = `/webhooks/${hook.id}/${hook.token}`;
  const asked = (method: string, at: string, json?: unknown) => ask(server, method, at, { json });
  const posted = await done(ask(server, 'POST', byToken, { form: form() }));
  await expectRoundTrip(`${byToken}/messages/${posted.id}`, { asked });
  await expectRoundTrip(byToken, { asked });
  await expectRoundTrip(`/webhooks/${hook.id}`);
});

const COMMANDS = [
  {
    name: 'build',
    description: 'Builds.',
    name_localizations: { de: 'baue', fr: null },
    options: [
      { type: 3, name: 'what', description: 'What', required: true, choices: [{ name: 'A', value: 'a' }] },
      { type: 4, name: 'count', description: 'Count', min_value: 0 },
      { type: 7, name: 'where', description: 'Where', channel_types: [0] },
    ],
    default_member_permissions: '8',
    contexts: [0],
  },
  { name: 'sub', description: 'Sub.', options: [{ type: 1, name: 'one', description: 'One', options: [] }] },
  { type: 2, name: 'Greet' },
];

test.for(['', 'guild'])('commands can be sent back, one by one and as a set (%s)', async (scope) => {
  const path = of(`${scope && g()}/commands`);
  await done(bot('PUT', path, COMMANDS));
  const shown = await done(bot('GET', `${path}?with_localizations=true`));
  for (const command of shown) {
    expect(await done(bot('PATCH', `${path}/${command.id}`, command))).toEqual(command);
    expect(await done(bot('POST', path, command))).toEqual(command);
  }
  expect(await done(bot('PUT', path, shown))).toEqual(shown);
  await expectRoundTrip(`${path}/${shown[0].id}`);
});

test('the application and its bot can be sent back', async () => {
  const description = 'An application.';
  const params = { scopes: ['bot', 'applications.commands'], permissions: '8' };
  const integration_types_config = { 0: { oauth2_install_params: params }, 1: {} };
  await done(
    bot('PATCH', of().replace(application.id, '@me'), { description, icon: dataUri(PIXEL), integration_types_config }),
  );
  await expectRoundTrip('/applications/@me');
  await expectRoundTrip('/oauth2/applications/@me');
  await done(bot('PATCH', '/users/@me', { avatar: dataUri(PIXEL) }));
  await expectRoundTrip('/users/@me');
});

test('the response to an interaction can be sent back', async () => {
  const { reader } = server.app.db;
  const { owner: of, ...row } = await reader.guild.findUniqueOrThrow({
    where: { id: BigInt(guild.id) },
    include: { owner: true },
  });
  const channel = { id: BigInt(guild.textChannelId), guildId: row.id } as TestGuild['channel'];
  const user = await userOf(server.app, application);
  const { token } = await putAnswered(server.app, {
    bot: { id: user.id, user },
    guild: { id: row.id, owner: of, channel },
  });
  const asked = (method: string, path: string, json?: unknown) => ask(server, method, path, { json });
  await expectRoundTrip(`/webhooks/${application.id}/${token}/messages/@original`, { asked });
});

test('a voice state can be sent back', async () => {
  const { app } = server;
  for (const [id, place] of [
    [ada.id, ada.id],
    [application.id, '@me'],
  ]) {
    await putInVoice(app, { guildId: BigInt(guild.id), userId: BigInt(id ?? '') });
    await expectRoundTrip(g(`/voice-states/${place}`));
  }
});

test('a team and its members can be sent back', async () => {
  const team = await createTeam(owner);
  await addToTeam(owner, team, ada, 'DEVELOPER');
  const asked = (method: string, path: string, json?: unknown) =>
    ask(server, method, path, { json, headers: { authorization: `Bearer ${owner.token}` } });
  const path = `/developer-portal/teams/${team.id}`;
  await done(asked('PATCH', path, { icon: dataUri(PIXEL) }));
  await expectRoundTrip(path, { asked });
  await expectRoundTrip(`${path}/members`, {
    asked,
    to: `${path}/members/${ada.id}`,
    bodyOf: (members) => members.find(({ user }: Loose) => user.id === ada.id),
  });
});

test('a ban can be sent back', async () => {
  const banned = await signUp(server, 'banned');
  await done(bot('PUT', g(`/bans/${banned.id}`), {}));
  await expectRoundTrip(g(`/bans/${banned.id}`), { method: 'PUT' });
});

test('the absent vanity URL can be sent back', async () => {
  await expectRoundTrip(g('/vanity-url'));
});

test('every PATCH and PUT with a GET is covered above', () => {
  const shown = new Set(routes.flatMap(({ method, path }) => (method === 'GET' ? [path] : [])));
  const rows = routes.filter(({ method, path, body }) => ['PATCH', 'PUT'].includes(method) && body && shown.has(path));
  // The list of commands contains localizations only on request; a test above covers it.
  const isSet = (row: string) => row.startsWith('PUT') && row.endsWith('/commands');
  const missing = rows
    .map(({ method, path }) => `${method} ${path}`)
    .filter((row) => !isSet(row) && !sentBack.has(row));
  expect(missing).toEqual([]);
});
