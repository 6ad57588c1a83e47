import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBotToken } from '../../../src/domain/applications/bot-tokens.js';
import { createClientSecret } from '../../../src/domain/applications/secrets.js';
import { hashSecret } from '../../../src/infra/crypto/secrets.js';
import { createApplication, signUp } from '../../harness/people.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { createBot } from '../../harness/world.js';

describe('a bot token', () => {
  test('has three parts: the bot id, the creation time and 32 random bytes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), fc.integer({ min: 0, max: 2 ** 41 }), (id, now) => {
        const { token, hash } = createBotToken(id, now);
        const [whose = '', when = '', random = '', ...more] = token.split('.');
        expect(Buffer.from(whose, 'base64url').toString()).toBe(String(id));
        expect(Buffer.from(when, 'base64url').readUInt32BE()).toBe(Math.floor(now / 1000));
        expect(Buffer.from(random, 'base64url')).toHaveLength(32);
        expect(more).toEqual([]);
        expect(hash).toBe(hashSecret(token));
      }),
    );
  });

  test('is different each time, like a client secret', () => {
    expect(createBotToken(1n, 0).token).not.toBe(createBotToken(1n, 0).token);
    const { secret, columns } = createClientSecret();
    expect(createClientSecret().secret).not.toBe(secret);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(columns).toEqual({
      clientSecretHash: hashSecret(secret),
      clientSecretPrefix: secret.slice(0, 6),
      clientSecretLast4: secret.slice(-4),
    });
  });
});

describe('authenticating', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  const authenticate = (token: string) => server.app.botTokens.authenticate(token);

  test('returns the bot, its intents and the hash of the token', async () => {
    const { id, token, user } = await createBot(server.app, { privilegedIntents: ['GUILD_MEMBERS'] });
    expect(await authenticate(token)).toEqual({
      actor: { kind: 'bot', user, applicationId: id, messageContentIntent: false },
      privilegedIntents: ['GUILD_MEMBERS'],
      tokenHash: hashSecret(token),
    });
  });

  test('returns null for an invalid token', async () => {
    const [one, other] = [await createBot(server.app), await createBot(server.app)];
    const [without, deleted] = [await createBot(server.app), await createBot(server.app)];
    const { application } = server.app.db.writer;
    await application.update({ where: { id: without.id }, data: { botTokenHash: null } });
    await application.update({ where: { id: deleted.id }, data: { deletedAt: new Date() } });
    const [whose, when, random] = one.token.split('.');
    const [foreign] = other.token.split('.');
    const tokens = [
      '',
      'x',
      `${whose}.${when}`,
      `${one.token}.x`,
      `${foreign}.${when}.${random}`,
      `x.${when}.${random}`,
    ];
    for (const token of [...tokens, `${one.token}x`, without.token, deleted.token]) {
      expect(await authenticate(token), token).toBeNull();
    }
    expect((await authenticate(one.token))?.actor.user.id).toBe(one.id);
  });

  test('rejects a replaced token at once', async () => {
    const ada = await signUp(server, 'ada');
    const { id, botToken } = await createApplication(ada);
    expect(await authenticate(botToken)).not.toBeNull();
    const { resetBotToken } = await ada.graphql(
      'mutation ($input: ApplicationIdInput!) { resetBotToken(input: $input) { botToken } }',
      { input: { applicationId: id } },
    );
    expect(await authenticate(botToken)).toBeNull();
    expect((await authenticate(resetBotToken.botToken))?.actor.applicationId).toBe(BigInt(id));
  });
});
