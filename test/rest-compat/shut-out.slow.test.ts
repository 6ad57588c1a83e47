import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createBotToken } from '../../src/domain/applications/bot-tokens.js';
import { flood } from '../harness/flood.js';
import { grantCode, inForm, postForm, REDIRECT_URI } from '../harness/oauth.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../harness/people.js';
import { ask, RestBot } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { statementsOf } from '../harness/statements.js';
import { createBot } from '../harness/world.js';

vi.setConfig({ testTimeout: 90_000 });

let server: TestServer;
let names = 0;
beforeEach(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  return () => server.stop();
});

/** Slightly more refusals than the limit. */
const ENOUGH = 10_050;

const dead = { authorization: 'Bot x.y.z' };

function madeUp(): { authorization: string } {
  return { authorization: `Bot ${createBotToken(server.app.nextId(), Date.now()).token}` };
}

const asPerson = ({ token }: Person) => ({ headers: { authorization: `Bearer ${token}` } });

test('10,000 refusals of an address block callers without a valid credential there, and no other callers', async () => {
  const ada = await signUp(server, `ada${++names}`);
  const known = new RestBot(server, await createBot(server.app));
  expect((await known.get('/users/@me')).status).toBe(200);

  const statuses = await flood(server, '/api/v10/users/@me', ENOUGH, () => dead);
  expect((statuses['401'] ?? 0) + (statuses['429'] ?? 0)).toBe(ENOUGH);

  for (const headers of [dead, {}, { authorization: 'Bearer nothing' }]) {
    const refused = await ask(server, 'GET', '/users/@me', { headers });
    expect(refused).toMatchObject({ status: 429, body: { global: true } });
    expect(refused.body.retry_after).toBeGreaterThan(500);
    expect(refused.body.retry_after).toBeLessThanOrEqual(600);
  }
  const unknownYet = new RestBot(server, await createBot(server.app));
  for (const bot of [known, unknownYet]) {
    expect((await bot.get('/users/@me')).status).toBe(200);
    expect((await bot.get('/gateway/bot')).status).toBe(200);
    expect((await bot.get('/gateway')).status).toBe(200);
    expect((await bot.get('/channels/1')).status).toBe(404);
  }
  expect((await ask(server, 'GET', '/developer-portal/teams', asPerson(ada))).status).toBe(200);
  expect((await ask(server, 'GET', '/developer-portal/teams', { headers: { cookie: ada.cookie } })).status).toBe(200);
});

test('10,000 refusals of a valid bot block only that bot', async () => {
  const [wild, neighbour] = [await createBot(server.app), new RestBot(server, await createBot(server.app))];
  await flood(server, '/api/v10/developer-portal/teams', ENOUGH, () => ({ authorization: `Bot ${wild.token}` }));
  const refused = await new RestBot(server, wild).get('/users/@me');
  expect(refused).toMatchObject({ status: 429, body: { global: true } });
  expect(refused.body.retry_after).toBeGreaterThan(500);
  expect(Number(refused.headers.get('retry-after'))).toBe(Math.ceil(refused.body.retry_after));
  expect((await neighbour.get('/users/@me')).status).toBe(200);
  expect((await ask(server, 'GET', '/users/@me')).status).toBe(401);
  expect((await ask(server, 'GET', '/gateway')).status).toBe(200);
});

test('a refusal with a valid credential counts against the credential', async () => {
  const bot = new RestBot(server, await createBot(server.app));
  await flood(server, '/api/v10/users/@me', 200, () => dead);
  expect(await bot.get('/developer-portal/teams')).toMatchObject({ status: 403, body: { code: 20001 } });
});

describe('a Bearer token of OAuth2', () => {
  let ada: Person;
  let application: MadeApplication;
  let token: string;
  beforeEach(async () => {
    ada = await signUp(server, `ada${++names}`);
    application = await createApplication(ada);
    await update(ada, application.id, { redirectUris: [REDIRECT_URI] });
    const code = await grantCode(server, ada, application);
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...inForm(application) };
    token = (await postForm(server, form)).body.access_token;
  });

  test('is counted separately from the user who granted it', async () => {
    await flood(server, '/api/v10/developer-portal/teams', ENOUGH, () => ({ authorization: `Bearer ${token}` }));
    const headers = { authorization: `Bearer ${token}` };
    expect((await ask(server, 'GET', '/users/@me', { headers })).status).toBe(429);
    expect((await ask(server, 'GET', '/developer-portal/teams', asPerson(ada))).status).toBe(200);
  });

  test('is not refused because of invalid ones at its address', async () => {
    await flood(server, '/api/v10/users/@me', ENOUGH, (n) => ({ authorization: `Bearer made-up-${n}` }));
    const headers = { authorization: `Bearer ${token}` };
    expect((await ask(server, 'GET', '/users/@me', { headers })).status).toBe(200);
  });
});

describe('made-up credentials cost few database queries', () => {
  test.each([
    ['tokens of bots that do not exist', '/api/v10/users/@me', () => madeUp()],
    ['Bearer tokens', '/api/v10/users/@me', (n: number) => ({ authorization: `Bearer made-up-${n}` })],
    ['sessions', '/api/v10/developer-portal/teams', (n: number) => ({ authorization: `Bearer madeup${n}` })],
  ])('%s: 300 at once cause fewer than 300 look-ups', async (_what, path, make) => {
    const headers: Record<string, string>[] = Array.from({ length: 300 }, (_, n) => make(n));
    const startedAt = performance.now();
    const statements = await statementsOf(() => flood(server, path, 300, (n) => headers[n] ?? {}));
    // Look-ups are batched at most forty times a second, for two kinds of credentials. A slow machine has time for
    // more.
    const lookUps = (performance.now() - startedAt) / 24;
    expect(statements.filter((sql) => /select/i.test(sql)).length).toBeLessThan(Math.max(60, 2 * lookUps + 10));
  });

  test("an id beyond the database's range is unknown, and does not affect other look-ups", async () => {
    const id = Buffer.from('9999999999999999999').toString('base64url');
    const good = await createBot(server.app);
    const answers = await Promise.all([
      ask(server, 'GET', '/users/@me', { headers: { authorization: `Bot ${id}.a.b` } }),
      new RestBot(server, good).get('/users/@me'),
      ask(server, 'GET', '/users/@me', { headers: madeUp() }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 200, 401]);
  });
});
