import { beforeEach, describe, expect } from 'vitest';
import { deleteChannel } from '../../src/domain/channels/index.js';
import { deleteGuild } from '../../src/domain/guilds/index.js';
import { makeWebhookToken } from '../../src/domain/webhooks/tokens.js';
import { test } from '../harness/fixtures.js';
import { countReceived } from '../harness/forms.js';
import { PIXEL } from '../harness/images.js';
import { ask, formOf, openScene, type RestAnswer, type RestRequest, type Scene } from '../harness/rest.js';
import { createDirectChannel } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { openWebhook, type RestWebhook } from '../harness/webhooks.js';
import { callOf, createChannel } from '../harness/world.js';

// These errors are specified in the service description, section 7.
let server: TestServer;
let scene: Scene;
let hook: RestWebhook;
let messageId: string;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});
beforeEach(async () => {
  const channel = await createChannel(server.app, scene.guild.id, 'posted to');
  hook = await openWebhook(scene, { channelId: channel.id });
  messageId = (await hook.post({ content: 'hello' })).body.id;
});

const MIB = 1024 * 1024;

interface Route {
  method: string;
  path: string;
  request?: RestRequest;
}

/** Every execution and editing route with a valid request. The deletion of the webhook is last. */
const ROUTES: Route[] = [
  { method: 'POST', path: '', request: { json: { content: 'more' } } },
  { method: 'GET', path: '' },
  { method: 'PATCH', path: '', request: { json: { name: 'Crier' } } },
  { method: 'GET', path: '/messages/ID' },
  { method: 'PATCH', path: '/messages/ID', request: { json: { content: 'edited' } } },
  { method: 'DELETE', path: '/messages/ID' },
  { method: 'DELETE', path: '' },
];
const routes = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);
const sending = routes.filter(([name]) => name === 'POST ' || name === 'PATCH /messages/ID');

function send(
  { method, path, request = {} }: Route,
  more: RestRequest = {},
  { id, token }: Shown = hook,
): Promise<RestAnswer> {
  const address = `/webhooks/${id}/${token}${path.replace('ID', messageId)}`;
  return ask(server, method, address, more.form ? more : { ...request, ...more });
}

type Shown = Pick<RestWebhook, 'id' | 'token'>;

const countMessages = () => server.app.db.reader.message.count();

test.each(routes)('%s accepts only the token as its credential', async (_name, route) => {
  const answer = await send(route);
  expect(answer.status).toBe(route.method === 'DELETE' ? 204 : 200);
});

describe('400: content empty with no embeds and no attachments, or content longer than 4000 characters', () => {
  test.each(sending)('is returned by %s', async (_name, route) => {
    const before = await countMessages();
    const nothing = { content: null, embeds: [], attachments: [], components: [] };
    for (const content of ['', ' \n\t ', null]) {
      const answer = await send(route, { json: { ...nothing, content } });
      expect(answer, JSON.stringify(content)).toMatchObject({ status: 400, body: { code: 50006 } });
    }
    const form = formOf({ ...nothing, content: '' });
    expect(await send(route, { form }), 'multipart').toMatchObject({ status: 400, body: { code: 50006 } });
    for (const content of ['x'.repeat(4_001), '🦆'.repeat(4_001)]) {
      for (const request of [{ json: { content } }, { form: formOf({ content }) }]) {
        const errors = { content: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH' }] } };
        expect(await send(route, request)).toMatchObject({ status: 400, body: { code: 50035, errors } });
      }
    }
    expect(await countMessages()).toBe(before);
    expect((await hook.get(`/messages/${messageId}`)).body.content).toBe('hello');
  });

  test('is returned by POST for an empty body', async () => {
    for (const json of [{}, { username: 'x' }, { components: [] }, { flags: 4 }]) {
      expect(await hook.post(json), JSON.stringify(json)).toMatchObject({ status: 400, body: { code: 50006 } });
    }
  });

  test.each(sending)(
    'is not returned by %s for 4000 characters, or for one of the three alone',
    async (_name, route) => {
      for (const content of ['x', 'x'.repeat(4_000), '🦆'.repeat(4_000), ` ${'x'.repeat(4_000)} `]) {
        expect(await send(route, { json: { content } })).toMatchObject({
          status: 200,
          body: { content: content.trim() },
        });
      }
      const embed = await send(route, { json: { content: null, embeds: [{ title: 'A title' }] } });
      expect(embed).toMatchObject({ status: 200, body: { content: '', embeds: [{ title: 'A title' }] } });
      const form = formOf({ content: null, embeds: [] }, { name: 'files[0]', content: 'x', filename: 'x.txt' });
      expect(await send(route, { form })).toMatchObject({
        status: 200,
        body: { attachments: [{ filename: 'x.txt' }] },
      });
    },
  );
});

describe('401: token missing, malformed or not matching', () => {
  const REFUSED = { status: 401, body: { message: 'Invalid Webhook Token', code: 50027 } };

  test.each(routes)('is returned by %s', async (_name, route) => {
    const { token } = hook;
    const [, prefix = '', secret = ''] = token.split('.');
    const tokens = {
      missing: '',
      'a space': '%20',
      'of no form': 'x',
      'of other parts': `WH.${prefix}`,
      'of another name': `XX.${prefix}.${secret}`,
      'without its name': `${prefix}.${secret}`,
      'too short': token.slice(0, -1),
      'too long': `${token}A`,
      'in capitals': token.toUpperCase(),
      'with a line end': `${token}%0A`,
      'with a null': `${token}%00`,
      'of a bot': scene.bot.bot.token,
      'of another webhook': (await openWebhook(scene)).token,
      'of nobody': makeWebhookToken(),
      'of another secret': `WH.${prefix}.${makeWebhookToken().slice(12)}`,
      'of another prefix': `WH.${makeWebhookToken().slice(3, 11)}.${secret}`,
      'wrong in its last character': `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
    };
    for (const [what, wrong] of Object.entries(tokens)) {
      expect(await send(route, {}, { ...hook, token: wrong }), what).toMatchObject(REFUSED);
    }
    expect(await send({ method: 'GET', path: '/messages/ID' })).toMatchObject({ body: { content: 'hello' } });
  });

  test('is returned before the body is validated, and nothing of the body is stored', async () => {
    const wrong = { ...hook, token: makeWebhookToken() };
    const file = { name: 'files[0]', content: Buffer.alloc(11 * MIB), filename: 'x' };
    for (const request of [
      { json: { content: 5 } },
      { body: '{', headers: { 'content-type': 'application/json' } },
      { form: formOf({}, file) },
    ]) {
      for (const [, route] of sending) expect(await send(route, request, wrong)).toMatchObject(REFUSED);
    }
  });

  test.each([
    ['a good one', () => `Bot ${scene.bot.bot.token}`],
    ["another bot's", () => `Bot ${scene.stranger.bot.token}`],
    ['a bad one', () => 'Bot x.y.z'],
    ['an unknown Bearer token', () => 'Bearer nothing'],
    ['a malformed one', () => 'Nothing of the kind'],
    ['an empty one', () => ''],
  ])('is unaffected by an Authorization header: %s', async (_what, authorization) => {
    const headers = { authorization: authorization() };
    const wrong = { ...hook, token: makeWebhookToken() };
    for (const [name, route] of routes) {
      expect(await send(route, { headers }, wrong), name).toMatchObject(REFUSED);
      expect((await send(route, { headers })).status, name).toBe(route.method === 'DELETE' ? 204 : 200);
    }
  });
});

describe('404: webhook deleted, id unknown, channel deleted', () => {
  const UNKNOWN = { status: 404, body: { message: 'Unknown Webhook', code: 10015 } };
  const WITHOUT_CHANNEL = { status: 404, body: { message: 'Unknown Channel', code: 10003 } };

  test.each(routes)('is returned by %s', async (_name, route) => {
    const { app } = server;
    for (const id of ['1', '9223372036854775807', '9223372036854775808', '9'.repeat(60), messageId]) {
      expect(await send(route, {}, { ...hook, id }), id).toMatchObject(UNKNOWN);
    }
    const deleted = await openWebhook(scene);
    expect((await scene.bot.delete(`/webhooks/${deleted.id}`)).status).toBe(204);
    expect(await send(route, {}, deleted), 'deleted').toMatchObject(UNKNOWN);
    const wrong = { id: deleted.id, token: makeWebhookToken() };
    expect(await send(route, {}, { ...deleted, ...wrong }), 'deleted, and another token').toMatchObject(UNKNOWN);
    const direct = await createDirectChannel(app, scene.bot.bot.user, scene.guild.owner);
    expect((await send(route, {}, await openWebhook(scene, { channelId: direct.id }))).status).toBe(
      route.path === '' && route.method === 'DELETE' ? 204 : 404,
    );
    const { channelId } = await app.db.reader.webhook.findUniqueOrThrow({ where: { id: BigInt(hook.id) } });
    await deleteChannel(callOf(app, scene.guild.owner), channelId);
    // The webhook can still be deleted with its token.
    const endsIt = route.path === '' && route.method === 'DELETE';
    if (endsIt) expect((await send(route)).status).toBe(204);
    expect(await send(route), 'channel deleted').toMatchObject(endsIt ? UNKNOWN : WITHOUT_CHANNEL);
  });

  test.each(sending)('is returned by %s with files, none of which is received', async (_name, route) => {
    await deleteChannel(callOf(server.app, scene.guild.owner), await channelOf(hook));
    const form = formOf({}, { name: 'files[0]', content: PIXEL, filename: 'a.png' });
    const received = countReceived(server);
    expect(await send(route, { form })).toMatchObject(WITHOUT_CHANNEL);
    expect(received).toEqual({ files: 0, bytes: 0 });
  });

  test('is returned after the whole guild is deleted', async () => {
    const other = await openScene(server);
    const there = await openWebhook(other);
    await deleteGuild(callOf(server.app, other.guild.owner), other.guild.id);
    expect(await there.post({ content: 'late' })).toMatchObject(WITHOUT_CHANNEL);
  });

  const channelOf = async ({ id }: RestWebhook) =>
    (await server.app.db.reader.webhook.findUniqueOrThrow({ where: { id: BigInt(id) } })).channelId;
});

describe('405: method not supported on the route', () => {
  test.each([
    ['', ['POST', 'GET', 'PATCH', 'DELETE']],
    ['/messages/ID', ['GET', 'PATCH', 'DELETE']],
    ['/messages/@original', ['GET', 'PATCH', 'DELETE']],
  ])('is returned after the token at "%s"', async (path, allowed) => {
    const others = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].filter(
      (method) => !allowed.includes(method),
    );
    for (const method of others) {
      for (const token of [hook.token, 'x', '']) {
        const { status, headers, body } = await send({ method, path }, {}, { ...hook, token });
        expect({ method, status, body }).toEqual({
          method,
          status: 405,
          body: { message: '405: Method Not Allowed', code: 0 },
        });
        expect(headers.get('allow')?.split(', ').toSorted()).toEqual(allowed.toSorted());
      }
    }
  });

  test('is returned for POST and PUT without a token', async () => {
    for (const method of ['POST', 'PUT']) {
      const answer = await ask(server, method, `/webhooks/${hook.id}`, { json: { content: 'x' } });
      expect(answer).toMatchObject({ status: 405, body: { code: 0 } });
      expect(answer.headers.get('allow')).toBe('GET, PATCH, DELETE');
    }
  });
});

describe('413: an attachment exceeds the per-file size limit', () => {
  test.each(sending)('is returned by %s', async (_name, route) => {
    const before = await countMessages();
    const over = { name: 'files[0]', content: Buffer.alloc(10 * MIB + 1), filename: 'x' };
    expect(await send(route, { form: formOf({ content: 'x' }, over) })).toMatchObject({
      status: 413,
      body: { code: 50045 },
    });
    expect(await countMessages()).toBe(before);
    const { body } = await hook.get(`/messages/${messageId}`);
    expect(body).toMatchObject({ content: 'hello', attachments: [], edited_timestamp: null });
  });

  test('is returned by POST for three files that exceed the request limit together', async () => {
    const files = [0, 1, 2].map((n) => ({ name: `files[${n}]`, content: Buffer.alloc(9 * MIB), filename: 'x' }));
    expect(await hook.ask('POST', '', { form: formOf({}, ...files) })).toMatchObject({
      status: 413,
      body: { code: 40005 },
    });
  });
});
