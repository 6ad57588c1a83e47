import { beforeEach, describe, expect } from 'vitest';
import { type AppContext, callContext } from '../../../src/context.js';
import { createApplication } from '../../../src/domain/applications/index.js';
import { DomainError } from '../../../src/domain/errors.js';
import { createGuild } from '../../../src/domain/guilds/index.js';
import {
  type AuthorizationDecision,
  type AuthorizationQuery,
  type AuthorizationRequest,
  authorize,
  grantClientCredentials,
  isGrantedAlready,
  isKnownClient,
  parseAuthorizationQuery,
  readAuthorizationRequest,
} from '../../../src/domain/oauth/index.js';
import { hashSecret } from '../../../src/infra/crypto/secrets.js';
import type { Application, Prisma } from '../../../src/infra/database/index.js';
import { type Caller, newCaller, toldBy } from '../../harness/calls.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';

const CALLBACK = 'https://client.example/callback';
const NATIVE = 'com.example.app:/callback';
const CHALLENGE = 'A'.repeat(43);

let app: AppContext;
let ada: Caller;
let bob: Caller;
let harbour: bigint;
let dock: bigint;
let application: Application;

test.beforeAll(async ({ server }) => {
  ({ app } = server);
  ada = await newCaller(app, 'ada');
  bob = await newCaller(app, 'bob');
  ({ id: harbour } = await createGuild(ada.call, { name: 'Harbour' }));
  ({ id: dock } = await createGuild(ada.call, { name: 'Dock' }));
});
beforeEach(async () => {
  application = await makeApplication();
});

async function makeApplication(columns: Prisma.ApplicationUncheckedUpdateInput = {}): Promise<Application> {
  const { application: made } = await createApplication(bob.call, { name: 'Helper' });
  const data = { userInstall: true, redirectUris: [CALLBACK, NATIVE], ...columns };
  return app.db.writer.application.update({ where: { id: made.id }, data });
}

const forCode = { response_type: 'code', redirect_uri: CALLBACK };

const requestFor = (query: AuthorizationQuery, of = application): AuthorizationRequest =>
  readAuthorizationRequest(of, parseAuthorizationQuery(query));

const decide = (query: AuthorizationQuery, choice: Partial<AuthorizationDecision> = {}, { call } = ada) => {
  const request = requestFor(query);
  const everything = { target: 'SERVER' as const, guildId: null, scopes: [...request.scopes.SERVER], permissions: ~0n };
  return authorize(call, request, { ...everything, ...choice });
};

const installations = async () => {
  const rows = await app.db.reader.installation.findMany({ where: { applicationId: application.id } });
  return rows.map(({ guildId, userId, scopes, permissions }) => ({ guildId, userId, scopes, permissions }));
};
const grants = () => app.db.reader.oAuthGrant.findMany({ where: { applicationId: application.id } });
const codes = () => app.db.reader.authorizationCode.findMany({ where: { grant: { applicationId: application.id } } });

describe('an authorization', () => {
  test('grants the allowed scopes with a code, and is audited', async () => {
    const query = {
      ...forCode,
      scope: 'identify email guilds',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    };
    const began = app.clock.now();
    let code: string | null = null;
    const told = await toldBy(ada.call, async (call) => {
      const answer = await decide(query, { scopes: ['guilds', 'identify', 'bot'] }, { ...ada, call });
      expect(answer).toEqual({
        code: expect.stringMatching(/^[\w-]{43}$/),
        scopes: ['identify', 'guilds'],
        guildId: null,
        permissions: 0n,
      });
      code = answer.code;
    });
    expect(told).toMatchObject({
      entries: [
        {
          action: 'OAUTH_AUTHORIZE',
          applicationId: application.id,
          targetId: ada.id,
          changes: { scopes: ['identify', 'guilds'] },
        },
      ],
      locking: [true],
    });
    expect(await grants()).toMatchObject([{ userId: ada.id, scopes: ['identify', 'guilds'], guildId: null }]);
    const [kept] = await codes();
    expect(kept).toMatchObject({
      hash: hashSecret(code ?? ''),
      redirectUri: CALLBACK,
      codeChallenge: CHALLENGE,
      usedAt: null,
    });
    const lasts = (kept?.expiresAt.getTime() ?? 0) - began;
    expect(lasts).toBeGreaterThanOrEqual(100_000);
    expect(lasts).toBeLessThan(160_000);
    expect(await installations()).toEqual([]);
  });

  test('stores the redirect URI only if the request has one', async () => {
    await decide({ response_type: 'code', scope: 'identify' });
    expect(await codes()).toMatchObject([{ redirectUri: null, codeChallenge: null }]);
  });

  test.each<[string, AuthorizationQuery, boolean]>([
    ['a request for one', { ...forCode, scope: 'bot' }, true],
    ['no response type', { redirect_uri: CALLBACK, scope: 'bot' }, false],
    ['nowhere to answer', { scope: 'bot' }, false],
  ])('returns a code for %s: %s', async (_what, query, expected) => {
    const { code } = await decide(query, { guildId: harbour });
    expect(code !== null).toBe(expected);
    expect(await grants()).toHaveLength(expected ? 1 : 0);
  });

  test('requires at least one scope', async () => {
    for (const scopes of [[], ['email'], ['x']]) {
      await expect(decide({ ...forCode, scope: 'identify' }, { scopes })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        fields: [{ path: 'scopes', code: 'BASE_TYPE_REQUIRED' }],
      });
    }
    expect(await grants()).toEqual([]);
  });

  test('requires a signed-in user', async () => {
    const bot = callContext(app, { kind: 'anonymous' });
    expect(await outcome(decide({ ...forCode, scope: 'identify' }, {}, { ...ada, call: bot }))).toBe('UNAUTHENTICATED');
  });

  test.each([{ scope: 'identify' }, { scope: 'bot' }])(
    'is refused if the application is deleted in the meantime, with %j',
    async (query) => {
      const request = requestFor({ ...forCode, ...query });
      await app.db.writer.application.update({ where: { id: application.id }, data: { deletedAt: new Date() } });
      const decision = { target: 'SERVER', guildId: harbour, scopes: ['identify', 'bot'], permissions: 0n } as const;
      const allow = authorize(ada.call, request, { ...decision, scopes: [...decision.scopes] });
      expect(await outcome(allow)).toBe('UNKNOWN_APPLICATION');
      expect([await grants(), await installations()]).toEqual([[], []]);
    },
  );
});

describe('an installation', () => {
  const both = { scope: 'applications.commands' };
  const place = { scopes: ['applications.commands'], permissions: '0' };

  test.each<[string, AuthorizationQuery, Partial<AuthorizationDecision>, () => object[]]>([
    ['a server, chosen of two', both, { target: 'SERVER' }, () => [{ ...place, guildId: harbour, userId: null }]],
    ['the account, chosen of two', both, { target: 'USER' }, () => [{ ...place, guildId: null, userId: ada.id }]],
    [
      'a server, the only one',
      { ...both, integration_type: '0' },
      { target: 'USER' },
      () => [{ ...place, guildId: harbour, userId: null }],
    ],
    [
      'the account, the only one',
      { ...both, integration_type: '1' },
      { target: 'SERVER' },
      () => [{ ...place, guildId: null, userId: ada.id }],
    ],
  ])('goes to %s', async (_where, query, choice, expected) => {
    const { guildId } = await decide(query, { guildId: harbour, ...choice });
    expect(await installations()).toEqual(expected());
    expect(guildId).toBe((await installations())[0]?.guildId);
  });

  test('is refused for another target', async () => {
    const target = 'MOON' as 'USER';
    await expect(decide(both, { target })).rejects.toMatchObject({
      fields: [{ path: 'target', code: 'BASE_TYPE_CHOICES' }],
    });
  });

  test.each<[string, object, bigint | null, () => bigint]>([
    ['chosen', {}, 0n, () => harbour],
    ['chosen in place of that of the link', { disable_guild_select: 'false' }, 0n, () => harbour],
    ['of the link, when it is fixed', { disable_guild_select: 'true' }, 0n, () => dock],
    ['of the link, when it is fixed and none is chosen', { disable_guild_select: 'true' }, null, () => dock],
  ])('goes to the server %s', async (_which, query, chosen, expected) => {
    const guildId = chosen === null ? null : harbour;
    await decide({ scope: 'bot', guild_id: String(dock), ...query }, { guildId });
    expect((await installations()).map(({ guildId: id }) => id)).toEqual([expected()]);
  });

  test('requires a selected server', async () => {
    await expect(decide({ scope: 'bot' })).rejects.toMatchObject({
      fields: [{ path: 'guildId', code: 'BASE_TYPE_REQUIRED' }],
    });
  });

  test('does not happen without the install scopes, which then need no server', async () => {
    const query = { ...forCode, scope: 'bot identify' };
    expect(await decide(query, { scopes: ['identify'] })).toMatchObject({ scopes: ['identify'], guildId: null });
    expect(await decide(query, { scopes: ['identify'], guildId: harbour })).toMatchObject({ guildId: null });
    expect(await installations()).toEqual([]);
  });

  test.each<[string, string[], bigint, string, boolean]>([
    ['what was asked for and left', ['bot', 'identify'], 2048n | 8n, '2048', true],
    ['nothing where nothing was left', ['bot', 'identify'], 0n, '0', true],
    ['nothing without a bot', ['applications.commands', 'identify'], 2048n, '0', false],
  ])('gives %s', async (_what, scopes, permissions, given, withBot) => {
    const query = { ...forCode, scope: 'bot applications.commands identify', permissions: String(2048n | 1024n) };
    expect(await decide(query, { scopes, permissions, guildId: harbour })).toMatchObject({
      permissions: BigInt(given),
      guildId: harbour,
    });
    expect(await installations()).toMatchObject([{ permissions: given, guildId: harbour }]);
    expect(await grants()).toMatchObject([{ guildId: withBot ? harbour : null }]);
  });

  test('happens together with its grant, or not at all', async () => {
    const query = { ...forCode, scope: 'bot identify' };
    const outsider = decide(query, { guildId: harbour }, bob);
    await expect(outsider).rejects.toBeInstanceOf(DomainError);
    expect([await grants(), await installations()]).toEqual([[], []]);
    expect(await outcome(decide(query, { guildId: harbour }))).toBe('ok');
    expect([(await grants()).length, (await installations()).length]).toEqual([1, 1]);
  });
});

describe('an earlier grant', () => {
  const granted = (scope: string, of = application, redirect_uri = CALLBACK) => {
    const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    return isGrantedAlready(ada.call, requestFor({ response_type: 'code', redirect_uri, scope, ...pkce }, of));
  };
  const allow = (scope: string, by = ada) => decide({ ...forCode, scope }, {}, by);

  test('covers the scopes of all grants together', async () => {
    expect(await granted('identify')).toBe(false);
    await allow('identify');
    expect([await granted('identify'), await granted('identify guilds')]).toEqual([true, false]);
    await allow('guilds');
    expect([await granted('identify guilds'), await granted('email')]).toEqual([true, false]);
  });

  test('is not one of another user or application, or one by client credentials', async () => {
    const other = await makeApplication();
    await allow('identify', bob);
    await grantClientCredentials(bob.call, { application: other, byType: 'confidential' }, 'identify');
    expect(await granted('identify')).toBe(false);
    const bobs = (of: Application) => isGrantedAlready(bob.call, requestFor({ ...forCode, scope: 'identify' }, of));
    expect([await bobs(application), await bobs(other)]).toEqual([true, false]);
    const known = (caller: Caller, { id }: Application) => isKnownClient(caller.call, id);
    expect([await known(bob, application), await known(bob, other), await known(ada, application)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test.each<[string, () => Promise<boolean>]>([
    ['an installation', () => granted('identify bot')],
    ['a public client', async () => granted('identify', { ...application, publicClient: true })],
    ['a scheme that any program may claim', () => granted('identify', application, NATIVE)],
    [
      'a link with nowhere to answer',
      () => isGrantedAlready(ada.call, { ...requestFor({ ...forCode, scope: 'identify' }), redirectUri: null }),
    ],
  ])('does not skip the screen for %s', async (_what, ask) => {
    await decide({ ...forCode, scope: 'identify bot' }, { guildId: harbour });
    expect(await granted('identify')).toBe(true);
    expect(await ask()).toBe(false);
  });
});
