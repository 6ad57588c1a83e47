import { describe, expect, test } from 'vitest';
import { DomainError } from '../../../src/domain/errors.js';
import {
  type AuthorizationQuery,
  parseAuthorizationQuery,
  RefusedAuthorization,
  readAuthorizationRequest,
} from '../../../src/domain/oauth/index.js';
import { ALL_PERMISSIONS } from '../../../src/domain/permissions.js';
import type { Application } from '../../../src/infra/database/index.js';
import { PLAIN_APPLICATION } from '../../harness/plain-columns.js';

const CALLBACK = 'https://client.example/back';
const NATIVE = 'com.example.app:/back';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const application = (settings: Partial<Application> = {}): Application => ({
  id: 1n,
  name: 'Client',
  description: '',
  iconHash: null,
  coverHash: null,
  publicKey: '00',
  privateKey: '00',
  publicClient: false,
  public: true,
  guildMembersIntent: true,
  presencesIntent: true,
  messageContentIntent: true,
  userInstall: true,
  serverInstall: true,
  serverInstallScopes: ['bot', 'applications.commands'],
  serverInstallPermissions: '2048',
  userInstallScopes: ['applications.commands'],
  installLinkMode: 'PROVIDED',
  customInstallUrl: null,
  interactionsEndpointUrl: null,
  redirectUris: [CALLBACK, NATIVE],
  ...PLAIN_APPLICATION,
  clientSecretHash: null,
  botTokenHash: null,
  ownerUserId: 2n,
  ownerTeamId: null,
  transferredById: null,
  deletedAt: null,
  ...settings,
});

const read = (query: AuthorizationQuery, settings: Partial<Application> = {}) =>
  readAuthorizationRequest(application(settings), query);

/** Where and how a request is refused: at its redirect URI, or directly ("here"). */
const refusalOf = (query: AuthorizationQuery, settings: Partial<Application> = {}) => {
  try {
    read(query, settings);
  } catch (error) {
    if (error instanceof RefusedAuthorization) return `${error.redirectUri} ${error.refusal.code} ${error.state}`;
    if (error instanceof DomainError) return `here ${error.code}`;
    throw error;
  }
  return 'accepted';
};

const code = { response_type: 'code', redirect_uri: CALLBACK, scope: 'identify' };

describe('the query', () => {
  test('keeps known parameters with a value, and an empty scope', () => {
    expect(parseAuthorizationQuery({ client_id: '1', state: '', scope: '', other: 'x' })).toEqual({
      client_id: '1',
      scope: '',
    });
  });

  test.each([
    ['repeated', { client_id: ['1', '2'], state: ['a', 'b'] }, 'client_id, state'],
    ['too long', { state: 'x'.repeat(4_001) }, 'state'],
  ])('with a %s parameter is refused with its name', (_name, query, names) => {
    expect(() => parseAuthorizationQuery(query)).toThrow(`These parameters are repeated or too long: ${names}.`);
  });

  test('accepts 4,000 characters', () => {
    expect(parseAuthorizationQuery({ state: 'x'.repeat(4_000) }).state).toHaveLength(4_000);
  });
});

describe('a request for a code', () => {
  test('has its scopes, and installs nothing', () => {
    expect(read({ ...code, scope: 'identify email', state: 's' })).toEqual({
      application: application(),
      redirectUri: CALLBACK,
      redirectUriWasStated: true,
      wantsCode: true,
      state: 's',
      codeChallenge: null,
      prompt: 'consent',
      permissions: 0n,
      guildId: null,
      guildIsFixed: false,
      scopes: { SERVER: ['identify', 'email'], USER: ['identify', 'email'] },
      targets: [],
    });
  });

  test('may omit the redirect URI, which defaults to the first one', () => {
    expect(read({ response_type: 'code', scope: 'identify' })).toMatchObject({
      redirectUri: CALLBACK,
      redirectUriWasStated: false,
    });
    expect(refusalOf({ response_type: 'code', scope: 'identify' }, { redirectUris: [] })).toBe('here INVALID_REQUEST');
  });

  test.each<[string, AuthorizationQuery, string]>([
    ['a foreign redirect URI', { ...code, redirect_uri: 'https://evil.example/' }, 'here INVALID_REQUEST'],
    ['another response type', { ...code, response_type: 'token' }, `${CALLBACK} UNSUPPORTED_RESPONSE_TYPE null`],
    ['no response type', { redirect_uri: CALLBACK, scope: 'identify' }, `${CALLBACK} INVALID_REQUEST null`],
    ['no scope', { ...code, scope: '' }, `${CALLBACK} INVALID_SCOPE null`],
    ['an unknown scope', { ...code, scope: 'rpc', state: 's' }, `${CALLBACK} INVALID_SCOPE s`],
    ['another prompt', { ...code, prompt: 'login' }, `${CALLBACK} INVALID_REQUEST null`],
    ['a method without a challenge', { ...code, code_challenge_method: 'S256' }, `${CALLBACK} INVALID_REQUEST null`],
    ['a challenge without its method', { ...code, code_challenge: CHALLENGE }, `${CALLBACK} INVALID_REQUEST null`],
    [
      'the method plain',
      { ...code, code_challenge: CHALLENGE, code_challenge_method: 'plain' },
      `${CALLBACK} INVALID_REQUEST null`,
    ],
    [
      'a challenge that is no hash',
      { ...code, code_challenge: 'x', code_challenge_method: 'S256' },
      `${CALLBACK} INVALID_REQUEST null`,
    ],
    ['permissions of 33 digits', { ...code, permissions: '1'.repeat(33) }, `${CALLBACK} INVALID_REQUEST null`],
    ['permissions that are no number', { ...code, permissions: '0x8' }, `${CALLBACK} INVALID_REQUEST null`],
    ['a guild that is no snowflake', { ...code, guild_id: 'x' }, `${CALLBACK} INVALID_REQUEST null`],
    ['a guild of 21 digits', { ...code, guild_id: '1'.repeat(21) }, `${CALLBACK} INVALID_REQUEST null`],
    ['another word for true', { ...code, disable_guild_select: '1' }, `${CALLBACK} INVALID_REQUEST null`],
    ['another integration type', { ...code, scope: 'bot', integration_type: '2' }, `${CALLBACK} INVALID_REQUEST null`],
    ['a prompt that is known', { ...code, prompt: 'none' }, 'accepted'],
    ['consent', { ...code, prompt: 'consent' }, 'accepted'],
    ['a guild of 20 digits', { ...code, guild_id: '1'.repeat(20) }, 'accepted'],
  ])('with %s', (_name, query, expected) => {
    expect(refusalOf(query)).toBe(expected);
  });

  test('keeps prompt=none', () => {
    expect(read({ ...code, prompt: 'none' }).prompt).toBe('none');
  });
});

describe('PKCE', () => {
  const withChallenge = { ...code, code_challenge: CHALLENGE, code_challenge_method: 'S256' };

  test.each<[string, string, boolean, string]>([
    ['a client with a secret may leave it out', CALLBACK, false, 'accepted'],
    ['a public client may not', CALLBACK, true, `${CALLBACK} INVALID_REQUEST null`],
    ['nor who is answered at a private-use scheme', NATIVE, false, `${NATIVE} INVALID_REQUEST null`],
  ])('%s', (_name, redirectUri, publicClient, expected) => {
    expect(refusalOf({ ...code, redirect_uri: redirectUri }, { publicClient })).toBe(expected);
    expect(read({ ...withChallenge, redirect_uri: redirectUri }, { publicClient }).codeChallenge).toBe(CHALLENGE);
  });

  test('is not needed for an installation without a code', () => {
    expect(refusalOf({ scope: 'bot' }, { publicClient: true })).toBe('accepted');
  });
});

describe('an installation', () => {
  test('with the client id alone uses the settings of the application', () => {
    expect(read({})).toMatchObject({
      scopes: { SERVER: ['bot', 'applications.commands'], USER: ['applications.commands'] },
      targets: ['SERVER', 'USER'],
      permissions: 2048n,
      redirectUri: null,
      wantsCode: false,
    });
  });

  test.each<AuthorizationQuery>([{ scope: 'bot' }, { integration_type: '0', scope: 'bot' }])(
    'with any other parameter uses only what it states, as with %j',
    (query) => {
      expect(read(query)).toMatchObject({ scopes: { SERVER: ['bot'] }, targets: ['SERVER'], permissions: 0n });
    },
  );

  test.each<AuthorizationQuery>([{ integration_type: '0' }, { redirect_uri: CALLBACK }])(
    'with %j alone has no scope, and is refused',
    (query) => {
      expect(refusalOf(query)).toContain('INVALID_SCOPE');
    },
  );

  test.each<[string, Partial<Application>, AuthorizationQuery, string[]]>([
    ['both', {}, {}, ['SERVER', 'USER']],
    ['a server only', { userInstall: false }, {}, ['SERVER']],
    ['the person only', { serverInstall: false }, {}, ['USER']],
    ['a server, by the type', {}, { integration_type: '0', scope: 'applications.commands' }, ['SERVER']],
    ['the person, by the type', {}, { integration_type: '1', scope: 'applications.commands' }, ['USER']],
    ['a server, where a bot lives', {}, { scope: 'bot' }, ['SERVER']],
  ])('may go to %s', (_name, settings, query, expected) => {
    expect(read(query, settings).targets).toEqual(expected);
  });

  test.each<[string, Partial<Application>, AuthorizationQuery]>([
    ['the person, where it is for servers', { userInstall: false }, { integration_type: '1', scope: 'bot identify' }],
    ['the person with a bot alone', {}, { integration_type: '1', scope: 'bot' }],
    ['a server, where it is for people', { serverInstall: false }, { scope: 'bot' }],
  ])('may not go to %s', (_name, settings, query) => {
    expect(refusalOf(query, settings)).toBe('here INVALID_REQUEST');
  });

  test('with scopes that install nothing needs a code and a redirect URI', () => {
    const query = { scope: 'bot identify' };
    expect(refusalOf(query)).toBe('here INVALID_REQUEST');
    expect(refusalOf({ ...query, response_type: 'code' })).toBe('accepted');
    expect(refusalOf({ ...query, response_type: 'code' }, { redirectUris: [] })).toBe('here INVALID_REQUEST');
    expect(refusalOf({ scope: 'bot', response_type: 'code' }, { redirectUris: [] })).toBe('accepted');
  });

  test('without any scope is refused', () => {
    const none = { serverInstallScopes: [], userInstallScopes: [] };
    expect(refusalOf({}, none)).toBe('here INVALID_SCOPE');
  });

  test('requests known permissions only', () => {
    expect(read({ scope: 'bot', permissions: '9'.repeat(32) }).permissions).toBe(
      BigInt('9'.repeat(32)) & ALL_PERMISSIONS,
    );
    expect(read({ permissions: '8' }).permissions).toBe(8n);
  });

  test.each<[AuthorizationQuery, bigint | null, boolean]>([
    [{}, null, false],
    [{ guild_id: '5' }, 5n, false],
    [{ guild_id: '5', disable_guild_select: 'false' }, 5n, false],
    [{ guild_id: '5', disable_guild_select: 'true' }, 5n, true],
    [{ disable_guild_select: 'true' }, null, false],
  ])('with %j selects the guild %s, fixed: %s', (query, guildId, guildIsFixed) => {
    expect(read(query)).toMatchObject({ guildId, guildIsFixed });
  });
});

describe('the provided install link has the scopes of a server', () => {
  const provided = { scope: 'applications.commands bot', permissions: '2048' };
  const settings = { userInstallScopes: ['applications.commands', 'identify'] };
  const code = { response_type: 'code' };

  test('and requests those of the user context for a user', () => {
    expect(read({ ...provided, ...code }, settings).scopes.USER).toEqual(['identify', 'applications.commands']);
  });

  test.each<[string, AuthorizationQuery, Partial<Application>]>([
    ['another set of scopes', { ...provided, scope: 'applications.commands bot email' }, {}],
    ['fewer scopes', { ...provided, scope: 'applications.commands' }, {}],
    ['other scopes', { ...provided, scope: 'applications.commands email' }, {}],
    ['an integration type', { ...provided, integration_type: '1' }, {}],
    ["a link of the application's own", provided, { installLinkMode: 'CUSTOM' }],
    ['no link', provided, { installLinkMode: 'NONE' }],
    ['one context, people', provided, { serverInstall: false }],
  ])('but not with %s', (_name, query, more) => {
    const { scopes } = read({ ...query, ...code }, { ...settings, ...more });
    expect(scopes.USER).toEqual(query.scope?.split(' ').filter((scope) => scope !== 'bot'));
  });

  test('but not with one context, servers', () => {
    expect(read({ ...provided, ...code }, { ...settings, userInstall: false }).scopes.USER).toEqual([
      'applications.commands',
    ]);
  });
});
