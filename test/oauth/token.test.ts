import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import { askWithToken, basic, grantCode, inForm, pkcePair, postForm, REDIRECT_URI } from '../harness/oauth.js';
import {
  createApplication,
  createGuild,
  invite,
  type MadeApplication,
  type Person,
  signUp,
} from '../harness/people.js';
import { expectReference } from '../harness/reference.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let ada: Person;
let grace: Person;
let client: MadeApplication;
let other: MadeApplication;
let publicClient: MadeApplication;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  grace = await signUp(server, 'grace');
  client = await createApplication(ada, 'Client');
  other = await createApplication(ada, 'Other client');
  publicClient = await createApplication(ada, 'Public client');
  for (const { id } of [client, other, publicClient]) await setColumns(id, { redirectUris: [REDIRECT_URI] });
  await setColumns(publicClient.id, { publicClient: true });
});

function setColumns(id: string, data: { redirectUris?: string[]; publicClient?: boolean }) {
  return server.app.db.writer.application.update({ where: { id: BigInt(id) }, data });
}

const redeem = (code: string, more: Record<string, string> = {}) =>
  postForm(server, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...inForm(client), ...more });

const refresh = (token: string, more: Record<string, string> = {}) =>
  postForm(server, { grant_type: 'refresh_token', refresh_token: token, ...inForm(client), ...more });

describe('the authorization_code grant', () => {
  it('returns working tokens, and forbids caching', async () => {
    const { status, headers, body } = await redeem(await grantCode(server, grace, client, { scope: 'identify email' }));
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 604_800,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      scope: 'identify email',
    });
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
    const me = await askWithToken(server, '/users/@me', body.access_token);
    expect(me.body).toMatchObject({ id: grace.id, username: 'grace', email: grace.email, verified: true });
  });

  it.each([
    ['HTTP Basic', () => ({ form: {}, headers: basic(client.id, client.clientSecret) })],
    [
      'HTTP Basic and client_id in the form',
      () => ({ form: { client_id: client.id }, headers: basic(client.id, client.clientSecret) }),
    ],
    ['the form', () => ({ form: inForm(client), headers: {} })],
  ])('accepts the client by %s', async (_way, credentials) => {
    const { form, headers } = credentials();
    const code = await grantCode(server, grace, client);
    const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...form };
    expect((await postForm(server, fields, { headers })).status).toBe(200);
  });

  it('returns the server to which the bot was added', async () => {
    const guild = await createGuild(ada, 'Harbour');
    const code = await grantCode(server, ada, client, { scope: 'identify bot', guildId: guild.id });
    const { body } = await redeem(code);
    expect(body.scope).toBe('identify bot');
    expect(body.guild).toMatchObject({ id: guild.id, name: 'Harbour' });
    expect(body.guild.roles.map((role: { name: string }) => role.name)).toContain('@everyone');
  });

  it('allows the redirect URI to be omitted if the request omitted it', async () => {
    const code = await grantCode(server, grace, client, { redirectUri: null });
    const form = { grant_type: 'authorization_code', code, ...inForm(client) };
    expect((await postForm(server, form)).status).toBe(200);
  });

  it('refuses a code after 100 seconds', async () => {
    const code = await grantCode(server, grace, client);
    await server.app.db.writer.authorizationCode.updateMany({ data: { expiresAt: new Date(Date.now() - 1) } });
    expect(await redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});

describe('attacks on a code', () => {
  it('a second redemption fails and revokes the tokens of the first', async () => {
    const code = await grantCode(server, grace, client);
    const { body } = await redeem(code);
    expect(await redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await askWithToken(server, '/users/@me', body.access_token)).status).toBe(401);
    expect(await refresh(body.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('of 20 redemptions at once, one succeeds', async () => {
    const code = await grantCode(server, grace, client);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(code)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status !== 200).map((answer) => answer.body.error)).toEqual(
      Array(19).fill('invalid_grant'),
    );
  });

  const { verifier, challenge } = pkcePair();
  it.each([
    ["another client's code", {}, () => inForm(other), 'invalid_grant'],
    ["a redirect URI other than the request's", {}, () => ({ redirect_uri: `${REDIRECT_URI}/` }), 'invalid_grant'],
    ['a redirect URI left out', {}, () => ({ redirect_uri: '' }), 'invalid_grant'],
    ['a wrong verifier', { codeChallenge: challenge }, () => ({ code_verifier: 'x'.repeat(43) }), 'invalid_grant'],
    [
      'the challenge as the verifier',
      { codeChallenge: challenge },
      () => ({ code_verifier: challenge }),
      'invalid_grant',
    ],
    ['no verifier for a challenge', { codeChallenge: challenge }, () => ({}), 'invalid_grant'],
    ['a verifier without a challenge (PKCE downgrade)', {}, () => ({ code_verifier: verifier }), 'invalid_grant'],
    [
      'a verifier in place of the secret',
      { codeChallenge: challenge },
      () => ({ code_verifier: verifier, client_secret: '' }),
      'invalid_client',
    ],
    ['a wrong secret', {}, () => ({ client_secret: other.clientSecret }), 'invalid_client'],
    ['no client at all', {}, () => ({ client_id: '', client_secret: '' }), 'invalid_client'],
    ['a client that does not exist', {}, () => ({ client_id: '99999999999999999' }), 'invalid_client'],
    ['a client id that is no number', {}, () => ({ client_id: '1 OR 1=1' }), 'invalid_client'],
  ])('%s is refused, and the code still works for its owner', async (_attack, options, change, error) => {
    const code = await grantCode(server, grace, client, options);
    const refused = await redeem(code, change());
    expect(refused.body.error).toBe(error);
    expect(refused.status).toBe(error === 'invalid_client' ? 401 : 400);
    const own: Record<string, string> = 'codeChallenge' in options ? { code_verifier: verifier } : {};
    expect((await redeem(code, own)).status).toBe(200);
  });

  it("a public client's code needs its verifier and no secret", async () => {
    const code = await grantCode(server, grace, publicClient, { codeChallenge: challenge });
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id: publicClient.id };
    expect((await postForm(server, form)).body.error).toBe('invalid_grant');
    expect((await postForm(server, { ...form, code_verifier: verifier })).status).toBe(200);
  });

  it('the duration of a check does not leak the secret: hashes are compared in constant time, even for unknown clients', async () => {
    const { timingSafeEqual } = crypto;
    const compared: [Buffer, Buffer][] = [];
    crypto.timingSafeEqual = (given, stored) => {
      compared.push([Buffer.from(given as Buffer), Buffer.from(stored as Buffer)]);
      return timingSafeEqual(given, stored);
    };
    syncBuiltinESMExports();
    try {
      for (const id of [client.id, publicClient.id, '99999999999999999']) {
        const answer = await postForm(server, { client_id: id, client_secret: 'wrong', grant_type: 'x' });
        expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
      }
    } finally {
      crypto.timingSafeEqual = timingSafeEqual;
      syncBuiltinESMExports();
    }
    const wrong = crypto.createHash('sha256').update('wrong').digest();
    expect(compared.map(([given]) => given)).toEqual([wrong, wrong, wrong]);
    expect(compared.map(([, stored]) => stored.length)).toEqual([32, 32, 32]);
  });
});

describe('the refresh_token grant', () => {
  const tokens = async (scope = 'identify') => (await redeem(await grantCode(server, grace, client, { scope }))).body;

  it('returns new tokens and invalidates the old refresh token', async () => {
    const first = await tokens('identify guilds');
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({ token_type: 'Bearer', expires_in: 604_800, scope: 'identify guilds' });
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    expect((await askWithToken(server, '/users/@me', second.body.access_token)).status).toBe(200);
  });

  it('returns an access token with a narrower scope on request; the grant is unchanged', async () => {
    const first = await tokens('identify guilds email');
    const second = await refresh(first.refresh_token, { scope: 'email identify' });
    expect(second).toMatchObject({ status: 200, body: { scope: 'identify email' } });
    expect((await askWithToken(server, '/users/@me', second.body.access_token)).body.email).toBe(grace.email);
    expect(await askWithToken(server, '/users/@me/guilds', second.body.access_token)).toMatchObject({
      status: 403,
      body: { code: 50026 },
    });
    const { scopes } = (await askWithToken(server, '/oauth2/@me', second.body.access_token)).body;
    expect(scopes).toEqual(['identify', 'email']);
    expect((await askWithToken(server, '/users/@me/guilds', first.access_token)).status).toBe(200);
    const third = await refresh(second.body.refresh_token);
    expect(third.body.scope).toBe('identify email guilds');
    expect((await askWithToken(server, '/users/@me/guilds', third.body.access_token)).status).toBe(200);
  });

  it('revokes the whole grant if a used token is presented again', async () => {
    const first = await tokens();
    const second = (await refresh(first.refresh_token)).body;
    expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await refresh(second.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await askWithToken(server, '/users/@me', second.access_token)).status).toBe(401);
  });

  it('of 20 uses at once, one succeeds', async () => {
    const { refresh_token: token } = await tokens();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(token)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  });

  it('refuses another client, an access token, and a wider scope', async () => {
    const { refresh_token: token, access_token: access } = await tokens();
    expect((await refresh(token, inForm(other))).body.error).toBe('invalid_grant');
    expect((await refresh(access)).body.error).toBe('invalid_grant');
    expect((await refresh(token, { scope: 'identify guilds' })).body.error).toBe('invalid_scope');
    expect((await refresh(token)).status).toBe(200);
  });

  it('a public client refreshes without a secret', async () => {
    const { verifier, challenge } = pkcePair();
    const code = await grantCode(server, grace, publicClient, { codeChallenge: challenge });
    const form = { client_id: publicClient.id };
    const { body } = await postForm(server, {
      ...form,
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    });
    const answer = await postForm(server, { ...form, grant_type: 'refresh_token', refresh_token: body.refresh_token });
    expect(answer.status).toBe(200);
  });
});

describe('the client_credentials grant', () => {
  const ask = (form: Record<string, string>) => postForm(server, { grant_type: 'client_credentials', ...form });

  it("returns a token that acts for the application's owner, and no refresh token", async () => {
    const { status, body } = await ask({ ...inForm(client), scope: 'identify email applications.commands' });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('refresh_token');
    const me = await askWithToken(server, '/users/@me', body.access_token);
    expect(me.body).toMatchObject({ id: ada.id, email: ada.email });
  });

  it.each(['bot', 'guilds.join', 'messages.read', 'rpc', 'identify bot'])('refuses %s', async (scope) => {
    expect(await ask({ ...inForm(client), scope })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });

  it('refuses a public client, even with its secret', async () => {
    expect((await ask({ ...inForm(publicClient), scope: 'identify' })).body.error).toBe('unauthorized_client');
    expect((await ask({ client_id: publicClient.id, scope: 'identify' })).body.error).toBe('unauthorized_client');
  });
});

describe('revocation', () => {
  const revoke = (token: string, as = client) => postForm(server, { token, ...inForm(as) }, { path: '/revoke' });

  it('of one token revokes all tokens of that user and application, and no others', async () => {
    const mine = (await redeem(await grantCode(server, grace, client))).body;
    const again = (await redeem(await grantCode(server, grace, client))).body;
    const adas = (await redeem(await grantCode(server, ada, client))).body;
    expect(await revoke(mine.refresh_token)).toMatchObject({ status: 200, body: {} });
    for (const { access_token: token } of [mine, again]) {
      expect((await askWithToken(server, '/users/@me', token)).status).toBe(401);
    }
    expect((await refresh(again.refresh_token)).body.error).toBe('invalid_grant');
    expect((await askWithToken(server, '/users/@me', adas.access_token)).status).toBe(200);
  });

  it('of an unknown token is answered 200, and does not affect tokens of other clients', async () => {
    const { access_token: token } = (await redeem(await grantCode(server, grace, client))).body;
    expect(await revoke('no-such-token')).toMatchObject({ status: 200, body: {} });
    expect(await revoke(token, other)).toMatchObject({ status: 200, body: {} });
    expect((await askWithToken(server, '/users/@me', token)).status).toBe(200);
  });

  it('needs a client and a token', async () => {
    const nobody = await postForm(server, { token: 'x' }, { path: '/revoke' });
    expect(nobody).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    const nothing = await postForm(server, inForm(client), { path: '/revoke' });
    expect(nothing).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});

describe('an invalid request is refused as RFC 6749 specifies', () => {
  it.each([
    ['JSON', 'application/json', '{"grant_type":"client_credentials"}'],
    ['multipart', 'multipart/form-data; boundary=x', '--x--'],
    ['nothing', '', ''],
  ])('for %s in place of a form', async (_what, type, body) => {
    const answer = await fetch(`${server.origin}/api/v10/oauth2/token`, {
      method: 'POST',
      body,
      headers: type ? { 'content-type': type } : {},
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request', error_description: expect.any(String) });
  });

  it.each([
    ['a grant type that does not exist', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['the implicit grant', { grant_type: 'implicit' }, 'unsupported_grant_type'],
    ['no grant type', {}, 'invalid_request'],
    ['no code', { grant_type: 'authorization_code' }, 'invalid_request'],
    ['a code that never was', { grant_type: 'authorization_code', code: 'x' }, 'invalid_grant'],
  ])('for %s', async (_what, form, error) => {
    expect((await postForm(server, { ...form, ...inForm(client) })).body.error).toBe(error);
  });

  it('for a repeated parameter', async () => {
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'identify', ...inForm(client) });
    form.append('scope', 'email');
    expect((await postForm(server, form)).body.error).toBe('invalid_request');
  });

  it('with WWW-Authenticate for a wrong secret by HTTP Basic', async () => {
    const answer = await postForm(server, { grant_type: 'client_credentials' }, { headers: basic(client.id, 'wrong') });
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="oauth2"');
  });

  it('for a secret in two places', async () => {
    const answer = await postForm(
      server,
      { grant_type: 'client_credentials', ...inForm(client) },
      { headers: basic(client.id, client.clientSecret) },
    );
    expect(answer.body.error).toBe('invalid_request');
  });
});

describe('an access token', () => {
  const tokenFor = async (scope: string, person = grace) =>
    (await redeem(await grantCode(server, person, client, { scope }))).body.access_token as string;

  it('GET /oauth2/@me returns the authorization, with the user only for identify', async () => {
    const withUser = await askWithToken(server, '/oauth2/@me', await tokenFor('identify guilds'));
    expect(withUser.body).toMatchObject({
      application: {
        id: client.id,
        name: 'Client',
        verify_key: client.publicKey,
        bot_public: true,
        bot_require_code_grant: false,
        type: null,
        flags: expect.any(Number),
        flags_new: expect.stringMatching(/^\d+$/),
      },
      scopes: ['identify', 'guilds'],
      user: { id: grace.id },
    });
    expectReference('OAuth2GetAuthorizationResponse', withUser.body);
    expect(Date.parse(withUser.body.expires)).toBeGreaterThan(Date.now() + 604_000_000);
    expect((await askWithToken(server, '/oauth2/@me', await tokenFor('guilds'))).body).not.toHaveProperty('user');
  });

  it('GET /users/@me needs identify, and includes the e-mail address only for email', async () => {
    expect(await askWithToken(server, '/users/@me', await tokenFor('guilds'))).toMatchObject({
      status: 403,
      body: { code: 50026 },
    });
    const me = await askWithToken(server, '/users/@me', await tokenFor('identify'));
    expect(me.body).toMatchObject({ id: grace.id });
    expect(me.body).not.toHaveProperty('email');
  });

  it('GET /users/@me/guilds needs guilds', async () => {
    const guild = await createGuild(ada, 'Of ada');
    await invite(ada, guild, grace);
    const { body } = await askWithToken(server, '/users/@me/guilds?with_counts=true', await tokenFor('guilds'));
    expect(body).toContainEqual(
      expect.objectContaining({
        id: guild.id,
        name: 'Of ada',
        owner: false,
        permissions: expect.stringMatching(/^\d+$/),
        approximate_member_count: 2,
      }),
    );
    expect((await askWithToken(server, '/users/@me/guilds', await tokenFor('identify'))).body.code).toBe(50026);
  });

  it("PUT /guilds/{id}/members/{user} adds a user who granted guilds.join to the bot's own application", async () => {
    const guild = await createGuild(ada, 'To join');
    const code = await grantCode(server, ada, client, { scope: 'bot identify', guildId: guild.id });
    expect((await redeem(code)).status).toBe(200);
    const put = async (accessToken: string, userId = grace.id) => {
      const answer = await fetch(`${server.origin}/api/v10/guilds/${guild.id}/members/${userId}`, {
        method: 'PUT',
        headers: { authorization: `Bot ${client.botToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ access_token: accessToken }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text ? JSON.parse(text) : null };
    };
    const othersToken = await postForm(server, {
      grant_type: 'authorization_code',
      code: await grantCode(server, grace, other, { scope: 'guilds.join' }),
      redirect_uri: REDIRECT_URI,
      ...inForm(other),
    });
    expect(await put(othersToken.body.access_token)).toMatchObject({ status: 403, body: { code: 50025 } });
    expect(await put(await tokenFor('identify'))).toMatchObject({ status: 403, body: { code: 50026 } });
    const token = await tokenFor('guilds.join');
    expect(await put(token, ada.id)).toMatchObject({ status: 403, body: { code: 50025 } });
    expect(await put(token)).toMatchObject({ status: 201, body: { user: { id: grace.id } } });
    expect(await put(token)).toEqual({ status: 204, body: null });
  });

  it('an invalid one is 401 with code 50025, and a valid one is refused by routes for bots', async () => {
    expect(await askWithToken(server, '/users/@me', 'nonsense')).toMatchObject({ status: 401, body: { code: 50025 } });
    expect(await askWithToken(server, '/applications/@me', await tokenFor('identify'))).toMatchObject({
      status: 403,
      body: { code: 20002 },
    });
  });

  it('is refused in the portal, which needs a session; an invalid one is a missing session', async () => {
    expect(await askWithToken(server, '/developer-portal/teams', await tokenFor('identify'))).toMatchObject({
      status: 403,
      body: { code: 50013, message: 'This endpoint requires a portal session' },
    });
    expect(await askWithToken(server, '/developer-portal/teams', 'nonsense')).toMatchObject({
      status: 401,
      body: { code: 0, message: '401: Unauthorized' },
    });
  });
});

describe('POST /developer-portal/applications/{id}/reset-secret', () => {
  it('returns the new secret once, and the old one stops working at once', async () => {
    const made = await createApplication(ada, 'Reset me');
    const answer = await fetch(`${server.origin}/developer-portal/applications/${made.id}/reset-secret`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}` },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { secret } = (await answer.json()) as { secret: string };
    const form = { grant_type: 'client_credentials', scope: 'identify', client_id: made.id };
    expect((await postForm(server, { ...form, client_secret: made.clientSecret })).status).toBe(401);
    expect((await postForm(server, { ...form, client_secret: secret })).status).toBe(200);
  });

  it('is reserved for the owner: refused for other users, bots and foreign pages', async () => {
    const url = `${server.origin}/developer-portal/applications/${client.id}/reset-secret`;
    const as = async (headers: Record<string, string>) => (await fetch(url, { method: 'POST', headers })).status;
    expect(await as({ authorization: `Bearer ${grace.token}` })).toBe(404);
    expect(await as({ authorization: `Bot ${client.botToken}` })).toBe(403);
    expect(await as({ cookie: ada.cookie, origin: 'https://evil.example' })).toBe(403);
    expect(await as({})).toBe(401);
  });
});

describe('an unsupported method', () => {
  const prefixes = ['', '/api', '/api/v10', '/api/v9'];
  it.each([
    ...prefixes.flatMap((prefix) => [
      ['GET', `${prefix}/oauth2/token`, 'POST'],
      ['PUT', `${prefix}/oauth2/token`, 'POST'],
      ['GET', `${prefix}/oauth2/token/revoke`, 'POST'],
      ['DELETE', `${prefix}/oauth2/token/revoke`, 'POST'],
    ]),
    ['PUT', '/oauth2/authorize', 'GET, HEAD, POST'],
    ['PUT', '/api/oauth2/authorize', 'GET, HEAD'],
    ['PUT', '/api/v10/oauth2/authorize', 'GET, HEAD'],
    ['GET', '/oauth2/sign-out', 'POST'],
    ['POST', '/oauth2/authorized', 'GET, HEAD'],
    ['POST', '/.well-known/oauth-authorization-server', 'GET, HEAD'],
  ])('%s %s is answered 405 with the allowed methods', async (method, path, allowed) => {
    const body = method === 'GET' ? null : 'token=x';
    const answer = await fetch(`${server.origin}${path}`, { method, body });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({ message: '405: Method Not Allowed', code: 0 });
  });
});

describe('the metadata document', () => {
  it('lists existing endpoints (RFC 8414)', async () => {
    const answer = await fetch(`${server.origin}/.well-known/oauth-authorization-server`);
    const metadata = (await answer.json()) as Record<string, string>;
    const authentication = ['client_secret_basic', 'client_secret_post', 'none'];
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(metadata).toEqual({
      issuer: server.origin,
      authorization_endpoint: `${server.origin}/oauth2/authorize`,
      token_endpoint: `${server.origin}/api/v10/oauth2/token`,
      revocation_endpoint: `${server.origin}/api/v10/oauth2/token/revoke`,
      scopes_supported: [
        'identify',
        'email',
        'guilds',
        'guilds.join',
        'bot',
        'applications.commands',
        'applications.commands.permissions.update',
      ],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: authentication,
      revocation_endpoint_auth_methods_supported: authentication,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    for (const name of ['token_endpoint', 'revocation_endpoint']) {
      expect((await fetch(metadata[name] ?? '', { method: 'POST' })).status).toBe(400);
    }
  });
});
