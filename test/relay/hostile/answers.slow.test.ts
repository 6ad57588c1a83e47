import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_KEPT_BYTES } from '../../../src/relay/cloud/connections/response-quota.js';
import { askHonest, type HostileScene, openHostile } from '../../harness/hostile.js';
import type { RestAnswer } from '../../harness/rest.js';

let scene: HostileScene;
beforeAll(async () => {
  scene = await openHostile();
});
afterAll(() => scene.stop());

const stranger = () => ({ id: String(scene.cloudGuild.owner.id), username: 'ada' });

interface Said {
  status?: number;
  headers?: Record<string, string>;
  text?: string;
  /** The announced length. Default: the actual length. */
  length?: number;
}

/** Lets the bot request the box's guild, and the box answer with this. */
async function askGuild({ status = 200, headers = {}, text = '{}', length }: Said): Promise<RestAnswer> {
  const asked = scene.bot.get(`/guilds/${scene.guild.id}/roles`);
  const { relay } = scene.box;
  const { id } = await relay.next('request');
  relay.send({ op: 'response', id, status, headers, body: length ?? Buffer.byteLength(text) });
  relay.sendBody(id, text);
  return asked;
}

const json = (value: unknown) => JSON.stringify(value);

describe("R-21, R-35: an invalid answer is 502, and logged with the box's id", () => {
  it.each<[string, () => Said]>([
    ...[304, 301, 307, 401, 600, 999, 199, 100].map((status): [string, () => Said] => [
      `status ${status}`,
      () => ({ status }),
    ]),
    ['a body with 204', () => ({ status: 204 })],
    ['no JSON', () => ({ text: '<html></html>' })],
    ['half of JSON', () => ({ text: '[{' })],
    ['JSON that is too deep', () => ({ text: '['.repeat(65) + ']'.repeat(65) })],
    ['a megabyte of brackets', () => ({ text: '['.repeat(500_000) + ']'.repeat(500_000) })],
    ['a million keys', () => ({ text: `{${Array.from({ length: 500_000 }, (_, i) => `"${i}":0`).join()}}` })],
    ['more than an answer may be', () => ({ length: 9 * 1024 * 1024, text: 'x' })],
    ['a person of the cloud', () => ({ text: json([{ user: stranger() }]) })],
    [
      'a person of the cloud in an error',
      () => ({ status: 403, text: json({ code: 0, message: '', user: stranger() }) }),
    ],
    ['a person of the cloud within the prototype', () => ({ text: `{"__proto__":{"user":${json(stranger())}}}` })],
    ['a person of the cloud as the constructor', () => ({ text: `{"constructor":{"prototype":${json(stranger())}}}` })],
    ['another guild', () => ({ text: json({ guild_id: String(scene.cloudGuild.id) }) })],
    ["another's channel", () => ({ text: json([{ id: String(scene.cloudGuild.channel.id), type: 0 }]) })],
    ["a neighbour's channel", () => ({ text: json([{ id: scene.honest.guild.channels[0], type: 0 }]) })],
    [
      "another's webhook",
      () => ({ text: json([{ webhook_id: scene.webhook.id, author: { id: scene.bot.id, bot: true } }]) }),
    ],
  ])('%s', async (_what, said) => {
    await scene.begin();
    const before = scene.loggedOf().length;
    const answer = await askGuild(said());
    expect(answer).toMatchObject({ status: 502, body: { code: 0 } });
    expect(answer.headers.get('x-causeway-reason')).toBe('box-malformed');
    expect(scene.loggedOf().slice(before)).not.toEqual([]);
    expect(await askHonest(scene)).toBe(204);
  });

  it.each<[string, (id: number) => (object | Buffer)[]]>([
    ['on another stream', (id) => [{ op: 'response', id: id + 1, status: 200, headers: {}, body: 0 }]],
    ['twice', (id) => Array(2).fill({ op: 'response', id, status: 204, headers: {}, body: 0 })],
    [
      'longer than announced',
      (id) => [{ op: 'response', id, status: 200, headers: {}, body: 2 }, Buffer.from([0, 0, 0, id, 0x7b, 0x7d, 0x20])],
    ],
    ['with a status that is text', (id) => [{ op: 'response', id, status: '200', headers: {}, body: 0 }]],
    ['of less than nothing', (id) => [{ op: 'response', id, status: 200, headers: {}, body: -1 }]],
    ['with headers that are no text', (id) => [{ op: 'response', id, status: 200, headers: { a: 1 }, body: 0 }]],
  ])('R-3, R-22: an answer %s closes 4002', async (_what, messages) => {
    await scene.begin();
    const { relay } = scene.box;
    const before = scene.loggedOf().length;
    const asked = scene.bot.post(`/channels/${scene.guild.channels[0]}/typing`, {});
    const { id } = await relay.next('request');
    for (const message of messages(id)) relay.send(message);
    expect(await relay.closed).toMatchObject({ code: 4002 });
    expect([204, 502]).toContain((await asked).status);
    await expect.poll(() => scene.loggedOf().slice(before)).toContainEqual(expect.objectContaining({ code: 4002 }));
    expect(await askHonest(scene)).toBe(204);
  });
});

describe('R-21: the headers of an answer', () => {
  const HEADERS = {
    'set-cookie': 'session=1',
    location: 'https://a.example',
    'content-type': 'text/html',
    'www-authenticate': 'Basic',
    'x-ratelimit-limit': '0',
    'X-RateLimit-Global': 'true',
    'access-control-allow-origin': '*',
    'clear-site-data': '"*"',
    connection: 'close',
    'transfer-encoding': 'chunked',
    'content-length': '7',
    'x-causeway-reason': 'a\r\nset-cookie: b=1',
  };

  it('are dropped except Retry-After, and the type is JSON', async () => {
    await scene.begin();
    const { status, headers } = await askGuild({ headers: { ...HEADERS, 'Retry-After': '3' }, text: '[]' });
    expect({ status, type: headers.get('content-type'), retry: headers.get('retry-after') }).toEqual({
      status: 200,
      type: 'application/json',
      retry: '3',
    });
    for (const name of Object.keys(HEADERS)) {
      if (['connection', 'content-type', 'content-length'].includes(name)) continue;
      expect([name, headers.get(name)]).not.toEqual([name, Reflect.get(HEADERS, name)]);
    }
    expect(headers.get('x-ratelimit-global')).toBeNull();
  });

  it('are dropped if there are nine thousand', async () => {
    await scene.begin();
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`x-${index}`, 'x']));
    const { status, headers } = await askGuild({ headers: many, text: '[]' });
    expect([status, headers.get('x-5')]).toEqual([200, null]);
  });

  it.each([
    ['-1', null],
    ['1000000000000', null],
    ['1e3', null],
    ['Infinity', null],
    ['soon', null],
    ['3600', '60'],
    ['0.2', '1'],
  ])('with a Retry-After of %s become %s', async (value, retry) => {
    await scene.begin();
    const { headers } = await askGuild({
      status: 500,
      headers: { 'retry-after': value },
      text: '{"message":"","code":0}',
    });
    expect(headers.get('retry-after')).toBe(retry);
  });

  it.each([-5, 1e12, 1e308, '9', null])(
    'with 429 for %s s limit the bot for a minute at most, and for these requests only',
    async (seconds) => {
      await scene.begin();
      const text = json({ message: 'wait', code: 0, retry_after: seconds, global: true });
      const { status, headers, body } = await askGuild({ status: 429, headers: { 'retry-after': '99999' }, text });
      expect(status).toBe(429);
      expect(body.global).toBe(false);
      expect(body.retry_after).toBeGreaterThan(0);
      expect(body.retry_after).toBeLessThanOrEqual(60);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(headers.get('x-ratelimit-global')).toBeNull();
      expect(await askHonest(scene)).toBe(204);
    },
  );

  it('do not affect text: NUL, lone surrogates and bidirectional overrides reach the bot as JSON', async () => {
    await scene.begin();
    const name = 'a\u0000b \u202Egnp.exe \ud800 <script>';
    const { status, body } = await askGuild({ status: 403, text: json({ message: name, code: 50_013 }) });
    expect([status, body.message]).toEqual([403, name]);
  });
});

describe('R-24: incomplete answers', () => {
  const LENGTH = 8 * 1024 * 1024;

  it('take no more than the quota of one box; further ones are 503, and other boxes are not affected', async () => {
    await scene.begin();
    const { relay } = scene.box;
    const many = MAX_KEPT_BYTES.box / LENGTH;
    const asked = Array.from({ length: many + 1 }, () => scene.bot.get(`/guilds/${scene.guild.id}`));
    const ids: number[] = [];
    while (ids.length < many + 1) ids.push((await relay.next('request')).id);
    for (const id of ids) relay.send({ op: 'response', id, status: 200, headers: {}, body: LENGTH });
    const refused = await Promise.race(asked);
    expect(refused).toMatchObject({ status: 503, body: { code: 0 } });
    expect(refused.headers.get('x-causeway-reason')).toBe('box-busy');
    expect(await askHonest(scene)).toBe(204);
    relay.cut();
    const statuses = (await Promise.all(asked)).map(({ status }) => status).sort();
    expect(statuses).toEqual([503, ...Array(many).fill(504)]);
  });

  it('free the quota once the connection is closed', async () => {
    await scene.begin();
    const text = json({ message: 'x'.repeat(7 * 1024 * 1024), code: 0 });
    const { relay } = scene.box;
    const asked = scene.bot.get(`/guilds/${scene.guild.id}`);
    const { id } = await relay.next('request');
    relay.send({ op: 'response', id, status: 403, headers: {}, body: text.length });
    // The credit of a stream is half a megabyte.
    for (let at = 0; at < text.length; at += 262_144) {
      relay.sendBody(id, text.slice(at, at + 262_144));
      if (at + 262_144 < text.length) await relay.next('credit');
    }
    expect((await asked).status).toBe(403);
  });

  it('are 502 if they are broken off, and no request waits for the rest', async () => {
    await scene.begin();
    const { relay } = scene.box;
    const asked = scene.bot.get(`/guilds/${scene.guild.id}`);
    const { id } = await relay.next('request');
    relay.send({ op: 'response', id, status: 200, headers: {}, body: 10 });
    relay.send({ op: 'cancelled', id });
    expect((await asked).status).toBe(502);
  });
});
