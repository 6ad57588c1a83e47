import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AppContext } from '../../../../src/context.js';
import { boxSnowflakes } from '../../../../src/infra/ids/ids.js';
import { createDirectory } from '../../../../src/relay/cloud/forwarding/directory.js';
import { BoxError, type BoxFault } from '../../../../src/relay/cloud/forwarding/transport.js';
import { Admissions } from '../../../../src/rest-compat/admit.js';
import { credentialSchemes } from '../../../../src/rest-compat/credentials.js';
import { Interpreter } from '../../../../src/rest-compat/interpreter.js';
import type { RestAnswer, RestRequest } from '../../../../src/rest-compat/request.js';
import { routes } from '../../../../src/rest-compat/table.js';
import { answerOf, type BoxScene, ID_SPACE, openBox } from '../../../harness/box-guild.js';
import { openContext } from '../../../harness/context.js';

let app: AppContext;
let close: () => Promise<void>;
let scene: BoxScene;
let interpreter: Interpreter;
beforeAll(async () => {
  ({ app, close } = await openContext());
  scene = await openBox(app);
  const schemes = credentialSchemes(app, async () => ({ kind: 'anonymous' }));
  interpreter = new Interpreter(app, { rows: routes, schemes, directory: createDirectory(app, scene.box) });
});
afterAll(() => close());
beforeEach(() => {
  scene.box.isConnected = true;
  scene.box.answer = () => answerOf(200, {});
  scene.box.arrived.length = 0;
});

type Given = Partial<Omit<RestRequest, 'method' | 'path'>>;

function ask(method: string, path: string, { headers, ...given }: Given = {}): Promise<RestAnswer> {
  const authorization = `Bot ${scene.bot.token}`;
  const body = Buffer.alloc(0);
  const request = { id: 'r-1', method, path, query: {}, address: '192.0.2.1', body, ...given };
  return interpreter.answer({ ...request, headers: { authorization, ...headers } });
}

const json = (value: unknown): Given => ({
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
});

const said = ({ body }: RestAnswer) => JSON.parse(body ?? 'null');
const messages = () => `/channels/${scene.guild.channel.id}/messages`;

describe('a request to a box (R-20)', () => {
  test('equals the original request and names the bot that made it', async () => {
    const { box, guild, bot } = scene;
    const sent = { content: 'hällo' };
    const { headers = {}, body } = json(sent);
    const others = { 'x-audit-log-reason': 'w%C3%A4', 'accept-language': 'de', cookie: 'a=b', 'user-agent': 'x' };
    await ask('POST', `/api/v10${messages()}`, { headers: { ...headers, ...others }, body, query: { a: ['1', '2'] } });
    const { key, fingerprint, budgetMs, body: arrived, ...request } = box.last;
    expect(request).toEqual({
      method: 'POST',
      path: messages(),
      query: { a: ['1', '2'] },
      headers: { 'content-type': 'application/json', 'x-audit-log-reason': 'w%C3%A4', 'accept-language': 'de' },
      bot: expect.objectContaining({ application_id: String(bot.id), message_content: true }),
      guildId: guild.id,
    });
    expect(budgetMs).toBeGreaterThan(0);
    expect(budgetMs).toBeLessThanOrEqual(12_000);
    expect(request.bot.user).toMatchObject({ id: String(bot.id), username: bot.user.username, bot: true });
    expect(JSON.parse(Buffer.from(arrived, 'latin1').toString())).toEqual(sent);
    expect([key, fingerprint].map((text) => typeof text)).toEqual(['string', 'string']);
  });

  test.each(['/api/v10', '/api', ''])('has no prefix: %j', async (prefix) => {
    await ask('PUT', `${prefix}${messages()}/5/reactions/%F0%9F%91%8D/%40me`);
    expect(scene.box.last.path).toBe(`${messages()}/5/reactions/%F0%9F%91%8D/%40me`);
  });

  test('has no body if the route takes none', async () => {
    await ask('DELETE', `${messages()}/5`, { body: Buffer.from('x') });
    expect([scene.box.last.body, scene.box.last.method]).toEqual(['', 'DELETE']);
  });

  test('is a GET if the bot sent a HEAD', async () => {
    await ask('HEAD', messages());
    expect(scene.box.last).toMatchObject({ method: 'GET', path: messages() });
  });

  test('has no invalid path parameter: the cloud refuses such a request', async () => {
    expect((await ask('GET', `${messages()}/x`)).status).toBe(400);
    expect(scene.box.arrived).toEqual([]);
  });

  test('waits for the complete body, and is refused if the body is truncated or too large', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = new Readable({ read() {} });
    const asked = ask('POST', messages(), { headers, body });
    body.push('{"content":');
    await new Promise((resolve) => void setImmediate(resolve));
    expect(scene.box.arrived).toEqual([]);
    body.push('"x"}');
    body.push(null);
    expect((await asked).status).toBe(200);
    const broken = new Readable({ read() {} });
    setImmediate(() => broken.destroy());
    expect((await ask('POST', messages(), { headers, body: broken })).status).toBe(400);
    const large = await ask('POST', messages(), { headers, body: Buffer.alloc(1024 * 1024 + 1, ' ') });
    expect([large.status, said(large).code, scene.box.arrived.length]).toEqual([413, 40005, 1]);
  });
});

describe('a channel that a bot has just made', () => {
  test('is found before the box sends its event, and no other is', async () => {
    const { box, guild } = scene;
    const nextId = boxSnowflakes(app.clock, ID_SPACE);
    const [made, elsewhere] = [nextId(), nextId()];
    const answer = (status: number, id: unknown) => {
      box.answer = () => answerOf(status, { id, guild_id: String(guild.id), type: 0 });
    };
    const isFound = async (id: bigint) => (await app.boxRoutes.ofChannel(id)) !== null;
    answer(201, String(made));
    await ask('POST', `/guilds/${guild.id}/channels`, json({ name: 'made' }));
    expect(await isFound(made)).toBe(true);
    answer(201, String(elsewhere));
    await ask('POST', messages(), json({ content: 'x' }));
    answer(400, String(elsewhere));
    await ask('POST', `/guilds/${guild.id}/channels`, json({ name: 'made' }));
    answer(200, String(elsewhere));
    await ask('GET', `/guilds/${guild.id}/channels`);
    expect(await isFound(elsewhere)).toBe(false);
  });

  test("is not stored if it is not the box's, or its answer has none", async () => {
    const { box, guild } = scene;
    for (const id of [null, 'x', String(guild.channel.id)]) {
      box.answer = () => answerOf(201, { id, guild_id: String(guild.id), type: 0 });
      await ask('POST', `/guilds/${guild.id}/channels`, json({ name: 'made' }));
    }
    expect(await app.db.reader.boxChannel.count({ where: { guildId: guild.id } })).toBe(2);
  });
});

describe('a form with files', () => {
  async function form(boundary: string, content = 'x'): Promise<Given> {
    const lines = [`--${boundary}`, 'Content-Disposition: form-data; name="files[0]"; filename="a"', '', content];
    return {
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: Readable.from([Buffer.from([...lines, `--${boundary}--`, ''].join('\r\n'))]),
    };
  }

  test('arrives as it was sent, and no part of it is kept', async () => {
    const staged: number[] = [];
    scene.box.answer = ({ body }) => {
      staged.push(body.length);
      return answerOf(200, {});
    };
    await ask('POST', messages(), await form('abc', 'y'.repeat(100_000)));
    expect(scene.box.last.headers['content-type']).toBe('multipart/form-data; boundary=abc');
    expect(scene.box.last.body.startsWith('--abc\r\nContent-Disposition')).toBe(true);
    expect(staged[0]).toBeGreaterThan(100_000);
    const left: string[] = [];
    for await (const key of app.blobs.list('.staging')) left.push(key);
    expect(left).toEqual([]);
  });

  test('has the same fingerprint with another boundary', async () => {
    for (const given of [form('the-first-boundary'), form('another-boundary'), form('the-first-boundary', 'z')])
      await ask('POST', messages(), await given);
    const [first, again, other] = scene.box.arrived.map(({ fingerprint }) => fingerprint);
    expect([again === first, other === first]).toEqual([true, false]);
  });

  test('is refused if it is too large, after the request was read to its end', async () => {
    const { headers = {} } = await form('one');
    let sent = 0;
    const body = new Readable({
      read() {
        sent += 1024 * 1024;
        this.push(sent > 30 * 1024 * 1024 ? null : Buffer.alloc(1024 * 1024));
      },
    });
    const answer = await ask('POST', messages(), { headers, body });
    expect([answer.status, said(answer).code]).toEqual([413, 40005]);
    expect(scene.box.arrived).toEqual([]);
  });

  test('is refused if it is truncated', async () => {
    const { headers = {} } = await form('one');
    const body = new Readable({ read() {} });
    body.push('--one\r\n');
    setImmediate(() => body.destroy());
    expect((await ask('POST', messages(), { headers, body })).status).toBe(400);
  });
});

describe('the fingerprint of a write', () => {
  const of = async (method: string, path: string, given: Given = {}) => {
    await ask(method, path, given);
    return scene.box.last.fingerprint;
  };

  test('is equal for any prefix and any order of the query', async () => {
    const one = await of('POST', messages(), { ...json({ content: 'x' }), query: { a: '1', b: '2' } });
    const two = await of('POST', `/api/v10${messages()}`, { ...json({ content: 'x' }), query: { b: '2', a: '1' } });
    expect(one).toBe(two);
  });

  test('differs for another method, path, query or body', async () => {
    const all = [
      await of('PUT', `${messages()}/5/reactions/x/@me`),
      await of('DELETE', `${messages()}/5/reactions/x/@me`),
      await of('DELETE', `${messages()}/6/reactions/x/@me`),
      await of('DELETE', `${messages()}/6/reactions/x/@me`, { query: { a: '1' } }),
      await of('POST', messages(), json({ content: 'x' })),
      await of('POST', messages(), json({ content: 'y' })),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  test('does not exist for a read', async () => {
    expect(await of('GET', messages())).toBeUndefined();
  });
});

describe('the response to a bot', () => {
  test("is the box's response, with the rate limits of the cloud", async () => {
    scene.box.answer = () => answerOf(400, { message: 'no', code: 50035, errors: { content: {} } });
    const answer = await ask('POST', messages(), json({ content: 'x' }));
    expect([answer.status, said(answer)]).toEqual([400, { message: 'no', code: 50035, errors: { content: {} } }]);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers).toHaveProperty('x-ratelimit-remaining');
  });

  test('has no body if the box sent none', async () => {
    scene.box.answer = () => answerOf(204);
    const { status, body, headers } = await ask('DELETE', `${messages()}/5`);
    expect([status, body, headers['content-type']]).toEqual([204, null, undefined]);
  });

  test.each<[string, unknown, number | null, number, string]>([
    ['as long as it says', { message: 'slow', code: 20016, retry_after: 2.5 }, 3, 2.5, '3'],
    ['by its header', { message: 'slow' }, 7, 7, '7'],
    ['a minute at most', { retry_after: 1e9, global: true }, 1e9, 60, '60'],
    ['a second where it says nothing', null, null, 1, '1'],
  ])('is 429: it waits %s, for this kind of requests only', async (_how, body, retryAfter, seconds, header) => {
    scene.box.answer = () => answerOf(429, body, retryAfter);
    const answer = await ask('GET', `/guilds/${scene.guild.id}/roles`);
    expect(said(answer)).toMatchObject({ retry_after: seconds, global: false });
    expect(answer.headers).toMatchObject({ 'retry-after': header, 'x-ratelimit-scope': 'user', via: '1.1 causeway' });
    expect(answer.headers).not.toHaveProperty('x-ratelimit-global');
  });

  test('is 502 for a status 204 with a body', async () => {
    scene.box.answer = () => answerOf(204, {});
    const answer = await ask('GET', messages());
    expect([answer.status, said(answer).code, answer.headers['x-causeway-reason']]).toEqual([502, 0, 'box-malformed']);
  });

  test("is 502 for a body that is not JSON in UTF-8 or names objects that are not the box's (R-35)", async () => {
    const bodies = ['<html>', '{', '"\xff"', JSON.stringify({ id: '1234567890123456789', author: { id: '5' } })];
    for (const body of bodies) {
      scene.box.answer = () => ({ status: 200, retryAfter: null, tookMs: null, body: Buffer.from(body, 'latin1') });
      expect((await ask('GET', messages())).status).toBe(502);
    }
  });

  test('has the value that was checked if the body has a key twice', async () => {
    const body = Buffer.from(`{"id":"5","id":"${scene.guild.channel.id}"}`);
    scene.box.answer = () => ({ status: 200, retryAfter: null, tookMs: null, body });
    expect((await ask('GET', messages())).body).toBe(`{"id":"${scene.guild.channel.id}"}`);
  });

  test.each<[BoxFault, number, string]>([
    ['undecodable', 502, 'box-malformed'],
    ['offline', 503, 'box-offline'],
    ['crowded', 503, 'box-busy'],
    ['timeout', 504, 'box-timeout'],
    ['tooLong', 413, 'box-request-too-long'],
  ])('is, for %s, %i with the reason in a header', async (fault, status, reason) => {
    scene.box.answer = () => Promise.reject(new BoxError(fault, fault));
    const answer = await ask('GET', messages());
    expect([answer.status, said(answer).code, answer.headers['x-causeway-reason']]).toEqual([status, 0, reason]);
    expect(said(answer).message).toMatch(/self-hosted/);
    expect(answer.headers).toHaveProperty('x-ratelimit-remaining');
  });

  test('is 503 for a box that is known and not connected (R-42), and 404 for a channel that no box announced', async () => {
    scene.box.isConnected = false;
    const answer = await ask('GET', messages());
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    expect((await ask('GET', `/channels/${scene.guild.channel.id + 1n}/messages`)).status).toBe(404);
  });

  test('is an error of the platform for an internal fault', async () => {
    scene.box.answer = () => Promise.reject(new Error('broken'));
    expect((await ask('GET', messages())).status).toBe(500);
  });
});

test('a refusal by a box does not count against the bot, and a refusal by the cloud does', async () => {
  const noted = vi.spyOn(Admissions.prototype, 'noteAnswer');
  try {
    for (const status of [403, 429]) {
      scene.box.answer = () => answerOf(status, { message: 'no', code: 0 });
      expect((await ask('GET', messages())).status).toBe(status);
    }
    expect(noted).not.toHaveBeenCalled();
    expect((await ask('GET', messages(), { headers: { authorization: 'Bot x' } })).status).toBe(401);
    expect(noted).toHaveBeenCalledOnce();
  } finally {
    noted.mockRestore();
  }
});

describe('the response for a self-hosted server (service description, section 4)', () => {
  const path = (rest: string) => `/guilds/${scene.guild.id}${rest}`;

  test.each<[string, string, object | null, number]>([
    ['PATCH', '', { name: 'xy', description: 'z' }, 200],
    ['PATCH', '', { name: 'xy', icon: null }, 501],
    ['PATCH', '', { afk_timeout: 60 }, 501],
    ['PATCH', '/voice-states/5', { deaf: true }, 501],
    ['PATCH', '/members/5', { deaf: false }, 501],
    ['PATCH', '/members/5', { nick: 'x' }, 200],
    ['PATCH', '/vanity-url', {}, 501],
    ['PUT', '/members/5', { access_token: 'x' }, 404],
    ['GET', '/invites', null, 404],
    ['POST', '/bulk-ban', { user_ids: [] }, 404],
  ])('for %s %s with %j is %i', async (method, rest, body, status) => {
    expect((await ask(method, path(rest), body ? json(body) : {})).status).toBe(status);
  });

  test('refuses a new overwrite, and lets the box delete one: 204 if there is none', async () => {
    const overwrite = `/channels/${scene.guild.channel.id}/permissions/5`;
    const put = await ask('PUT', overwrite, json({ type: 0 }));
    expect([put.status, put.headers['x-causeway-reason']]).toEqual([501, 'not-implemented-self-hosted']);
    expect(scene.box.arrived).toEqual([]);
    const answers = [[204], [404, 10009], [404, 10003], [403, 50013]] as const;
    const statuses = [];
    for (const [status, code] of answers) {
      scene.box.answer = () => (code === undefined ? answerOf(status) : answerOf(status, { message: 'no', code }));
      statuses.push((await ask('DELETE', overwrite)).status);
    }
    expect(statuses).toEqual([204, 204, 404, 403]);
    expect(scene.box.last).toMatchObject({ method: 'DELETE', path: overwrite });
  });
});
