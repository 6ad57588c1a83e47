import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callContext } from '../../../src/context.js';
import type { CallContext } from '../../../src/domain/call.js';
import {
  authenticateClient,
  type Client,
  findTokenActor,
  getAuthorization,
  grantClientCredentials,
  type IssuedTokens,
  redeemCode,
  refreshTokens,
  revokeToken,
} from '../../../src/domain/oauth/index.js';
import { hashSecret } from '../../../src/infra/crypto/secrets.js';
import type { Application, User } from '../../../src/infra/database/index.js';
import { ManualClock } from '../../harness/clock.js';
import { readingTogether } from '../../harness/interleave.js';
import { type CodeOptions, grantCode, pkcePair, REDIRECT_URI } from '../../harness/oauth.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { createBot } from '../../harness/world.js';

const SECOND_URI = 'https://client.example/second';
const DAY_MS = 86_400_000;
const CODE_MS = 100_000;

const clock = new ManualClock();
let server: TestServer;
let nobody: CallContext;
let grace: User;
let owner: User;
let client: Client;

beforeAll(async () => {
  server = await startServer({ clock });
  nobody = callContext(server.app, { kind: 'anonymous' });
});
beforeEach(async () => {
  owner = await createPerson(server.app);
  grace = await createPerson(server.app);
  client = await makeClient();
});
afterAll(() => server.stop());

async function makeClient(settings: Partial<Application> = {}, byType: Client['byType'] = 'confidential') {
  const { redirectUris: _redirectUris, serverInstallScopes: _server, userInstallScopes: _user, ...rest } = settings;
  const { id } = await createBot(server.app, { owner });
  // Includes states that a client can only reach later, such as having no owner, and a known secret.
  const data = { redirectUris: [REDIRECT_URI, SECOND_URI], clientSecretHash: hashSecret('the secret'), ...rest };
  const application = await server.app.db.writer.application.update({ where: { id }, data });
  return { application, byType } satisfies Client;
}

const codeFor = (of: Client = client, options: CodeOptions = {}, person = grace) =>
  grantCode(server, { id: String(person.id) }, { id: String(of.application.id) }, options);

interface Redemption {
  as?: Client;
  call?: CallContext;
  redirectUri?: string | undefined;
  codeVerifier?: string;
}
const redeem = (code: string, { as = client, call = nobody, codeVerifier, ...rest }: Redemption = {}) =>
  redeemCode(call, as, { code, redirectUri: 'redirectUri' in rest ? rest.redirectUri : REDIRECT_URI, codeVerifier });

const refresh = ({ refreshToken }: IssuedTokens, scope?: string, call = nobody, as = client) =>
  refreshTokens(call, as, { refreshToken: refreshToken ?? '', scope });

const actorOf = ({ accessToken }: IssuedTokens) => findTokenActor(server.app.db.reader, clock.now(), accessToken);
const grants = () => server.app.db.reader.oAuthGrant.count({ where: { applicationId: client.application.id } });
const audited = async (action: string) => {
  const where = { action, applicationId: client.application.id };
  return (await server.app.db.reader.auditEntry.findMany({ where })).map(({ actorId, targetId }) => [
    actorId,
    targetId,
  ]);
};

const outcomes = async (attempts: Promise<unknown>[]) => (await Promise.all(attempts.map(outcome))).sort();

describe('single use', () => {
  test('of a code: one of three calls that all found it unused gets tokens, and the grant ends', async () => {
    const code = await codeFor();
    const call = callContext(readingTogether(server.app, 'authorizationCode.findUnique', 3), { kind: 'anonymous' });
    expect(await outcomes([1, 2, 3].map(() => redeem(code, { call })))).toEqual([
      'INVALID_GRANT',
      'INVALID_GRANT',
      'ok',
    ]);
    expect(await grants()).toBe(0);
    expect(await audited('OAUTH_REUSE')).toEqual([[null, grace.id]]);
  });

  test('of a refresh token: one of three calls that all found it unused gets tokens, and the grant ends', async () => {
    const tokens = await redeem(await codeFor());
    const call = callContext(readingTogether(server.app, 'oAuthToken.findUnique', 3), { kind: 'anonymous' });
    expect(await outcomes([1, 2, 3].map(() => refresh(tokens, undefined, call)))).toEqual([
      'INVALID_GRANT',
      'INVALID_GRANT',
      'ok',
    ]);
    expect(await grants()).toBe(0);
    expect(await audited('OAUTH_REUSE')).toEqual([[null, grace.id]]);
  });

  test('of a code: a second use revokes the tokens of the first', async () => {
    const code = await codeFor();
    const tokens = await redeem(code);
    expect(await outcome(redeem(code))).toBe('INVALID_GRANT');
    expect(await actorOf(tokens)).toBeNull();
    expect(await outcome(redeem(code))).toBe('INVALID_GRANT');
    expect(await audited('OAUTH_REUSE')).toEqual([[null, grace.id]]);
  });

  test('of a refresh token: a second use revokes the tokens of the first', async () => {
    const first = await redeem(await codeFor());
    const second = await refresh(first);
    expect(await outcome(refresh(first))).toBe('INVALID_GRANT');
    expect(await outcome(refresh(second))).toBe('INVALID_GRANT');
    expect(await audited('OAUTH_REUSE')).toEqual([[null, grace.id]]);
  });

  test('of a code: a second use also ends the grant after its expiry or with another redirect URI', async () => {
    for (const again of [{ redirectUri: SECOND_URI }, {}]) {
      const code = await codeFor();
      const tokens = await redeem(code);
      if (!('redirectUri' in again)) clock.advance(100_000);
      expect(await outcome(redeem(code, again))).toBe('INVALID_GRANT');
      expect(await actorOf(tokens)).toBeNull();
    }
    expect(await audited('OAUTH_REUSE')).toEqual([
      [null, grace.id],
      [null, grace.id],
    ]);
  });

  test('of a refresh token: a second use also ends the grant after its expiry or with too many scopes', async () => {
    for (const scope of ['email', undefined]) {
      const first = await redeem(await codeFor());
      const second = await refresh(first);
      if (scope === undefined) clock.advance(180 * DAY_MS);
      expect(await outcome(refresh(first, scope))).toBe('INVALID_GRANT');
      expect(await outcome(refresh(second))).toBe('INVALID_GRANT');
    }
    expect(await audited('OAUTH_REUSE')).toEqual([
      [null, grace.id],
      [null, grace.id],
    ]);
  });

  test('of a revocation: one of three at the same time is audited', async () => {
    const { accessToken } = await redeem(await codeFor());
    const call = callContext(readingTogether(server.app, 'oAuthToken.findUnique', 3), { kind: 'anonymous' });
    expect(await outcomes([1, 2, 3].map(() => revokeToken(call, client, accessToken)))).toEqual(['ok', 'ok', 'ok']);
    expect(await grants()).toBe(0);
    expect(await audited('OAUTH_REVOKE')).toEqual([[null, grace.id]]);
  });
});

describe('the lifetime', () => {
  test('of a code is 100 seconds', async () => {
    const [early, late] = [await codeFor(), await codeFor()];
    clock.advance(99_999);
    expect(await outcome(redeem(early))).toBe('ok');
    clock.advance(1);
    expect(await outcome(redeem(late))).toBe('INVALID_GRANT');
  });

  test('of an access token is 7 days', async () => {
    const tokens = await redeem(await codeFor(client, { scope: 'identify guilds' }));
    expect(tokens.expiresIn * 1_000).toBe(7 * DAY_MS);
    clock.advance(7 * DAY_MS - 1);
    expect(await actorOf(tokens)).toEqual({
      kind: 'token',
      user: grace,
      applicationId: client.application.id,
      scopes: ['identify', 'guilds'],
      expiresAt: new Date(clock.now() + 1),
      clientCredentials: false,
    });
    clock.advance(1);
    expect(await actorOf(tokens)).toBeNull();
  });

  test('of a refresh token is 180 days from each use, and the next use deletes expired ones', async () => {
    const first = await redeem(await codeFor());
    clock.advance(180 * DAY_MS - 1);
    const second = await refresh(first);
    const kinds = await server.app.db.reader.oAuthToken.findMany({
      where: { grant: { applicationId: client.application.id } },
      select: { kind: true, usedAt: true },
      orderBy: { expiresAt: 'asc' },
    });
    // The first access token is gone. The used refresh token is kept to detect its reuse.
    expect(kinds).toEqual([
      { kind: 'REFRESH', usedAt: new Date(clock.now()) },
      { kind: 'ACCESS', usedAt: null },
      { kind: 'REFRESH', usedAt: null },
    ]);
    clock.advance(180 * DAY_MS);
    expect(await outcome(refresh(second))).toBe('INVALID_GRANT');
    expect(await audited('OAUTH_REUSE')).toEqual([]);
  });

  test("of a grant is that of its codes and tokens, and the user's next authorization deletes it", async () => {
    await codeFor();
    clock.advance(50_000);
    const kept = await codeFor();
    clock.advance(50_000);
    await codeFor();
    expect(await grants()).toBe(2);
    expect(await outcome(redeem(kept))).toBe('ok');
    clock.advance(180 * DAY_MS);
    await codeFor(client, {}, owner);
    expect(await grants()).toBe(3);
    await codeFor();
    expect(await grants()).toBe(2);
  });

  test.each(['user', 'application'] as const)('of an access token ends with its %s', async (gone) => {
    const tokens = await redeem(await codeFor());
    const { writer } = server.app.db;
    const data = { deletedAt: new Date(clock.now()) };
    if (gone === 'user') await writer.user.update({ where: { id: grace.id }, data });
    else await writer.application.update({ where: { id: client.application.id }, data });
    expect(await actorOf(tokens)).toBeNull();
  });
});

describe('a code', () => {
  test.each<[string, CodeOptions, string | undefined, string]>([
    ['the stated redirect URI', {}, REDIRECT_URI, 'ok'],
    ['another one that is registered', {}, SECOND_URI, 'INVALID_GRANT'],
    ['none for a stated one', {}, undefined, 'INVALID_GRANT'],
    ['none for one that was left out', { redirectUri: null }, undefined, 'ok'],
    ['the first for one that was left out', { redirectUri: null }, REDIRECT_URI, 'ok'],
    ['the second for one that was left out', { redirectUri: null }, SECOND_URI, 'INVALID_GRANT'],
  ])('with %s', async (_name, options, redirectUri, expected) => {
    expect(await outcome(redeem(await codeFor(client, options), { redirectUri }))).toBe(expected);
  });

  test('without a challenge is refused to a public client', async () => {
    const code = await codeFor();
    expect(await outcome(redeem(code, { as: { ...client, byType: 'public' } }))).toBe('INVALID_GRANT');
    expect(await outcome(redeem(code))).toBe('ok');
  });

  test('with a challenge is accepted from a public client that has the verifier', async () => {
    const { verifier, challenge } = pkcePair();
    const as: Client = { ...client, byType: 'public' };
    const code = await codeFor(client, { codeChallenge: challenge });
    expect(await outcome(redeem(code, { as }))).toBe('INVALID_GRANT');
    expect(await outcome(redeem(code, { as, codeVerifier: verifier }))).toBe('ok');
  });

  test('of another client, and an access token, are refused', async () => {
    const code = await codeFor();
    const { accessToken } = await redeem(await codeFor());
    expect(await outcome(redeem(code, { as: await makeClient() }))).toBe('INVALID_GRANT');
    expect(await outcome(redeem(accessToken))).toBe('INVALID_GRANT');
    expect(await outcome(redeem(code))).toBe('ok');
  });

  test('is stored as a hash only', async () => {
    const code = await codeFor();
    expect(code).toMatch(/^[\w-]{43}$/);
    const rows = await server.app.db.reader.authorizationCode.findMany({ where: { hash: hashSecret(code) } });
    expect(rows).toMatchObject([{ usedAt: null, redirectUri: REDIRECT_URI, codeChallenge: null }]);
  });
});

describe('a client that is deleted in the meantime', () => {
  const deleteClient = () =>
    server.app.db.writer.application.update({
      where: { id: client.application.id },
      data: { deletedAt: new Date(clock.now()) },
    });

  test('gets an error for a code, a refresh token or its credentials', async () => {
    const code = await codeFor();
    const tokens = await redeem(await codeFor());
    await deleteClient();
    expect(await outcome(redeem(code))).toBe('INVALID_CLIENT');
    expect(await outcome(refresh(tokens))).toBe('INVALID_CLIENT');
    expect(await outcome(grantClientCredentials(nobody, client, undefined))).toBe('INVALID_CLIENT');
  });
});

test('a grant stores when the last of its code and tokens expires, which its removal uses', async () => {
  const endsIn = async () => {
    const { endsAt } = await server.app.db.reader.oAuthGrant.findFirstOrThrow({
      where: { applicationId: client.application.id },
      orderBy: { id: 'desc' },
    });
    return (endsAt?.getTime() ?? 0) - clock.now();
  };
  const code = await codeFor();
  expect(await endsIn()).toBe(CODE_MS);
  const tokens = await redeem(code);
  expect(await endsIn()).toBe(180 * DAY_MS);
  clock.advance(DAY_MS);
  await refresh(tokens);
  expect(await endsIn()).toBe(180 * DAY_MS);
  await grantClientCredentials(nobody, client, undefined);
  expect(await endsIn()).toBe(7 * DAY_MS);
});

describe('a refresh token', () => {
  test.each([
    [undefined, ['identify', 'email', 'guilds']],
    ['guilds', ['guilds']],
    ['guilds identify', ['identify', 'guilds']],
  ])('for the scopes %s returns %j, and the next one returns all scopes of the grant', async (scope, expected) => {
    const first = await redeem(await codeFor(client, { scope: 'identify email guilds' }));
    const second = await refresh(first, scope);
    expect(second.scopes).toEqual(expected);
    expect((await actorOf(second))?.scopes).toEqual(expected);
    expect((await refresh(second)).scopes).toEqual(['identify', 'email', 'guilds']);
  });

  test('is not used up by a request that is refused', async () => {
    const tokens = await redeem(await codeFor());
    expect(await outcome(refresh(tokens, 'identify email'))).toBe('INVALID_SCOPE');
    expect(await outcome(refresh(tokens, undefined, nobody, await makeClient()))).toBe('INVALID_GRANT');
    expect(await outcome(refresh({ ...tokens, refreshToken: tokens.accessToken }))).toBe('INVALID_GRANT');
    expect(await outcome(refresh(tokens))).toBe('ok');
  });

  test('is refused as an access token', async () => {
    const { refreshToken } = await redeem(await codeFor());
    expect(await findTokenActor(server.app.db.reader, clock.now(), refreshToken ?? '')).toBeNull();
    expect(await findTokenActor(server.app.db.reader, clock.now(), 'no token')).toBeNull();
  });
});

describe('a client', () => {
  const find = async (id: bigint) => server.app.db.reader.application.findUnique({ where: { id } });
  const recognised = async (clientId: bigint, clientSecret: string | undefined) => {
    try {
      return (await authenticateClient(find, server.app.secretUses, { clientId, clientSecret })).byType;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  test.each<[string, Partial<Application>, string | undefined, string]>([
    ['is recognised by its secret', {}, 'the secret', 'confidential'],
    ['is not recognised by another', {}, 'another', 'INVALID_CLIENT'],
    ['is not recognised without one', {}, undefined, 'INVALID_CLIENT'],
    ['that is public needs none', { publicClient: true }, undefined, 'public'],
    ['that is public may show it', { publicClient: true }, 'the secret', 'confidential'],
    ['that is public and shows a wrong one is refused', { publicClient: true }, 'another', 'INVALID_CLIENT'],
    ['that has none is not recognised by any', { clientSecretHash: null }, '', 'INVALID_CLIENT'],
  ])('%s', async (_name, settings, secret, expected) => {
    expect(await recognised((await makeClient(settings)).application.id, secret)).toBe(expected);
  });

  test('that does not exist is refused with any secret', async () => {
    for (const secret of [undefined, '', 'the secret']) expect(await recognised(1n, secret)).toBe('INVALID_CLIENT');
  });
});

describe('client credentials', () => {
  const asTeam = async () => {
    const id = server.app.nextId();
    await server.app.db.writer.team.create({ data: { id, name: 'Builders', ownerUserId: grace.id } });
    return makeClient({ ownerUserId: null, ownerTeamId: id });
  };
  const ask = (scope?: string, as = client) => grantClientCredentials(nobody, as, scope);
  const COMMANDS = 'applications.commands applications.commands.permissions.update';

  test('act for the owner, have identify by default, and cannot be refreshed', async () => {
    const tokens = await ask();
    expect(tokens).toMatchObject({ refreshToken: null, scopes: ['identify'], guild: null, expiresIn: 604_800 });
    expect(await actorOf(tokens)).toMatchObject({
      user: { id: owner.id },
      scopes: ['identify'],
      clientCredentials: true,
    });
  });

  test('of a team act for its owner', async () => {
    const team = await asTeam();
    expect(await actorOf(await ask(`identify ${COMMANDS}`, team))).toMatchObject({ user: { id: grace.id } });
  });

  test.each<[string, string, string]>([
    [`identify email guilds ${COMMANDS}`, 'ok', 'INVALID_SCOPE'],
    ['email', 'ok', 'INVALID_SCOPE'],
    ['guilds', 'ok', 'INVALID_SCOPE'],
    [COMMANDS, 'ok', 'ok'],
    ['bot', 'INVALID_SCOPE', 'INVALID_SCOPE'],
    ['guilds.join', 'INVALID_SCOPE', 'INVALID_SCOPE'],
    ['identify bot', 'INVALID_SCOPE', 'INVALID_SCOPE'],
    ['', 'INVALID_SCOPE', 'INVALID_SCOPE'],
  ])('for %j: of a user %s, of a team %s', async (scope, ofPerson, ofTeam) => {
    expect(await outcome(ask(scope))).toBe(ofPerson);
    expect(await outcome(ask(scope, await asTeam()))).toBe(ofTeam);
  });

  test.each<[string, () => Promise<Client>]>([
    ['a public client', () => makeClient({ publicClient: true })],
    ['a public client without its secret', () => makeClient({ publicClient: true }, 'public')],
    ['a client that was public when it was recognised', () => makeClient({}, 'public')],
    ['a client without an owner', () => makeClient({ ownerUserId: null })],
  ])('are refused to %s', async (_name, make) => {
    expect(await outcome(ask(undefined, await make()))).toBe('UNAUTHORIZED_CLIENT');
  });

  test('leave no expired grants', async () => {
    const first = await ask();
    await ask();
    expect(await grants()).toBe(2);
    expect(await actorOf(first)).not.toBeNull();
    clock.advance(7 * DAY_MS);
    await ask();
    expect(await grants()).toBe(1);
  });
});

describe('a revocation', () => {
  test('of a refresh token ends all grants of the user to the client, and no others', async () => {
    const other = await makeClient();
    const [mine, again] = [await redeem(await codeFor()), await redeem(await codeFor())];
    const elsewhere = await redeem(await codeFor(other), { as: other });
    const owners = await redeem(await codeFor(client, {}, owner));
    await revokeToken(nobody, client, mine.refreshToken ?? '');
    expect(await Promise.all([mine, again].map(actorOf))).toEqual([null, null]);
    expect(await Promise.all([elsewhere, owners].map(actorOf))).not.toContain(null);
  });

  test('by another client, or of an invalid token, changes nothing', async () => {
    const tokens = await redeem(await codeFor());
    await revokeToken(nobody, await makeClient(), tokens.accessToken);
    await revokeToken(nobody, client, 'no token');
    expect(await actorOf(tokens)).not.toBeNull();
    expect(await audited('OAUTH_REVOKE')).toEqual([]);
  });
});

describe('GET /oauth2/@me', () => {
  test('accepts tokens only, and returns the user only with identify', async () => {
    const as = async (tokens: IssuedTokens) => {
      const actor = await actorOf(tokens);
      if (!actor) throw new Error('the token is not valid');
      return callContext(server.app, actor);
    };
    const withIdentify = await as(await redeem(await codeFor(client, { scope: 'identify guilds' })));
    expect(await getAuthorization(withIdentify)).toMatchObject({
      application: { id: client.application.id },
      scopes: ['identify', 'guilds'],
      expiresAt: new Date(clock.now() + 7 * DAY_MS),
      user: { id: grace.id },
    });
    const without = await as(await redeem(await codeFor(client, { scope: 'guilds' })));
    expect((await getAuthorization(without)).user).toBeNull();
    expect(await outcome(getAuthorization(nobody))).toBe('UNAUTHENTICATED');
    const data = { deletedAt: new Date() };
    await server.app.db.writer.application.update({ where: { id: client.application.id }, data });
    expect(await outcome(getAuthorization(without))).toBe('UNKNOWN_APPLICATION');
  });
});
