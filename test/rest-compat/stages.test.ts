import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { AppContext } from '../../src/context.js';
import type { Actor } from '../../src/domain/call.js';
import { DomainError } from '../../src/domain/errors.js';
import { Admissions } from '../../src/rest-compat/admit.js';
import { Interpreter } from '../../src/rest-compat/interpreter.js';
import {
  type Asked,
  type BoxTarget,
  type Directory,
  everythingHere,
  type Location,
} from '../../src/rest-compat/locate.js';
import { RouteTable } from '../../src/rest-compat/match.js';
import { callFor, perform } from '../../src/rest-compat/perform.js';
import type { RestAnswer, RestRequest } from '../../src/rest-compat/request.js';
import { CLOUD, type Route, route, type SelfHosted } from '../../src/rest-compat/route.js';
import type { Claim, Scheme } from '../../src/rest-compat/schemes.js';
import { routes } from '../../src/rest-compat/table.js';
import { openContext } from '../harness/context.js';
import { addMember, createBot, createGuild, type TestBot, type TestGuild } from '../harness/world.js';

let app: AppContext;
let close: () => Promise<void>;
let guild: TestGuild;
let bot: TestBot;
let actor: Actor;
beforeAll(async () => {
  ({ app, close } = await openContext({ RATE_LIMITS: 'on' }));
  bot = await createBot(app);
  guild = await createGuild(app);
  await addMember(app, guild.id, bot.user);
  actor = { kind: 'bot', user: bot.user, applicationId: bot.id, messageContentIntent: true };
});
afterAll(() => close());

let addresses = 0;
let address: string;
beforeEach(() => {
  address = `192.0.2.${++addresses}`;
});

function request(method: string, path: string, more: Partial<RestRequest> = {}): RestRequest {
  return { id: 'r-1', method, path, query: {}, headers: {}, address, body: Buffer.alloc(0), ...more };
}

const json = (value: unknown): Pick<RestRequest, 'headers' | 'body'> => ({
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
});

const bodyOf = ({ body }: RestAnswer) => JSON.parse(body ?? 'null');

describe('perform runs without an HTTP server', () => {
  const table = new RouteTable(routes);

  function performed(asked: RestRequest): Promise<RestAnswer> {
    const matched = table.match(asked);
    if (!('row' in matched)) throw new Error(`${asked.method} ${asked.path} is no route`);
    return perform(app, matched, asked, callFor(app, asked, actor));
  }

  test('a given bot sends a message and reads it', async () => {
    const messages = `/api/v10/channels/${guild.channel.id}/messages`;
    const sent = await performed(request('POST', messages, json({ content: 'hello' })));
    expect(sent).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    const listed = await performed(request('GET', messages, { query: { limit: '1' } }));
    expect(bodyOf(listed)).toMatchObject([{ id: bodyOf(sent).id, content: 'hello', author: { id: String(bot.id) } }]);
  });

  test('a body is a stream or a buffer', async () => {
    const messages = `/channels/${guild.channel.id}/messages`;
    const { headers, body } = json({ content: 'in pieces' });
    const pieces = Readable.from([body]);
    expect(bodyOf(await performed(request('POST', messages, { headers, body: pieces }))).content).toBe('in pieces');
    const form = new FormData();
    form.append('files[0]', new Blob(['text']), 'a.txt');
    const encoded = new Response(form);
    const asForm = {
      headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
      body: new Uint8Array(await encoded.arrayBuffer()),
    };
    expect(bodyOf(await performed(request('POST', messages, asForm)))).toMatchObject({
      attachments: [{ filename: 'a.txt', size: 4 }],
    });
  });

  test('every error becomes a response', async () => {
    expect(await performed(request('GET', '/channels/1'))).toMatchObject({ status: 404 });
    const answer = await performed(
      request('POST', `/channels/${guild.channel.id}/messages`, { body: Buffer.from('{') }),
    );
    expect([answer.status, bodyOf(answer).code]).toEqual([400, 50035]);
  });

  test('the status may depend on the result', async () => {
    const statuses = { oneOf: [200, 201, 204], of: (n: 200 | 201 | 204) => n } as const;
    for (const status of statuses.oneOf) {
      const row = testRow({ run: async () => status, status: statuses, render: (n) => ({ n }) });
      const matched = { row, params: {}, version: 10 } as const;
      const answer = await perform(app, matched, request('GET', '/x'), callFor(app, request('GET', '/x'), actor));
      expect([answer.status, bodyOf(answer)]).toEqual([status, status === 204 ? null : { n: status }]);
    }
  });
});

type Spec = Parameters<typeof route<z.ZodType<Record<string, unknown>>, z.ZodType, z.ZodType, 200 | 201 | 204>>[0];

let names = 0;

function testRow(spec: Partial<Spec>): Route {
  const run: Spec['run'] = async () => 200;
  const bucket = { limit: { name: `test-${++names}`, points: 100, seconds: 60 }, major: [] };
  const render: Spec['render'] = (_result, { call }) => ({ kind: call.actor.kind });
  const params = z.looseObject({});
  const summary = 'Test';
  return route({ method: 'GET', path: '/x', summary, callers: [], bucket, where: CLOUD, params, run, render, ...spec });
}

function interpreterOf(rows: Route[], schemes: Scheme[] = [], directory: Directory = everythingHere): Interpreter {
  return new Interpreter(app, { rows, schemes, directory });
}

function pathScheme(
  form: string,
  of: 'webhookToken' | 'interactionToken',
  { as = actor, limits = () => [] }: { as?: Actor; limits?: (address: string) => Claim['limits'] } = {},
) {
  const checked: string[] = [];
  const scheme: Scheme = {
    in: 'path',
    of: [of],
    claim({ params: { token = '' }, address: from }) {
      if (!token.startsWith(form)) return null;
      const authenticate = async () => {
        checked.push(token);
        if (token !== `${form}good`) throw new DomainError('UNAUTHENTICATED', 'no');
        return as;
      };
      return { limits: limits(from), authenticate };
    },
  };
  return { scheme, checked };
}

const PATH = '/webhooks/:webhookId/:token';

describe('admit: a token in the path', () => {
  const person = (): Actor => ({ kind: 'person', user: guild.owner });

  test('is recognized by its form, and the route receives the caller', async () => {
    const row = testRow({ path: PATH, callers: ['webhookToken', 'interactionToken'] });
    const [webhook, interaction] = [
      pathScheme('WH.', 'webhookToken'),
      pathScheme('', 'interactionToken', { as: person() }),
    ];
    const interpreter = interpreterOf([row], [webhook.scheme, interaction.scheme]);
    const kindOf = async (token: string) => bodyOf(await interpreter.answer(request('GET', `/webhooks/1/${token}`)));
    expect([await kindOf('WH.good'), await kindOf('good')]).toEqual([{ kind: 'bot' }, { kind: 'person' }]);
    expect([webhook.checked, interaction.checked]).toEqual([['WH.good'], ['good']]);
    expect((await interpreter.answer(request('GET', '/webhooks/1/WH.bad'))).status).toBe(401);
  });

  test('is 401 if no scheme recognizes it, whatever the headers', async () => {
    const row = testRow({ path: PATH, callers: ['webhookToken'] });
    const interpreter = interpreterOf([row], [pathScheme('WH.', 'webhookToken').scheme]);
    const headers = { authorization: `Bot ${bot.token}` };
    expect((await interpreter.answer(request('GET', '/webhooks/1/x', { headers }))).status).toBe(401);
  });

  test('is required to have a scheme for each caller of the route', () => {
    const row = testRow({ path: PATH, callers: ['interactionToken'] });
    expect(() => interpreterOf([row], [pathScheme('', 'webhookToken').scheme])).toThrow('interactionToken');
  });

  test('is not part of limit keys, and a webhook with its token has one bucket', async () => {
    const bucket = { limit: { name: 'of-a-webhook', points: 2, seconds: 60 }, major: ['webhookId', 'token'] };
    const row = testRow({ path: PATH, callers: ['webhookToken'], bucket });
    const interpreter = interpreterOf([row], [pathScheme('', 'webhookToken').scheme]);
    const keys: string[] = [];
    const { take } = app.limits;
    app.limits.take = (limit, key, points) => {
      keys.push(`${limit.name} ${key}`);
      return take(limit, key, points);
    };
    try {
      const ask = (path: string) => interpreter.answer(request('GET', path));
      const remaining = [];
      for (const path of ['/webhooks/1/good', '/webhooks/001/good', '/webhooks/2/good']) {
        const { headers } = await ask(path);
        remaining.push(headers['x-ratelimit-remaining']);
        expect(JSON.stringify(headers)).not.toContain('good');
      }
      expect(remaining).toEqual(['1', '0', '1']);
      expect(keys.filter((key) => key.startsWith('of-a-webhook'))).toHaveLength(3);
      expect(keys.join()).not.toContain('good');
    } finally {
      app.limits.take = take;
    }
  });
});

describe('admit: limits that need no caller are counted before the check', () => {
  function scene(counts: 'attempts' | 'failures') {
    const limit = { name: `checks-${++names}`, points: 3, seconds: 60 };
    const counted = pathScheme('', 'webhookToken', { limits: (key) => [{ limit, key, counts }] });
    const interpreter = interpreterOf([testRow({ path: PATH, callers: ['webhookToken'] })], [counted.scheme]);
    const ask = async (token: string, from = address) =>
      (await interpreter.answer(request('GET', `/webhooks/1/${token}`, { address: from }))).status;
    return { ask, checked: counted.checked };
  }

  test('a blocked address gets only free checks', async () => {
    const limit = { name: `test-${++names}`, points: 100, seconds: 60 };
    const row = testRow({ path: PATH, callers: ['webhookToken', 'interactionToken'] });
    const costly = pathScheme('WH.', 'webhookToken', { limits: (key) => [{ limit, key, counts: 'attempts' }] });
    const cheap = pathScheme('', 'interactionToken');
    const admissions = new Admissions(app, [row], [costly.scheme, cheap.scheme]);
    const admitted = async (token: string) => {
      const matched = { row, params: { webhookId: '1', token }, version: 10 } as const;
      const { outcome } = await admissions.admit(matched, request('GET', `/webhooks/1/${token}`));
      return 'actor' in outcome ? 'admitted' : outcome.refusal.status;
    };
    const refused = { caller: address, headers: {}, outcome: { actor: { kind: 'anonymous' } } } as const;
    for (let refusals = 0; refusals < 10_000; refusals += 1) await admissions.noteAnswer(refused, 401);
    expect([await admitted('WH.good'), await admitted('good'), await admitted('bad')]).toEqual([429, 'admitted', 429]);
    expect([costly.checked, cheap.checked]).toEqual([[], ['good', 'bad']]);
  });

  test('attempts: beyond the limit no credential is checked', async () => {
    const { ask, checked } = scene('attempts');
    const statuses = [await ask('good'), await ask('bad'), await ask('good'), await ask('good'), await ask('bad')];
    expect(statuses).toEqual([200, 401, 200, 429, 429]);
    expect(checked).toHaveLength(3);
    expect(await ask('good', '198.51.100.1')).toBe(200);
  });

  test('failures: a valid credential does not count', async () => {
    const { ask, checked } = scene('failures');
    for (let n = 0; n < 5; n += 1) expect(await ask('good')).toBe(200);
    expect([await ask('bad'), await ask('bad'), await ask('good'), await ask('bad')]).toEqual([401, 401, 200, 401]);
    expect([await ask('bad'), await ask('good')]).toEqual([429, 429]);
    expect(checked).toHaveLength(9);
  });

  test('failures: of many at once no more are checked than the limit allows', async () => {
    const { ask, checked } = scene('failures');
    const statuses = await Promise.all(Array.from({ length: 10 }, () => ask('bad')));
    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    expect(checked).toHaveLength(3);
  });

  test('failures: a check that could not run does not count', async () => {
    const limit = { name: `checks-${++names}`, points: 1, seconds: 60 };
    const faults = [new DomainError('OVERLOADED', 'busy'), new Error('broken'), null];
    const scheme: Scheme = {
      in: 'path',
      of: ['webhookToken'],
      claim: () => ({
        limits: [{ limit, key: 'x', counts: 'failures' }],
        authenticate: async () => {
          const fault = faults.shift();
          if (fault) throw fault;
          return actor;
        },
      }),
    };
    const interpreter = interpreterOf([testRow({ path: PATH, callers: ['webhookToken'] })], [scheme]);
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await interpreter.answer(request('GET', '/webhooks/1/x'))).status);
    expect(statuses).toEqual([503, 500, 200]);
  });
});

describe('locate', () => {
  const asBot: Scheme = { in: 'header', of: ['bot'], claim: () => ({ limits: [], authenticate: async () => actor }) };

  function onBox(home: Location = { box: 7n, guildId: 5n }, isInstalled = true) {
    const forwarded: { target: BoxTarget; asked: Asked }[] = [];
    const asked: string[] = [];
    const directory: Directory = {
      async whereIs(target, id) {
        asked.push(`${target} ${id}`);
        return home;
      },
      isInstalled: async () => isInstalled,
      async forward(target, of) {
        forwarded.push({ target, asked: of });
        return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"from":"a box"}' };
      },
    };
    return { directory, forwarded, asked };
  }

  function rowAt(selfHosted: SelfHosted | ((body: unknown) => SelfHosted), method: 'GET' | 'PATCH' = 'GET'): Route {
    const body = z.object({ deaf: z.boolean().optional() });
    const where = { by: 'guildId', selfHosted } as const;
    return testRow({ method, path: '/guilds/:guildId', callers: ['bot'], where, ...(method === 'PATCH' && { body }) });
  }

  async function answerOf(selfHosted: SelfHosted, box = onBox()) {
    const interpreter = interpreterOf([rowAt(selfHosted)], [asBot], box.directory);
    return { answer: await interpreter.answer(request('GET', '/api/v10/guilds/5', { query: { x: '1' } })), ...box };
  }

  test('forward: the box receives the request and the bot, and its response is returned unchanged', async () => {
    const { answer, forwarded, asked } = await answerOf('forward');
    expect(answer).toMatchObject({ status: 200, body: '{"from":"a box"}' });
    expect(answer.headers).toHaveProperty('x-ratelimit-remaining');
    expect(asked).toEqual(['guild 5']);
    expect(forwarded).toMatchObject([
      {
        target: { box: 7n, guildId: 5n },
        asked: { sender: actor, request: { method: 'GET', path: '/guilds/5', query: { x: '1' } }, taken: null },
      },
    ]);
  });

  test('forward: a bot without an installation is refused in the cloud, after validation of the request', async () => {
    const { directory, forwarded } = onBox(undefined, false);
    const params = z.object({ guildId: z.literal('5') });
    const body = z.object({ name: z.string() });
    const query = z.object({ limit: z.literal('1').optional() });
    const where = { by: 'guildId', selfHosted: 'forward' } as const;
    const spec = { method: 'PATCH', path: '/guilds/:guildId', callers: ['bot'], where, params, query, body } as const;
    const interpreter = interpreterOf([testRow(spec)], [asBot], directory);
    const ask = async (id: string, value: unknown, query = {}) => {
      const answer = await interpreter.answer(request('PATCH', `/guilds/${id}`, { ...json(value), query }));
      return [answer.status, bodyOf(answer).code];
    };
    expect(await ask('6', { name: 'x' })).toEqual([400, 50035]);
    expect(await ask('5', { name: 'x' }, { limit: '2' })).toEqual([400, 50035]);
    expect(await ask('5', { name: 1.5 })).toEqual([400, 50035]);
    expect(await ask('5', { name: 'x' })).toEqual([403, 50001]);
    expect(forwarded).toEqual([]);
  });

  test('forward: files of a bot without an installation are never staged', async () => {
    const { directory } = onBox(undefined, false);
    const where = { by: 'guildId', selfHosted: 'forward' } as const;
    const spec = { method: 'POST', path: '/guilds/:guildId', callers: ['bot'], where, body: z.object({}) } as const;
    const interpreter = interpreterOf([testRow({ ...spec, admitFiles: async () => {} })], [asBot], directory);
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const part = '--b\r\ncontent-disposition: form-data; name="files[0]"; filename="a"\r\n\r\nx\r\n--b--\r\n';
    const staged = vi.spyOn(app.blobs, 'stage');
    const answer = await interpreter.answer(request('POST', '/guilds/5', { headers, body: Buffer.from(part) }));
    expect([answer.status, bodyOf(answer).code, staged.mock.calls]).toEqual([403, 50001, []]);
    staged.mockRestore();
  });

  test('notFound: 404, as for an unknown route', async () => {
    const { answer, forwarded } = await answerOf('notFound');
    expect([answer.status, bodyOf(answer)]).toEqual([404, { message: '404: Not Found', code: 0 }]);
    expect(forwarded).toEqual([]);
  });

  test('notImplemented: 501, with the reason in a header', async () => {
    const { answer } = await answerOf('notImplemented');
    expect([answer.status, bodyOf(answer)]).toEqual([501, { message: '501: Not Implemented', code: 0 }]);
    expect(answer.headers['x-causeway-reason']).toBe('not-implemented-self-hosted');
  });

  test.each([
    ['what the row is done at', 404, '{"message":"x","code":10009}', 204, null],
    ['another refusal of that status', 404, '{"message":"x","code":10003}', 404, '{"message":"x","code":10003}'],
    ['another status with its code', 403, '{"code":10009}', 403, '{"code":10009}'],
    ['nothing that has a code', 404, 'null', 404, 'null'],
    ['nothing at all', 404, null, 404, null],
    ['success', 204, null, 204, null],
  ])('forward with isDoneIf: a box that answers %s', async (_what, status, body, answered, text) => {
    const { directory } = onBox();
    directory.forward = async () => ({ status, headers: {}, body });
    const where = { by: 'guildId', selfHosted: 'forward', isDoneIf: 'UNKNOWN_OVERWRITE' } as const;
    const row = testRow({ method: 'DELETE', path: '/guilds/:guildId', callers: ['bot'], where });
    const interpreter = interpreterOf([row], [asBot], directory);
    expect(await interpreter.answer(request('DELETE', '/guilds/5'))).toMatchObject({ status: answered, body: text });
  });

  test('a rule that depends on the body parses it, and forwards it unchanged', async () => {
    const box = onBox();
    const byDeaf = (body: unknown): SelfHosted =>
      typeof body === 'object' && body !== null && 'deaf' in body ? 'notImplemented' : 'forward';
    const interpreter = interpreterOf([rowAt(byDeaf, 'PATCH')], [asBot], box.directory);
    const ask = (body: string) =>
      interpreter.answer(request('PATCH', '/guilds/5', { ...json({}), body: Readable.from([Buffer.from(body)]) }));
    expect((await ask('{"deaf":true}')).status).toBe(501);
    expect((await ask('{ "mute": true }')).status).toBe(200);
    expect(box.forwarded.map(({ asked }) => String(asked.request.body))).toEqual(['{ "mute": true }']);
    expect([(await ask('{"deaf":5}')).status, (await ask('{')).status]).toEqual([400, 400]);
  });

  test('cloud guilds and malformed ids are handled in the cloud', async () => {
    expect(bodyOf((await answerOf('forward', onBox('here'))).answer)).toEqual({ kind: 'bot' });
    const { directory, asked } = onBox();
    const answer = await interpreterOf([rowAt('forward')], [asBot], directory).answer(request('GET', '/guilds/x'));
    expect([answer.status, asked]).toEqual([200, []]);
  });

  test('a failing box causes a 500', async () => {
    const { directory } = onBox();
    directory.forward = () => Promise.reject(new Error('broken'));
    const interpreter = interpreterOf([rowAt('forward')], [asBot], directory);
    expect((await interpreter.answer(request('GET', '/guilds/5'))).status).toBe(500);
  });

  test('the location is looked up after the limits and the credential', async () => {
    const { directory, asked } = onBox();
    const interpreter = interpreterOf([rowAt('forward')], [{ ...asBot, claim: () => null }], directory);
    expect((await interpreter.answer(request('GET', '/guilds/5'))).status).toBe(401);
    expect(asked).toEqual([]);
  });
});

/** Routes that work on a self-hosted server (service description, section 4). Other routes of a server do not. */
const FORWARDED = [
  /^(GET|POST) \/channels\/:channelId\/messages$/,
  /^(GET|PATCH|DELETE) \/channels\/:channelId\/messages\/:messageId$/,
  /^POST \/channels\/:channelId\/messages\/bulk-delete$/,
  /^\w+ \/channels\/:channelId\/messages\/:messageId\/reactions/,
  /^\w+ \/channels\/:channelId\/(messages\/)?pins/,
  /^POST \/channels\/:channelId\/typing$/,
  /^(GET|PATCH|DELETE) \/channels\/:channelId$/,
  /^DELETE \/channels\/:channelId\/permissions\/:overwriteId$/,
  /^(GET|POST|PATCH) \/guilds\/:guildId\/channels$/,
  /^GET \/guilds\/:guildId$/,
  /^GET \/guilds\/:guildId\/members(\/search)?$/,
  /^(GET|PATCH|DELETE) \/guilds\/:guildId\/members\/(@me|:userId)(\/nick)?$/,
  /^(PUT|DELETE) \/guilds\/:guildId\/members\/:userId\/roles\/:roleId$/,
  /^\w+ \/guilds\/:guildId\/bans(\/:userId)?$/,
  /^\w+ \/guilds\/:guildId\/roles(\/:roleId)?$/,
  /^GET \/guilds\/:guildId\/(emojis|soundboard-sounds)(\/:\w+)?$/,
  /^GET \/guilds\/:guildId\/(audit-logs|vanity-url|voice-states\/(@me|:userId))$/,
  /^GET \/users\/@me\/guilds\/:guildId\/member$/,
];

const NOBODY_DEAFENED = { notImplemented: { deaf: true }, forward: { mute: true } };

/** Routes whose location depends on the body, with an example of each outcome. */
const BY_BODY: Readonly<Record<string, Record<'notImplemented' | 'forward', object>>> = {
  'PATCH /guilds/:guildId/members/:userId': NOBODY_DEAFENED,
  'PATCH /guilds/:guildId/voice-states/@me': NOBODY_DEAFENED,
  'PATCH /guilds/:guildId/voice-states/:userId': NOBODY_DEAFENED,
  'PATCH /guilds/:guildId': { notImplemented: { name: 'x', icon: null }, forward: { name: 'x', description: 'y' } },
};

/** Routes that the cloud handles itself. */
const ANSWERED_FOR: Readonly<Record<string, SelfHosted | typeof CLOUD>> = {
  'PUT /channels/:channelId/permissions/:overwriteId': 'notImplemented',
  'PATCH /guilds/:guildId/vanity-url': 'notImplemented',
  // Installations belong to the cloud, which also removes the bot from the box.
  'DELETE /users/@me/guilds/:guildId': CLOUD,
};

/** Webhooks are stored in the cloud, wherever their channel is. Their messages are forwarded like those of bots. */
const OF_WEBHOOKS = /^\w+ \/(guilds|channels)\/:\w+\/webhooks$/;

describe('the table defines the location of each route', () => {
  const names = routes.map((row) => [`${row.method} ${row.path}`, row] as const);
  const onServers = names.filter(([, { path }]) => /^\/(guilds|channels)\/|\/guilds\/:guildId(\/|$)/.test(path));

  test.each(onServers)('%s runs where its guild is', (name, { where }) => {
    const selfHosted = where === CLOUD ? CLOUD : where.selfHosted;
    if (typeof selfHosted === 'function') {
      const { notImplemented, forward } = BY_BODY[name] ?? {};
      expect([selfHosted(notImplemented), selfHosted(forward)]).toEqual(['notImplemented', 'forward']);
      return;
    }
    if (OF_WEBHOOKS.test(name)) return expect(where).toMatchObject({ selfHosted: 'inCloud', isOfWebhooks: true });
    const expected = FORWARDED.some((pattern) => pattern.test(name)) ? 'forward' : (ANSWERED_FOR[name] ?? 'notFound');
    return expect(selfHosted).toBe(expected);
  });

  const ofWebhooks = names.filter(([, { path }]) => path.startsWith('/webhooks/'));

  test.each(ofWebhooks)('%s has its row in the cloud and its messages where the channel is', (name, { where }) => {
    const isPost = name.startsWith('POST /webhooks/');
    const isOfService = /\/(slack|github)$/.test(name);
    const selfHosted = isPost || name.includes('/messages/') ? 'forward' : 'inCloud';
    const afterForward = isPost ? expect.any(Function) : undefined;
    const forwardAs = isOfService ? expect.any(Function) : undefined;
    expect(where).toEqual({ by: 'webhookId', selfHosted, isOfWebhooks: true, afterForward, forwardAs });
  });

  test('all other routes run in the cloud', () => {
    const elsewhere = names.filter((entry) => !onServers.includes(entry) && !ofWebhooks.includes(entry));
    expect(elsewhere.filter(([, { where }]) => where !== CLOUD).map(([name]) => name)).toEqual([]);
  });
});
