import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { REST } from '@discordjs/rest';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DIRECT_CHANNELS_PER_CALLER, INVITATIONS_PER_PERSON, REQUESTS_PER_CALLER } from '../../src/domain/limits.js';
import { RequestLimits } from '../../src/rest-compat/rate-limiting.js';
import { noDiscordPy, PYTHON } from '../harness/discord-py.js';
import { createApplication, signUp } from '../harness/people.js';
import { ask, openScene, type RestAnswer, type Scene } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { createChannel } from '../harness/world.js';

let server: TestServer;
let scene: Scene;

beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
});
beforeEach(async () => {
  scene = await openScene(server);
});
afterAll(() => server.stop());

const header = (answer: RestAnswer, name: string) => answer.headers.get(name);

async function sendTimes(count: number, path = scene.messages): Promise<RestAnswer[]> {
  const answers: RestAnswer[] = [];
  for (let n = 0; n < count; n += 1) answers.push(await scene.bot.post(path, { content: String(n) }));
  return answers;
}

describe('the headers of a bucket', () => {
  test('contain the limit, the remainder, the reset in seconds and an opaque name', async () => {
    const before = Date.now() / 1000;
    const [first, second] = (await sendTimes(2)) as [RestAnswer, RestAnswer];
    expect([header(first, 'x-ratelimit-limit'), header(first, 'x-ratelimit-remaining')]).toEqual(['5', '4']);
    expect(header(second, 'x-ratelimit-remaining')).toBe('3');
    const after = Number(header(first, 'x-ratelimit-reset-after'));
    expect(after).toBeGreaterThan(4);
    expect(after).toBeLessThanOrEqual(5);
    const reset = Number(header(first, 'x-ratelimit-reset'));
    expect(reset).toBeGreaterThan(before + 4);
    expect(reset).toBeLessThan(before + 10);
    expect(header(first, 'x-ratelimit-bucket')).toMatch(/^[0-9a-f]{32}$/);
    expect(header(first, 'retry-after')).toBeNull();
  });

  test('show the same bucket for all channels, with a count for each', async () => {
    const channel = await createChannel(server.app, scene.guild.id, 'second');
    const [here] = await sendTimes(1);
    const [there] = await sendTimes(1, `/channels/${channel.id}/messages`);
    expect(header(there as RestAnswer, 'x-ratelimit-bucket')).toBe(header(here as RestAnswer, 'x-ratelimit-bucket'));
    expect(header(there as RestAnswer, 'x-ratelimit-remaining')).toBe('4');
  });

  test('are also sent with refusals', async () => {
    const { status, headers } = await scene.bot.post(scene.messages, {});
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([400, '4']);
  });
});

describe('a request gets 429', () => {
  test('for the sixth message in five seconds', async () => {
    const answers = await sendTimes(6);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 429]);
    const refusal = answers[5] as RestAnswer;
    expect(refusal.body).toEqual({
      message: 'You are being rate limited.',
      code: 0,
      retry_after: expect.any(Number),
      global: false,
    });
    expect(refusal.body.retry_after).toBeLessThanOrEqual(5);
    expect(Number(header(refusal, 'retry-after'))).toBe(Math.ceil(refusal.body.retry_after));
    expect(Number(header(refusal, 'x-ratelimit-reset-after'))).toBeCloseTo(refusal.body.retry_after, 2);
    expect(header(refusal, 'x-ratelimit-remaining')).toBe('0');
    expect(header(refusal, 'x-ratelimit-scope')).toBe('user');
    expect(header(refusal, 'x-ratelimit-global')).toBeNull();
    expect(header(refusal, 'x-ratelimit-bucket')).toBe(header(answers[0] as RestAnswer, 'x-ratelimit-bucket'));
  });

  test('regardless of query, path prefix and encoding of the id', async () => {
    await sendTimes(5);
    const { origin } = server;
    const id = scene.channelId;
    const encoded = `%3${id[0]}${id.slice(1)}`;
    for (const path of [
      `${scene.messages}?x=1`,
      `${origin}/api${scene.messages}`,
      `${origin}${scene.messages}`,
      `/channels/0${id}/messages`,
      `/channels/000000000${id}/messages`,
      `/channels/${encoded}/messages`,
    ]) {
      expect((await scene.bot.post(path, { content: 'x' })).status, path).toBe(429);
    }
  });

  test('without a longer wait after each refused call', async () => {
    const [first] = await sendTimes(6);
    const end = Number(header(first as RestAnswer, 'x-ratelimit-reset'));
    for (let n = 0; n < 5; n += 1) {
      const refusal = await scene.bot.post(scene.messages, { content: 'x' });
      expect(Number(header(refusal, 'x-ratelimit-reset'))).toBeLessThan(end + 0.1);
    }
  });

  test('without effect on another bot', async () => {
    await sendTimes(5);
    expect((await scene.other.post(scene.messages, { content: 'x' })).status).toBe(200);
  });

  test('for more than 50 requests in a second over all routes', async () => {
    const paths = Array.from({ length: 6 }, (_, n) => `/channels/${n + 1}`);
    // Retried because the second may end between the count and the responses.
    const refused = await vi.waitFor(
      async () => {
        await server.app.limits.take(REQUESTS_PER_CALLER, String(scene.bot.bot.id), REQUESTS_PER_CALLER.points - 3);
        const answers = await Promise.all(paths.map((path) => scene.bot.get(path)));
        const refusals = answers.filter((answer) => answer.status === 429);
        expect(refusals).toHaveLength(3);
        return refusals;
      },
      { timeout: 10_000 },
    );
    for (const answer of refused) {
      expect(answer.body).toMatchObject({ global: true, retry_after: expect.any(Number) });
      expect(answer.body.retry_after).toBeLessThanOrEqual(1);
      expect(header(answer, 'x-ratelimit-global')).toBe('true');
      expect(header(answer, 'x-ratelimit-scope')).toBe('global');
      expect(Number(header(answer, 'retry-after'))).toBeGreaterThan(0);
    }
    expect((await scene.other.get('/users/@me')).status).toBe(200);
  });

  test('by a limit of its own for an address without a credential', async () => {
    const answers = await Promise.all(Array.from({ length: 35 }, () => ask(server, 'GET', '/gateway')));
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(5);
  });

  test.each([
    ['no credential', 401, undefined],
    ['a dead bot token', 401, 'Bot not.a.token'],
    ['what is no credential', 401, 'garbage'],
    ['a Bearer token that is not valid', 401, 'Bearer nothing'],
  ])('with %s by address, without effect on bots at that address', async (_name, status, authorization) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answers = await Promise.all(Array.from({ length: 120 }, () => ask(server, 'GET', '/users/@me', { headers })));
    const refused = answers.filter((answer) => answer.status !== status);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 429, body: { global: true, retry_after: expect.any(Number) } });
      expect(header(answer, 'x-ratelimit-global')).toBe('true');
      expect(Number(header(answer, 'retry-after'))).toBeGreaterThan(0);
    }
    expect((await scene.bot.get('/users/@me')).status).toBe(200);
  });

  test('for opening direct channels too fast (40003)', async () => {
    const open = () => scene.bot.post('/users/@me/channels', { recipient_id: String(scene.guild.owner.id) });
    for (let n = 0; n < DIRECT_CHANNELS_PER_CALLER.points; n += 1) expect((await open()).status).toBe(200);
    const refusal = await open();
    expect(refusal.status).toBe(429);
    const message = 'You are opening direct messages too fast';
    expect(refusal.body).toEqual({ message, code: 40003, retry_after: expect.any(Number), global: false });
    expect(header(refusal, 'x-ratelimit-remaining')).toBe('0');
  });

  test('for a limit of the operation instead of the route', async () => {
    const [owner, grace] = await Promise.all([signUp(server, 'owner'), signUp(server, 'grace')]);
    const { id } = await createApplication(owner);
    const { points } = INVITATIONS_PER_PERSON;
    await server.app.limits.take(INVITATIONS_PER_PERSON, `${owner.id}:${grace.id}`, points);
    const refusal = await ask(server, 'POST', `/developer-portal/applications/${id}/testers`, {
      json: { user_id: grace.id },
      headers: { authorization: `Bearer ${owner.token}` },
    });
    expect(refusal.status).toBe(429);
    expect(refusal.body).toEqual({
      message: 'You invited this user too often. Try again later.',
      code: 40062,
      retry_after: expect.any(Number),
      global: false,
    });
    expect(refusal.body.retry_after).toBeGreaterThan(590);
    expect(Number(header(refusal, 'retry-after'))).toBe(Math.ceil(refusal.body.retry_after));
    expect(header(refusal, 'x-ratelimit-scope')).toBe('user');
    expect(header(refusal, 'x-ratelimit-remaining')).toBe('9');
  });
});

describe('an unmodified @discordjs/rest', { tags: ['slow'] }, () => {
  function client(): REST {
    return new REST({ api: `${server.origin}/api`, version: '10' }).setToken(scene.bot.bot.token);
  }

  test('sends 7 messages at once in order, without a visible 429', async () => {
    const rest = client();
    const limited: unknown[] = [];
    rest.on('rateLimited', (info) => limited.push(info));
    const sends = Array.from({ length: 7 }, (_, n) =>
      rest.post(`/channels/${scene.channelId}/messages`, { body: { content: String(n) } }),
    );
    const sent = (await Promise.all(sends)) as { id: string; content: string }[];
    expect(sent.map((message) => message.content)).toEqual(['0', '1', '2', '3', '4', '5', '6']);
    expect(sent.map((message) => message.id)).toEqual(sent.map((message) => message.id).sort());
    expect(limited.length).toBeGreaterThan(0);
  });

  test('waits for the end of a global 429', async () => {
    const rest = client();
    const paths = Array.from({ length: 70 }, (_, n) => scene.bot.get(`/channels/${n + 1}`));
    await Promise.all(paths);
    await expect(rest.get('/users/@me')).resolves.toMatchObject({ id: scene.bot.id });
  });
});

describe('an unmodified discord.py', { tags: ['slow'] }, () => {
  test.skipIf(noDiscordPy)(
    needing(noDiscordPy, 'waits after a 429 and then sends its message'),
    async () => {
      await sendTimes(5);
      const script = fileURLToPath(new URL('./discord_py_sender.py', import.meta.url));
      const { stdout } = await promisify(execFile)(PYTHON, [script], {
        env: { ORIGIN: server.origin, BOT_TOKEN: scene.bot.bot.token, CHANNEL_ID: scene.channelId },
      });
      expect(stdout.trim()).toBe('sent from discord.py');
    },
    20_000,
  );
});

describe('an address that is refused 10,000 times in ten minutes', () => {
  test('is blocked; another address is not', async () => {
    const limits = new RequestLimits(server.app);
    for (let n = 0; n < 9_999; n += 1) await limits.noteAnswer('192.0.2.1', 401);
    for (const status of [200, 204, 400, 404, 405, 413, 500]) await limits.noteAnswer('192.0.2.1', status);
    expect(await limits.isShutOut('192.0.2.1')).toBeNull();
    await limits.noteAnswer('192.0.2.1', 403);
    const verdict = await limits.isShutOut('192.0.2.1');
    expect(verdict?.refusal).toMatchObject({ status: 429, body: { global: true } });
    expect(Number(verdict?.refusal?.headers?.['retry-after'])).toBeGreaterThan(500);
    expect(await limits.isShutOut('192.0.2.2')).toBeNull();
  });
});
