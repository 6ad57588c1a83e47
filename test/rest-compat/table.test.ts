import { METHODS } from 'node:http';
import { describe, expect } from 'vitest';
import { banMember } from '../../src/domain/bans/index.js';
import { createInvite } from '../../src/domain/invites/index.js';
import { ALL_PERMISSIONS } from '../../src/domain/permissions.js';
import { createRole } from '../../src/domain/roles/index.js';
import type { Route } from '../../src/rest-compat/route.js';
import { isInPath } from '../../src/rest-compat/schemes.js';
import { routes } from '../../src/rest-compat/table.js';
import { putCommand } from '../harness/command-rows.js';
import { test } from '../harness/fixtures.js';
import { dataUri, PIXEL } from '../harness/images.js';
import { putAnswered, putInteraction } from '../harness/interaction-rows.js';
import { grantCode, inForm, postForm, REDIRECT_URI } from '../harness/oauth.js';
import { createApplication, createGuild, install, type Person, signUp } from '../harness/people.js';
import { ask, openScene, type RestRequest, type Scene } from '../harness/rest.js';
import { createPerson, putInVoice, putWebhook } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { putTeam } from '../harness/teams.js';
import { addMember, callOf, createGuild as createGuildOf } from '../harness/world.js';
import { tier } from '../tiers.js';

let server: TestServer;
let scene: Scene;
/** An existing value for each path parameter. */
let known: Record<string, string>;
/** A portal session and an OAuth2 token of Ada. */
let session: string;
let token: string;
let ada: Person;
/** Bob is in Ada's team and tests her application. Cleo does neither. */
let bob: Person;
let cleo: Person;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
  await scene.permit(ALL_PERMISSIONS);
  const message = await scene.send();
  known = {
    guildId: scene.guildId,
    channelId: scene.channelId,
    messageId: message.id,
    emoji: encodeURIComponent('👍'),
    userId: scene.bot.id,
    name: String(scene.guild.owner.handle),
    applicationId: scene.bot.id,
    commandId: '0',
    emojiId: await putEmoji({ guildId: scene.guild.id }),
    code: await putInvite(),
    soundId: '1',
    stickerId: '1',
    overwriteId: scene.guildId,
    webhookId: '0',
  };
  ofApplication.emojiId = await putEmoji({ applicationId: scene.bot.bot.id });
  const { body: opened } = await scene.bot.post('/users/@me/channels', { recipient_id: String(scene.guild.owner.id) });
  direct = { channelId: opened.id };
  [ada, bob, cleo] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob'), signUp(server, 'cleo')]);
  session = `Bearer ${ada.token}`;
  const application = await createApplication(ada);
  token = `Bearer ${await accessToken(ada, application)}`;
  const guild = await createGuild(ada);
  await install(ada, application, guild);
  const { id: commandId } = await putCommand(server.app, BigInt(application.id));
  granted = { applicationId: application.id, guildId: guild.id, commandId: String(commandId) };
});

async function accessToken(person: Parameters<typeof grantCode>[1], application: Parameters<typeof inForm>[0]) {
  const where = { id: BigInt(application.id) };
  await server.app.db.writer.application.update({ where, data: { redirectUris: [REDIRECT_URI] } });
  const scope = 'identify applications.commands.permissions.update';
  const code = await grantCode(server, person, application, { scope });
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...inForm(application) };
  return (await postForm(server, form)).body.access_token as string;
}

const isOfModeration = ({ path }: Route) => /^\/guilds\/:guildId\/(members|bans|bulk-ban|roles)/.test(path);

async function renewModerated({ path, method }: Route): Promise<void> {
  const { app } = server;
  const owner = callOf(app, scene.guild.owner);
  const guildId = scene.guild.id;
  const user = await createPerson(app);
  if (path.endsWith('/bans/:userId') && method !== 'PUT') await banMember(owner, { guildId, userId: user.id });
  else await addMember(app, guildId, user);
  const role = await createRole(owner, guildId, {});
  Object.assign(moderated, { guildId: scene.guildId, userId: String(user.id), roleId: String(role.id) });
}

/** Like `known`, for application resources that share a parameter name with guild resources. */
const ofApplication: Record<string, string> = {};

async function putEmoji(of: { guildId: bigint } | { applicationId: bigint }): Promise<string> {
  const data = { id: server.app.nextId(), name: 'wave', creatorId: scene.bot.bot.id, roleIds: [], ...of };
  return String((await server.app.db.writer.emoji.create({ data })).id);
}

async function putInvite(): Promise<string> {
  const call = callOf(server.app, scene.bot.bot.user);
  return (await createInvite(call, scene.guild.channel.id)).code;
}

async function renewRemoved({ method, path }: Route): Promise<void> {
  if (method !== 'DELETE') return;
  if (path.startsWith('/guilds/:guildId/emojis')) known.emojiId = await putEmoji({ guildId: scene.guild.id });
  if (isOfApplicationEmoji(path)) ofApplication.emojiId = await putEmoji({ applicationId: scene.bot.bot.id });
  if (path.startsWith('/invites')) known.code = await putInvite();
}

const isOfApplicationEmoji = (path: string) => path.startsWith('/applications/:applicationId/emojis');

async function renew(route: Route): Promise<void> {
  await renewRemoved(route);
  if (isOfToken(route)) await renewAsked(route);
  if (route.path === '/webhooks/:webhookId') known.webhookId = (await newWebhook()).webhookId;
  if (isOfModeration(route)) await renewModerated(route);
  if (route.path.includes('/voice-states/')) await renewVoice();
  if (route.path.endsWith('/commands/:commandId')) await renewCommand(route);
  if (route.path === LEAVE) await renewMembership();
  if (!route.callers.includes('session')) return;
  const { app } = server;
  const teamId = await putTeam(server, ada, [[bob, 'DEVELOPER']]);
  const { id: applicationId } = await createApplication(ada, 'Helper');
  const data = { applicationId: BigInt(applicationId), userId: BigInt(bob.id), createdAt: new Date(app.clock.now()) };
  await app.db.writer.tester.create({ data });
  Object.assign(portal, { teamId: String(teamId), applicationId, userId: bob.id });
}

async function renewVoice(): Promise<void> {
  await putInVoice(server.app, { guildId: BigInt(scene.guildId), userId: BigInt(scene.bot.id) });
}

const LEAVE = '/users/@me/guilds/:guildId';

/** Like `known`, for a guild that the bot may leave. */
const joined: Record<string, string> = {};

async function renewMembership(): Promise<void> {
  const guild = await createGuildOf(server.app);
  await addMember(server.app, guild.id, scene.bot.bot.user);
  joined.guildId = String(guild.id);
}

const isOfToken = ({ callers }: Route) => callers.some(isInPath);

async function newWebhook(): Promise<{ webhookId: string; webhookToken: string }> {
  const { webhook, token: webhookToken } = await putWebhook(server.app, { bot: scene.bot.bot, guild: scene.guild });
  return { webhookId: String(webhook.id), webhookToken };
}

/** Routes that accept both kinds of tokens get one of an interaction. */
async function renewAsked({ path, callers }: Route): Promise<void> {
  const { app } = server;
  const at = { bot: scene.bot.bot, guild: scene.guild };
  if (!callers.includes('interactionToken')) {
    Object.assign(asked, await newWebhook());
  } else if (path.startsWith('/interactions/')) {
    const { interaction, token: interactionToken } = await putInteraction(app, at);
    Object.assign(asked, { interactionId: String(interaction.id), interactionToken });
  } else {
    const { token: webhookToken, messageId } = await putAnswered(app, at);
    Object.assign(asked, { webhookId: scene.bot.id, webhookToken, messageId: String(messageId) });
  }
}

async function renewCommand(route: Route): Promise<void> {
  const set = addressOf({ ...route, path: route.path.replace('/:commandId', '') });
  await scene.bot.ask('PUT', set, { json: [] });
  known.commandId = (await scene.bot.post(set, { name: 'renewed', description: 'Made anew' })).body.id;
}

/** Like `known`, for the bot's direct channel with the guild's owner, which survives closing. */
let direct: Record<string, string>;

const portal: Record<string, string> = {};

const asked: Record<string, string> = {};

const moderated: Record<string, string> = {};

/** Like `known`, for routes that need a user's OAuth2 token. */
let granted: Record<string, string>;
const COMMAND = { name: 'registered', description: 'By its route' };

const BODIES: Record<string, () => object> = {
  'POST /applications/:applicationId/commands': () => COMMAND,
  'PUT /applications/:applicationId/commands': () => [COMMAND],
  'POST /applications/:applicationId/guilds/:guildId/commands': () => COMMAND,
  'PUT /applications/:applicationId/guilds/:guildId/commands': () => [COMMAND],
  'POST /webhooks/:webhookId/:webhookToken/slack': () => ({ text: 'hello' }),
  'POST /webhooks/:webhookId/:webhookToken/github': () => ({ sender: { login: 'octocat' } }),
  'PATCH /guilds/:guildId/roles': () => [],
  'POST /guilds/:guildId/channels': () => ({ name: 'made' }),
  'POST /channels/:channelId/webhooks': () => ({ name: 'made' }),
  'PATCH /guilds/:guildId/channels': () => [],
  'PUT /channels/:channelId/permissions/:overwriteId': () => ({ type: 0, allow: '0', deny: '0' }),
  'POST /guilds/:guildId/bulk-ban': () => ({ user_ids: [moderated.userId] }),
  'POST /guilds/:guildId/emojis': () => ({ name: 'wave', image: dataUri(PIXEL) }),
  'POST /applications/:applicationId/emojis': () => ({ name: 'wave', image: dataUri(PIXEL) }),
  'POST /interactions/:interactionId/:interactionToken/callback': () => ({ type: 4, data: { content: 'hello' } }),
  'PUT /applications/:applicationId/guilds/:guildId/commands/:commandId/permissions': () => ({ permissions: [] }),
  'POST /users/@me/channels': () => ({ recipient_id: String(scene.guild.owner.id) }),
  'POST /channels/:channelId/messages/bulk-delete': () => ({
    messages: [server.app.nextId(), server.app.nextId()].map(String),
  }),
  'POST /developer-portal/teams': () => ({ name: 'Builders' }),
  'PATCH /developer-portal/teams/:teamId': () => ({ name: 'Otters' }),
  'POST /developer-portal/teams/:teamId/members': () => ({ email: cleo.email, role: 'admin' }),
  'PATCH /developer-portal/teams/:teamId/members/:userId': () => ({ role: 'admin' }),
  'POST /developer-portal/applications/:applicationId/transfer': () => ({ team_id: portal.teamId, app_name: 'Helper' }),
  'POST /developer-portal/applications/:applicationId/testers': () => ({ user_id: cleo.id }),
};

function askRoute(route: Route, address: string, request: RestRequest = {}) {
  if (route.callers.length === 0 || route.callers.includes('bot')) return scene.bot.ask(route.method, address, request);
  if (isOfToken(route)) return ask(server, route.method, address, request);
  const authorization = route.callers.includes('session') ? session : token;
  return ask(server, route.method, address, { ...request, headers: { authorization } });
}

/** The "unknown" code for each parameter that must name an existing resource. */
const UNKNOWN_CODES: Record<string, number | null> = {
  guildId: 10004,
  channelId: 10003,
  messageId: 10008,
  commandId: 10063,
  applicationId: 10002,
  teamId: 10039,
  roleId: 10011,
  emojiId: 10014,
  code: 10006,
  soundId: 10097,
  stickerId: 10060,
  overwriteId: 10009,
  webhookId: 10015,
  // Removing an absent reaction is not an error.
  userId: null,
};

/** Banning an unknown user is 10013, and a missing ban is 10026. */
const banCode = (method: string) => (method === 'PUT' ? 10013 : 10026);

function unknownCode({ path, method }: Route, param: string): number | null | undefined {
  // Another application is forbidden, not unknown.
  if (param === 'applicationId' && path.startsWith('/applications/')) return 20012;
  if (param === 'userId' && path.includes('/voice-states/')) return 10065;
  if (param === 'userId' && path.startsWith('/guilds/')) return path.includes('/bans/') ? banCode(method) : 10007;
  if (param === 'userId' && path.includes('/members/')) return 10040;
  if (param === 'userId' && (path.includes('/testers/') || path === '/users/:userId')) return 10013;
  return UNKNOWN_CODES[param];
}

const table = routes.map((route) => ({ route, name: `${route.method} ${route.path}` }));
const ofBots = table.filter(({ route }) => route.callers.includes('bot'));
const paramsOf = (route: Route) => [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');
/** The token names the member to add, so any other id is a token mismatch. */
const withIds = table
  .filter(({ name }) => name !== 'PUT /guilds/:guildId/members/:userId')
  .flatMap(({ route, name }) =>
    paramsOf(route)
      .filter((param) => (isOfToken(route) ? param === 'messageId' : !['emoji', 'name'].includes(param)))
      .map((param) => ({ route, name, param })),
  );

/** All values outside the fast tier and for representative routes; otherwise the first one. */
const sample = <T>(values: T[], isRepresentative: boolean) =>
  tier !== 'fast' || isRepresentative ? values : values.slice(0, 1);

const isFirstWith = (param: string, route: Route) => withIds.find((row) => row.param === param)?.route === route;

function knownTo(route: Route): Record<string, string> {
  if (route.method === 'DELETE' && route.path === '/channels/:channelId') return direct;
  if (route.path === LEAVE) return joined;
  const isOfBots = route.callers.includes('bot');
  if (!isOfBots && route.callers.some((caller) => typeof caller === 'object')) return granted;
  if (isOfToken(route)) return asked;
  if (isOfModeration(route)) return moderated;
  if (isOfApplicationEmoji(route.path)) return { ...known, ...ofApplication };
  return route.callers.includes('session') ? portal : known;
}

function addressOf(route: Route, params: Record<string, string> = {}): string {
  const address = route.path.replace(
    /:(\w+)/g,
    (_, name: string) => params[name] ?? knownTo(route)[name] ?? `no-value-for-${name}`,
  );
  return route.path.endsWith('/search') ? `${address}?query=a` : address;
}

function bodyOf(route: Route): RestRequest {
  const json = BODIES[`${route.method} ${route.path}`]?.() ?? { content: 'hello', access_token: 'none' };
  return route.body ? { json, headers: { 'x-github-event': 'ping' } } : {};
}

/** The statuses of resources that never exist. */
const ALWAYS_REFUSED: Record<string, number[]> = {
  '/guilds/:guildId/soundboard-sounds/:soundId': [404],
  '/guilds/:guildId/widget.json': [403],
  '/stickers/:stickerId': [404],
};

describe('every route', () => {
  test.each(table)('$name has a known value for each of its parameters', async ({ route }) => {
    await renew(route);
    expect(Object.keys(knownTo(route))).toEqual(expect.arrayContaining(paramsOf(route)));
  });

  test.each(table)('$name answers the same under each prefix, with the exact content type', async ({ route }) => {
    const answers = [];
    for (const prefix of sample(['/api/v10', '/api', ''], route.method === 'GET')) {
      await renew(route);
      const address = addressOf(route);
      const answer = await askRoute(route, `${server.origin}${prefix}${address}`, bodyOf(route));
      const type = route.answer?.headers['content-type'] ?? 'application/json';
      if (answer.status !== 204) expect(answer.headers.get('content-type')).toBe(type);
      answers.push(answer.status);
    }
    const isDelete =
      route.method === 'DELETE' &&
      /\/(messages\/:messageId|permissions\/:overwriteId)$/.test(route.path) &&
      !isOfToken(route);
    const needsToken = route.path === '/guilds/:guildId/members/:userId' && route.method === 'PUT';
    const [status] = route.path.startsWith('/interactions/') ? [204] : (ALWAYS_REFUSED[route.path] ?? route.statuses);
    // The first request creates the command, unless another test did.
    const isMade = route.method === 'POST' && route.path.endsWith('/commands');
    const first = isMade ? expect.toBeOneOf([200, 201]) : needsToken ? 403 : status;
    const later = isDelete ? 404 : isMade ? 200 : first;
    expect(answers).toEqual([isDelete ? 204 : first, ...answers.slice(1).map(() => later)]);
    if (isDelete) known.messageId = (await scene.send()).id;
  });
});

describe('401', () => {
  test.each(ofBots)('is returned by $name without a credential (code 0)', async ({ route }) => {
    const { status, body, headers } = await ask(server, route.method, addressOf(route), bodyOf(route));
    expect(status).toBe(401);
    expect(body).toEqual({ message: '401: Unauthorized', code: 0 });
    expect(headers.get('content-type')).toBe('application/json');
  });
});

describe('404', () => {
  test.each(withIds)('is returned by $name with an unknown $param', async ({ route, param }) => {
    await renew(route);
    const code = unknownCode(route, param);
    expect(code, `no code is stated for ${param}`).not.toBeUndefined();
    const unknown = ['1', '9223372036854775807', '9223372036854775808', '99999999999999999999', '9'.repeat(60)];
    for (const id of sample(unknown, isFirstWith(param, route))) {
      const { status, body } = await askRoute(route, addressOf(route, { [param]: id }), bodyOf(route));
      // For a bot, every application but its own is forbidden.
      const refused = code === 20012 ? 403 : 404;
      const expected = code === null ? { id, status: route.statuses[0] } : { id, status: refused, code };
      expect({ id, status, code: body?.code }).toEqual(expected);
    }
  });
});

describe('400', () => {
  test.each(withIds.filter(({ param }) => param !== 'code'))(
    'is returned by $name with a malformed $param',
    async ({ route, param }) => {
      const malformed = ['abc', '-1', '1.5', '0x10', '%F0%9F%98%80', '1%00', '%ED%A0%80x'];
      for (const id of sample(malformed, isFirstWith(param, route))) {
        const { status, body } = await askRoute(route, addressOf(route, { [param]: id }), bodyOf(route));
        const isMalformedEncoding = id === '%ED%A0%80x';
        expect(status, id).toBe(400);
        if (isMalformedEncoding) expect(body).toEqual({ message: '400: Bad Request', code: 0 });
        else {
          const name = param.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
          expect(body).toMatchObject({
            code: 50035,
            errors: { [name]: { _errors: [{ code: 'NUMBER_TYPE_COERCE' }] } },
          });
        }
      }
    },
  );
});

describe('405', () => {
  const paths = [...new Set(routes.map((route) => route.path))];

  test.each(paths)('is returned by %s for a method that it does not have', async (path) => {
    const allowed = routes.filter((route) => route.path === path).map((route) => route.method as string);
    const taken = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed;
    // `fetch` refuses to send these two.
    const others = METHODS.filter((method) => !taken.includes(method) && !['CONNECT', 'TRACE'].includes(method));
    const address = path.replace(
      /:(\w+)/g,
      (_, name: string) => known[name] ?? moderated[name] ?? portal[name] ?? asked[name] ?? '',
    );
    for (const method of sample(others, path === paths[0])) {
      const { status, headers, body } = await scene.bot.ask(method, address);
      expect({ method, status }).toEqual({ method, status: 405 });
      expect(headers.get('allow')?.split(', ').sort()).toEqual([...allowed].sort());
      if (method !== 'HEAD') expect(body).toEqual({ message: '405: Method Not Allowed', code: 0 });
    }
  });
});

describe('HEAD', () => {
  const readable = table.filter(({ route }) => route.method === 'GET');

  test.each(readable)('returns for $name the same headers and no body', async ({ route }) => {
    await renew(route);
    const get = await askRoute(route, addressOf(route));
    const head = await askRoute({ ...route, method: 'HEAD' as Route['method'] }, addressOf(route));
    expect(head.status).toBe(get.status);
    expect(head.body).toBeNull();
    expect(head.headers.get('content-type')).toBe('application/json');
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });
});

describe('an unknown path', () => {
  test.each([
    '/nothing',
    '/channels',
    '/users/@me/nothing',
    '/api/v10',
    '/api/v10/nothing',
    '/api',
    '/api/vX/users/@me',
  ])('%s is 404 code 0', async (path) => {
    const { status, body, headers } = await scene.bot.get(`${server.origin}${path}`);
    expect(status).toBe(404);
    expect(body).toEqual({ message: '404: Not Found', code: 0 });
    expect(headers.get('content-type')).toBe('application/json');
  });

  test.each([
    ['{', 'application/json'],
    ['x', 'some/thing'],
    ['x', ';'],
  ])('is 404 with a body of %j as "%s"', async (body, type) => {
    for (const path of ['/nothing', '/api', '/cdn/nothing', '/']) {
      const answer = await ask(server, 'POST', server.origin + path, { body, headers: { 'content-type': type } });
      expect(answer).toMatchObject({ status: 404, body: { message: '404: Not Found', code: 0 } });
      expect(answer.headers.get('content-type')).toBe('application/json');
    }
  });

  test.each(['/api/v8/users/@me', '/api/v11/gateway', '/api/v6', '/api/v100/nothing'])(
    '%s is 400 code 50041, for an unsupported version',
    async (path) => {
      const { status, body } = await scene.bot.get(`${server.origin}${path}`);
      expect(status).toBe(400);
      expect(body).toEqual({ message: 'Invalid API version specified', code: 50041 });
    },
  );
});
