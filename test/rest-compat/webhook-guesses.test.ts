import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { deleteApplication } from '../../src/domain/applications/index.js';
import {
  WEBHOOK_CHECKS,
  WEBHOOK_CHECKS_PER_ADDRESS,
  WEBHOOK_FAILURES_AT_HOME,
  WEBHOOK_FAILURES_PER_ADDRESS,
  WEBHOOK_FAILURES_PER_WEBHOOK,
} from '../../src/domain/limits.js';
import { deleteWebhook } from '../../src/domain/webhooks/index.js';
import { makeWebhookToken } from '../../src/domain/webhooks/tokens.js';
import type { Limit } from '../../src/infra/rate-limits.js';
import { ManualClock } from '../harness/clock.js';
import { failStatements } from '../harness/faults.js';
import { missingForSeveralProcesses, REDIS_URL } from '../harness/redis.js';
import { ask, type RestAnswer } from '../harness/rest.js';
import { migratedDatabase, startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { callOf, createBotInGuild, createWebhook, type TestBot, type TestGuild } from '../harness/world.js';

let server: TestServer;
let guild: TestGuild;
let bot: TestBot;
let webhook: { id: string; token: string };
const clock = new ManualClock();
/** The secrets that tokens were checked against since the test began. */
let checks: (string | null)[];
let names = 0;
/** The test's own address, and a prefix of other addresses. */
let address: string;
let network: string;

beforeAll(async () => {
  server = await startServer({ clock, env: { RATE_LIMITS: 'on', TRUST_PROXY: '1' } });
  const { slowHashes } = server.app;
  const { matches } = slowHashes;
  slowHashes.matches = (token, stored, asker) => {
    checks.push(stored);
    return matches.call(slowHashes, token, stored, asker);
  };
  ({ bot, guild } = await createBotInGuild(server.app));
});
beforeEach(async () => {
  names += 1;
  network = `198.51.${names}`;
  address = `${network}.200`;
  webhook = await createWebhook(server.app, guild, bot);
  checks = [];
});
afterEach(() => vi.useRealTimers());
afterAll(() => server.stop());

interface Shown {
  id?: string;
  token?: string;
  from?: string;
  at?: TestServer;
}

function show({
  id = webhook.id,
  token = webhook.token,
  from = address,
  at = server,
}: Shown = {}): Promise<RestAnswer> {
  return ask(at, 'GET', `/webhooks/${id}/${token}`, { headers: { 'x-forwarded-for': from } });
}

const wrong = (shown: Shown = {}) => show({ token: other(webhook.token), ...shown });

const statusOf = async (answer: Promise<RestAnswer>) => (await answer).status;

function other(token: string): string {
  return `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
}

/** Uses up a limit except for `left` points. */
async function spend(limit: Limit, key: string, left = 0, { app } = server): Promise<void> {
  await app.limits.take(limit, key, limit.points - left);
}

const failuresOf = async (limit: Limit, key: string) =>
  limit.points - (await server.app.limits.peek(limit, key)).remaining;

const counted = () =>
  Promise.all([
    failuresOf(WEBHOOK_FAILURES_PER_ADDRESS, address),
    failuresOf(WEBHOOK_FAILURES_PER_WEBHOOK, webhook.id),
    failuresOf(WEBHOOK_FAILURES_AT_HOME, `${webhook.id}:${address}`),
  ]);

describe('a token is checked once, whatever is wrong', () => {
  const notThere = async () => String(server.app.nextId());
  const deleted = async () => {
    await deleteWebhook(callOf(server.app, guild.owner), BigInt(webhook.id));
    return webhook.id;
  };
  const withoutApplication = async () => {
    const lost = await createBotInGuild(server.app);
    const { id } = await createWebhook(server.app, lost.guild, lost.bot);
    const { id: applicationId, user } = lost.bot;
    await deleteApplication(callOf(server.app, lost.guild.owner), { applicationId, name: user.username });
    return id;
  };

  test.each([
    ['nothing', async () => ({}), 200],
    ['its secret', async () => ({ token: other(webhook.token) }), 401],
    ['its prefix', async () => ({ token: `WH.AAAAAAAA${webhook.token.slice(11)}` }), 401],
    ['all of it', async () => ({ token: makeWebhookToken() }), 401],
    ['an id that there is not', async () => ({ id: await notThere() }), 404],
    ['an id that cannot be', async () => ({ id: 'x' }), 404],
    ['an id beyond all ids', async () => ({ id: '9'.repeat(30) }), 404],
    ['a deleted webhook', async () => ({ id: await deleted() }), 404],
    ['the webhook of a deleted application', async () => ({ id: await withoutApplication() }), 404],
  ])('with %s', async (_what, shown: () => Promise<Shown>, status) => {
    const asked = await shown();
    checks = [];
    const { body, ...answer } = await show(asked);
    expect([answer.status, checks.length]).toEqual([status, 1]);
    if (status !== 200) expect(body.code).toBe(status === 401 ? 50027 : 10015);
    expect(await failuresOf(WEBHOOK_FAILURES_PER_ADDRESS, address)).toBe(status === 200 ? 0 : 1);
  });

  test.each([
    ['GET', ''],
    ['POST', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/messages/1'],
    ['PATCH', '/messages/1'],
    ['DELETE', '/messages/1'],
    ['PATCH', '/messages/@original'],
  ])('except if it is malformed: %s …%s', async (method, behind) => {
    const { token } = webhook;
    const headers = { 'x-forwarded-for': address };
    for (const malformed of [
      '',
      'x',
      'WH.',
      token.slice(0, -1),
      `${token}A`,
      `WH.${token}`,
      token.toLowerCase(),
      '%00',
    ]) {
      const json = method === 'POST' || method === 'PATCH' ? { json: { content: 'x' } } : {};
      const path = `/webhooks/${webhook.id}/${malformed}${behind}`;
      const { status, body } = await ask(server, method, path, { headers, ...json });
      expect([malformed, status, body.code]).toEqual([malformed, 401, 50027]);
    }
    expect(checks).toEqual([]);
    expect(await counted()).toEqual([0, 0, 0]);
  });
});

describe('an address', () => {
  test('is refused without a check after fifty failures in a minute', { tags: ['slow'] }, async () => {
    const statuses = await Promise.all(Array.from({ length: 60 }, () => statusOf(wrong())));
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(50);
    expect([checks.length, (await counted())[0]]).toEqual([50, 50]);
    expect(await statusOf(show())).toBe(429);
    expect(checks).toHaveLength(50);
    expect(await statusOf(show({ from: `${network}.1` }))).toBe(200);
  });

  test('is refused after its quota of checks over all webhooks', async () => {
    await spend(WEBHOOK_CHECKS_PER_ADDRESS, address, 1);
    expect([await statusOf(show()), await statusOf(show())]).toEqual([200, 429]);
    expect(await statusOf(show({ from: `${network}.1` }))).toBe(200);
  });

  test("is refused with a retry time and Discord's message", async () => {
    await spend(WEBHOOK_FAILURES_PER_ADDRESS, address);
    const { status, headers, body } = await wrong();
    expect(status).toBe(429);
    expect(body).toEqual({
      message: 'You are being rate limited.',
      code: 40062,
      retry_after: expect.any(Number),
      global: false,
    });
    expect(body.retry_after).toBeGreaterThan(50);
    expect(body.retry_after).toBeLessThanOrEqual(60);
    expect(Number(headers.get('retry-after'))).toBe(Math.ceil(body.retry_after));
    expect(headers.get('x-ratelimit-scope')).toBe('user');
  });

  test('is counted over all webhooks and ids together, including unknown ones', async () => {
    await spend(WEBHOOK_FAILURES_PER_ADDRESS, address, 2);
    const another = await createWebhook(server.app, guild, bot);
    expect(await statusOf(wrong({ id: '12345' }))).toBe(404);
    expect(await statusOf(wrong())).toBe(401);
    expect(await statusOf(show(another))).toBe(429);
    expect(await statusOf(wrong({ id: '54321' }))).toBe(429);
    expect(checks).toHaveLength(2);
  });

  test('is no longer counted at the webhook once it is refused, and so blocks no other callers', async () => {
    await spend(WEBHOOK_FAILURES_PER_ADDRESS, address);
    for (let n = 0; n < 5; n += 1) await wrong();
    expect(await failuresOf(WEBHOOK_FAILURES_PER_WEBHOOK, webhook.id)).toBe(0);
  });

  test('may try again after its minute', async () => {
    await spend(WEBHOOK_FAILURES_PER_ADDRESS, address);
    await spend(WEBHOOK_FAILURES_PER_WEBHOOK, webhook.id);
    expect(await statusOf(show())).toBe(429);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect(await statusOf(show())).toBe(200);
  });
});

describe('a webhook', () => {
  test('is refused for new addresses without a check, after a hundred failures from anywhere', async () => {
    await spend(WEBHOOK_FAILURES_PER_WEBHOOK, webhook.id, 2);
    const from = (n: number) => ({ from: `${network}.${n}` });
    expect([await statusOf(wrong(from(1))), await statusOf(wrong(from(2)))]).toEqual([401, 401]);
    const refused = await wrong(from(3));
    expect([refused.status, refused.body.code, refused.body.global]).toEqual([429, 40062, false]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect([await statusOf(show()), checks.length]).toEqual([429, 2]);
    const another = await createWebhook(server.app, guild, bot);
    expect(await statusOf(show({ ...another, ...from(3) }))).toBe(200);
  });

  test('is still available where its token succeeded, while others guess', async () => {
    expect(await statusOf(show())).toBe(200);
    await spend(WEBHOOK_FAILURES_PER_WEBHOOK, webhook.id);
    expect(await statusOf(wrong({ from: `${network}.1` }))).toBe(429);
    expect([await statusOf(show()), await statusOf(wrong()), await statusOf(show())]).toEqual([200, 401, 200]);
    expect(await counted()).toEqual([0, 100, 1]);
  });

  test('is still available where its token succeeded, while others at the address guess at other webhooks', async () => {
    expect(await statusOf(show())).toBe(200);
    await spend(WEBHOOK_FAILURES_PER_ADDRESS, address);
    expect(await statusOf(wrong({ id: String(server.app.nextId()) }))).toBe(429);
    expect(await statusOf(show())).toBe(200);
  });

  test('has a quota of token checks per address, valid or not', async () => {
    await spend(WEBHOOK_CHECKS, `${webhook.id}:${address}`, 2);
    expect([await statusOf(show()), await statusOf(wrong()), await statusOf(show())]).toEqual([200, 401, 429]);
    expect(checks).toHaveLength(2);
    expect(await statusOf(show({ from: `${network}.1` }))).toBe(200);
  });

  test('is refused after failures even where its token succeeded', async () => {
    await show();
    await spend(WEBHOOK_FAILURES_AT_HOME, `${webhook.id}:${address}`);
    expect(await statusOf(show())).toBe(429);
    expect(await statusOf(show({ from: `${network}.1` }))).toBe(200);
  });

  test('remembers for an hour where its token succeeded', async () => {
    await show();
    await spend(WEBHOOK_FAILURES_PER_WEBHOOK, webhook.id);
    clock.advance(3_599_000);
    expect(await statusOf(show())).toBe(200);
    clock.advance(3_601_000);
    expect(await statusOf(show())).toBe(429);
  });

  test("is refused at an address where only another webhook's token succeeded", async () => {
    const another = await createWebhook(server.app, guild, bot);
    await show(another);
    await spend(WEBHOOK_FAILURES_PER_WEBHOOK, webhook.id);
    expect(await statusOf(show())).toBe(429);
  });
});

describe('only failures count', () => {
  test('valid tokens are only limited by their bucket', async () => {
    const answers = [];
    for (let n = 0; n < 60; n += 1) answers.push(await show());
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(refused.map(() => [429, 0]));
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(30);
    expect(checks).toHaveLength(60);
    expect(await counted()).toEqual([0, 0, 0]);
  });

  test('a failing database does not count', async () => {
    const failing = failStatements(/FROM\W+(\w+\W+)?Webhook\W/);
    try {
      expect(await statusOf(show())).toBe(500);
    } finally {
      failing.heal();
    }
    expect(failing.count()).toBeGreaterThan(0);
    expect(await counted()).toEqual([0, 0, 0]);
    expect(await statusOf(show())).toBe(200);
  });

  test('a full queue of checks does not count', { tags: ['slow'] }, async () => {
    const { slowHashes } = server.app;
    let isOver = false;
    // Admitted callers ask again immediately, so that the queue stays full.
    const asking = async (asker: string) => {
      while (!isOver) await slowHashes.matches('x', null, asker);
    };
    const busy = Array.from({ length: 200 }, (_, n) => asking(`${n}`).catch(() => {}));
    const { status, headers, body } = await show();
    expect([status, headers.get('retry-after'), body.retry_after, body.global]).toEqual([429, '1', 1, false]);
    isOver = true;
    await Promise.all(busy);
    expect(await counted()).toEqual([0, 0, 0]);
    expect(await statusOf(show())).toBe(200);
  });
});

test('a token is refused if its webhook is deleted while it is checked', async () => {
  const { slowHashes } = server.app;
  const before = Array.from({ length: 30 }, (_, n) => slowHashes.matches('x', null, `${n}`));
  checks = [];
  const answers = Array.from({ length: 5 }, () =>
    ask(server, 'POST', `/webhooks/${webhook.id}/${webhook.token}`, {
      json: { content: 'too late' },
      headers: { 'x-forwarded-for': address },
    }),
  );
  await expect.poll(() => checks.length).toBe(5);
  expect(checks).not.toContain(null);
  await deleteWebhook(callOf(server.app, guild.owner), BigInt(webhook.id));
  for (const { status, body } of await Promise.all(answers)) expect([status, body.code]).toEqual([404, 10015]);
  expect(await server.app.db.reader.message.count({ where: { content: 'too late' } })).toBe(0);
  await Promise.all(before);
});

const missing = await missingForSeveralProcesses();

test.skipIf(missing)(needing(missing, 'processes that share a Redis count failures together'), async () => {
  const database = await migratedDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-guesses-'));
  const env = { DATABASE_URL: database?.url ?? '', REDIS_URL, DATA_DIR: dataDir, RATE_LIMITS: 'on', TRUST_PROXY: '1' };
  const [first, second] = await Promise.all([startServer({ env }), startServer({ env })]);
  const shared = await createBotInGuild(first.app);
  webhook = await createWebhook(first.app, shared.guild, shared.bot);
  // Other tests share this Redis.
  const own = (n: number) => ({ from: `2001:db8:${(Number(webhook.id) % 65_536).toString(16)}:${n}::1` });
  await spend(WEBHOOK_FAILURES_PER_WEBHOOK, webhook.id, 2, first);
  expect(await statusOf(wrong({ ...own(1), at: first }))).toBe(401);
  expect(await statusOf(wrong({ ...own(2), at: second }))).toBe(401);
  for (const at of [first, second]) expect(await statusOf(show({ ...own(3), at }))).toBe(429);
  await Promise.all([first.stop(), second.stop()]);
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});
