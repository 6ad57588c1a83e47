import { describe, expect } from 'vitest';
import { deleteApplication, resetBotToken } from '../../src/domain/applications/index.js';
import { test } from '../harness/fixtures.js';
import { ask, openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { callOf, createBot } from '../harness/world.js';

let server: TestServer;
let scene: Scene;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});

const whoAmI = (authorization?: string) =>
  ask(server, 'GET', '/users/@me', { headers: authorization === undefined ? {} : { authorization } });

describe('a bot token is accepted', () => {
  test.each(['Bot', 'bot', 'BOT'])('with the scheme %s', async (scheme) => {
    expect((await whoAmI(`${scheme} ${scene.bot.bot.token}`)).status).toBe(200);
  });

  test('with extra spaces around and after the scheme', async () => {
    expect((await whoAmI(`Bot   ${scene.bot.bot.token}  `)).status).toBe(200);
  });
});

describe('a credential is refused with 401', () => {
  test('with code 0 for a dead or made-up bot token, at which libraries stop', async () => {
    const { token } = scene.bot.bot;
    const [id, time, secret] = token.split('.') as [string, string, string];
    const other = Buffer.from('123456789012345678').toString('base64url');
    const flipped = `${id}.${time}.${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`;
    for (const dead of [flipped, `${other}.${time}.${secret}`, `${id}.${time}`, `${token}.x`, '..', 'x', `${token}x`]) {
      const { status, body } = await whoAmI(`Bot ${dead}`);
      expect({ status, body }, dead).toEqual({ status: 401, body: { message: '401: Unauthorized', code: 0 } });
    }
  });

  test('with code 0 for a bot token of an impossible id', async () => {
    const ids = ['', 'x', '-1', '0', '1', '9223372036854775807', '9223372036854775808', '9'.repeat(19), '9'.repeat(40)];
    for (const id of ids) {
      const { status, body } = await whoAmI(`Bot ${Buffer.from(id).toString('base64url')}.a.b`);
      expect({ id, status, code: body.code }).toEqual({ id, status: 401, code: 0 });
    }
  });

  test.each(['', 'Bot', 'Bot ', 'garbage', 'Basic dXNlcjpwYXNz', 'Bot two words', 'Bearer'])(
    'with code 50014 for a malformed header: "%s"',
    async (header) => {
      const { status, body } = await whoAmI(header);
      expect({ status, code: body.code }).toEqual({ status: 401, code: header === '' ? body.code : 50014 });
    },
  );

  test('with code 50014 for a bot token without its scheme', async () => {
    expect((await whoAmI(scene.bot.bot.token)).body.code).toBe(50014);
  });

  test('with code 50025 for an invalid Bearer token', async () => {
    const { status, body } = await whoAmI('Bearer nothing');
    expect({ status, code: body.code }).toEqual({ status: 401, code: 50025 });
  });

  test('at once when the token is replaced', async () => {
    const bot = await createBot(server.app);
    expect((await whoAmI(`Bot ${bot.token}`)).status).toBe(200);
    await resetBotToken(callOf(server.app, bot.owner), bot.id);
    expect((await whoAmI(`Bot ${bot.token}`)).status).toBe(401);
  });

  test('if its application was deleted', async () => {
    const bot = await createBot(server.app);
    expect((await whoAmI(`Bot ${bot.token}`)).status).toBe(200);
    await deleteApplication(callOf(server.app, bot.owner), { applicationId: bot.id, name: bot.user.username });
    expect((await whoAmI(`Bot ${bot.token}`)).status).toBe(401);
  });

  test('without repeating the token', async () => {
    const { body } = await whoAmI('Bot very.secret.token');
    expect(JSON.stringify(body)).not.toContain('secret');
  });
});
