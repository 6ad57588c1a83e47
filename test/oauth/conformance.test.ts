import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../harness/people.js';
import { formIn, Visitor } from '../harness/screen.js';
import type { TestServer } from '../harness/server.js';

const REDIRECT_URI = 'http://127.0.0.1:8123/callback';

let server: TestServer;
let grace: Person;
let client: MadeApplication;
let publicClient: MadeApplication;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  grace = await signUp(server, 'grace');
  client = await createApplication(grace, 'Confidential');
  publicClient = await createApplication(grace, 'Public');
  const settings =
    'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { id } } }';
  const update = (application: MadeApplication, input: object) =>
    grace.graphql(settings, { input: { applicationId: application.id, redirectUris: [REDIRECT_URI], ...input } });
  await update(client, {});
  await update(publicClient, { publicClient: true });
});

async function approve(address: URL): Promise<URL> {
  const browser = new Visitor(server, grace);
  const page = await browser.get(address.pathname + address.search);
  const { location } = await browser.send(formIn(page, '/oauth2/authorize'), { decision: 'authorize' });
  return new URL(location ?? '');
}

describe('an unmodified openid-client', () => {
  const discover = (id: string, secret?: string) =>
    openid.discovery(new URL(server.origin), id, secret, secret ? undefined : openid.None(), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });

  it.each(['confidential', 'public'])('completes code + PKCE, refresh and revocation as a %s client', async (kind) => {
    const application = kind === 'public' ? publicClient : client;
    const config = await discover(application.id, kind === 'public' ? undefined : application.clientSecret);
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'identify email',
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const tokens = await openid.authorizationCodeGrant(config, await approve(address), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    expect(tokens.token_type).toBe('bearer');
    const me = await openid.fetchProtectedResource(
      config,
      tokens.access_token,
      new URL(`${server.origin}/api/v10/users/@me`),
      'GET',
    );
    expect(await me.json()).toMatchObject({ id: grace.id, email: grace.email });

    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(renewed.access_token).not.toBe(tokens.access_token);
    await openid.tokenRevocation(config, renewed.access_token);
    await expect(openid.refreshTokenGrant(config, renewed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('gets a token with client_credentials', async () => {
    const config = await discover(client.id, client.clientSecret);
    const tokens = await openid.clientCredentialsGrant(config, { scope: 'identify' });
    expect(tokens).not.toHaveProperty('refresh_token');
    expect(tokens.scope).toBe('identify');
  });

  it("receives the user's refusal", async () => {
    const config = await discover(client.id, client.clientSecret);
    const state = openid.randomState();
    const address = openid.buildAuthorizationUrl(config, { redirect_uri: REDIRECT_URI, scope: 'identify', state });
    const browser = new Visitor(server, grace);
    const page = await browser.get(address.pathname + address.search);
    const { location } = await browser.send(formIn(page, '/oauth2/authorize'), { decision: 'cancel' });
    await expect(
      openid.authorizationCodeGrant(config, new URL(location ?? ''), { expectedState: state }),
    ).rejects.toMatchObject({ error: 'access_denied' });
  });
});

describe('an unmodified oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true };

  it.each([
    ['HTTP Basic', (secret: string) => oauth.ClientSecretBasic(secret)],
    ['the form', (secret: string) => oauth.ClientSecretPost(secret)],
  ])('completes code + PKCE, refresh, revocation and client_credentials by %s', async (_way, authentication) => {
    const issuer = new URL(server.origin);
    const discovery = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' });
    const authorizationServer = await oauth.processDiscoveryResponse(issuer, discovery);
    const me: oauth.Client = { client_id: client.id };
    const by = authentication(client.clientSecret);

    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const address = new URL(authorizationServer.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      client_id: client.id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'identify guilds',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();

    const parameters = oauth.validateAuthResponse(authorizationServer, me, await approve(address), state);
    const answer = await oauth.authorizationCodeGrantRequest(
      authorizationServer,
      me,
      by,
      parameters,
      REDIRECT_URI,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(authorizationServer, me, answer);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 604_800, scope: 'identify guilds' });

    const refreshAnswer = await oauth.refreshTokenGrantRequest(
      authorizationServer,
      me,
      by,
      tokens.refresh_token ?? '',
      insecure,
    );
    const renewed = await oauth.processRefreshTokenResponse(authorizationServer, me, refreshAnswer);
    const revocation = await oauth.revocationRequest(authorizationServer, me, by, renewed.access_token, insecure);
    await oauth.processRevocationResponse(revocation);

    const own = await oauth.clientCredentialsGrantRequest(authorizationServer, me, by, { scope: 'identify' }, insecure);
    expect(await oauth.processClientCredentialsResponse(authorizationServer, me, own)).toMatchObject({
      scope: 'identify',
    });
  });
});
