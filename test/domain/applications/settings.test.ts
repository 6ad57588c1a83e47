import { afterAll, beforeEach, describe, expect } from 'vitest';
import { startEndpoint, type TestEndpoint } from '../../harness/endpoint.js';
import { it } from '../../harness/fixtures.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../../harness/people.js';
import type { TestServer } from '../../harness/server.js';
import { askUpdate, faultsOf, update } from '../../harness/settings.js';

let server: TestServer;
let owner: Person;
let stranger: Person;
let application: MadeApplication;
let endpoint: TestEndpoint;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  endpoint = await startEndpoint();
  owner = await signUp(server, 'owner');
  stranger = await signUp(server, 'stranger');
});
beforeEach(async () => {
  application = await createApplication(owner, 'Helper');
  endpoint.trust(application.publicKey);
});
afterAll(async () => {
  await endpoint.close();
});

const change = (input: object) => update(owner, application.id, input);
const askFor = (input: object) => askUpdate(owner, application.id, input);
const row = () => server.app.db.reader.application.findUniqueOrThrow({ where: { id: BigInt(application.id) } });
const MANY_SCOPES = Array.from({ length: 26 }, (_, index) => `scope.${index}`);

async function auditedChanges(): Promise<unknown[]> {
  const entries = await server.app.db.reader.auditEntry.findMany({
    where: { applicationId: BigInt(application.id), action: 'APPLICATION_UPDATE' },
    orderBy: { id: 'asc' },
  });
  return entries.map((entry) => entry.changes);
}

type Refusal<Input> = [string, Input, Record<string, string[]>];

describe('an application setting', () => {
  it.each([
    ['name', { name: '  New name ' }, { name: 'New name' }],
    ['name of 32 characters beyond the basic plane', { name: '🦊'.repeat(32) }, { name: '🦊'.repeat(32) }],
    ['description', { description: 'x'.repeat(400) }, { description: 'x'.repeat(400) }],
    ['empty description', { description: '' }, { description: '' }],
    ['public client', { publicClient: true }, { publicClient: true }],
    ['public toggle', { public: false }, { public: false }],
    ['privileged intents', { privilegedIntents: ['PRESENCES'] }, { privilegedIntents: ['PRESENCES'] }],
    ['no privileged intent', { privilegedIntents: [] }, { privilegedIntents: [] }],
    ['user install', { userInstall: true }, { userInstall: true, serverInstall: true }],
    [
      'user install instead of server install',
      { userInstall: true, serverInstall: false },
      { userInstall: true, serverInstall: false },
    ],
    ['link mode', { installLinkMode: 'NONE' }, { installLinkMode: 'NONE', installUrl: null }],
    [
      'custom install URL with its mode',
      { installLinkMode: 'CUSTOM', customInstallUrl: 'https://bot.example/add?a=b' },
      { customInstallUrl: 'https://bot.example/add?a=b', installUrl: 'https://bot.example/add?a=b' },
    ],
    [
      'redirect URIs, each once',
      { redirectUris: ['https://bot.example/back', 'http://localhost:3000/', 'https://bot.example/back'] },
      { redirectUris: ['https://bot.example/back', 'http://localhost:3000/'] },
    ],
    [
      'redirect URIs of this device and of a private-use scheme',
      { redirectUris: ['http://127.0.0.1/', 'http://[::1]:8080/x?y', 'com.example.app:/cb', 'com.example.app://cb'] },
      { redirectUris: ['http://127.0.0.1/', 'http://[::1]:8080/x?y', 'com.example.app:/cb', 'com.example.app://cb'] },
    ],
    [
      'URLs with lone surrogates, which are replaced',
      {
        customInstallUrl: 'https://a.b/\ud800',
        redirectUris: ['https://a.b/\ud800'],
      },
      {
        customInstallUrl: 'https://a.b/\ufffd',
        redirectUris: ['https://a.b/\ufffd'],
      },
    ],
  ])('accepts a %s', async (_what, input, expected) => {
    expect(await change(input)).toMatchObject(expected);
  });

  it.each([
    ['interactions endpoint URL', '', ''],
    ['interactions endpoint URL with lone surrogates, which are replaced', '/\udfff', '/\ufffd'],
  ])('accepts an %s', async (_what, given, kept) => {
    const interactionsEndpointUrl = `${endpoint.url}${kept}`;
    expect(await change({ interactionsEndpointUrl: `${endpoint.url}${given}` })).toMatchObject({
      interactionsEndpointUrl,
    });
  });

  const REFUSED: Refusal<object>[] = [
    ['name that is too short', { name: ' a ' }, { name: ['BASE_TYPE_BAD_LENGTH'] }],
    ['name that is too long', { name: 'x'.repeat(33) }, { name: ['BASE_TYPE_BAD_LENGTH'] }],
    ['description that is too long', { description: 'x'.repeat(401) }, { description: ['BASE_TYPE_BAD_LENGTH'] }],
    ['last context going off', { serverInstall: false }, { serverInstall: ['BASE_TYPE_INVALID'] }],
    ['both contexts going off', { serverInstall: false, userInstall: false }, { serverInstall: ['BASE_TYPE_INVALID'] }],
    ['custom mode without a URL', { installLinkMode: 'CUSTOM' }, { customInstallUrl: ['BASE_TYPE_REQUIRED'] }],
    ...[
      'http://bot.example/',
      'bot.example',
      'https:bot.example',
      'https://a:b@bot.example/',
      'https://',
      'https:///x',
      'https:////bot.example/',
      'https://?x',
      'javascript:1',
    ].map(
      (customInstallUrl): Refusal<object> => [
        `custom install URL ${customInstallUrl}`,
        { customInstallUrl },
        { customInstallUrl: ['URL_TYPE_INVALID_URL'] },
      ],
    ),
    [
      'interactions endpoint that is no URL',
      { interactionsEndpointUrl: 'ftp://bot.example' },
      { interactionsEndpointUrl: ['URL_TYPE_INVALID_URL'] },
    ],
    [
      'interactions endpoint without a host',
      { interactionsEndpointUrl: 'http:///x' },
      { interactionsEndpointUrl: ['URL_TYPE_INVALID_URL'] },
    ],
    ...['https:///x', 'http:///x', 'https://?x', 'https:/x', 'https:x'].map(
      (uri): Refusal<object> => [
        `redirect URI without a host, ${uri}`,
        { redirectUris: [uri] },
        { 'redirectUris.0': ['URL_TYPE_INVALID_URL'] },
      ],
    ),
    ...[
      'http://bot.example/back',
      'http://127.0.0.1.example/',
      'http://localhost.example/',
      'myapp:/cb',
      'myapp://callback',
      'search-ms:/x',
      'ms-appinstaller:/x',
      'vscode://x',
      'javascript:/x',
      'javascript://bot.example/%0aalert(1)',
      'com.example.app:cb',
      '.app:/cb',
      'com.:/cb',
      'com..app:/cb',
      '1.app:/cb',
      'ftp://bot.example/',
      'ws://localhost/',
    ].map(
      (uri): Refusal<object> => [
        `redirect URI of no allowed form, ${uri}`,
        { redirectUris: ['https://bot.example/', uri] },
        { 'redirectUris.1': ['URL_TYPE_INVALID_URL'] },
      ],
    ),
    [
      'redirect URI with U+0000',
      { redirectUris: ['https://bot.example/\u0000'] },
      { 'redirectUris.0': ['STRING_TYPE_REGEX'] },
    ],
    [
      'eleventh redirect URI',
      { redirectUris: Array.from({ length: 11 }, (_, index) => `https://bot.example/${index}`) },
      { redirectUris: ['BASE_TYPE_BAD_LENGTH'] },
    ],
    [
      'redirect URI with a fragment',
      { redirectUris: ['https://bot.example/', 'https://bot.example/#x'] },
      { 'redirectUris.1': ['URL_TYPE_INVALID_URL'] },
    ],
    [
      'every fault at once',
      { name: '', customInstallUrl: 'x' },
      { name: ['BASE_TYPE_BAD_LENGTH'], customInstallUrl: ['URL_TYPE_INVALID_URL'] },
    ],
  ];

  it.each(REFUSED)('refuses a %s and names the path of the error', async (_what, input, expected) => {
    const before = await row();
    const answer = await askFor({ description: 'must not stay', ...input });
    expect(answer.errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(faultsOf(answer)).toEqual(expected);
    expect(await row()).toEqual(before);
  });

  it('that is omitted stays as it is, and null clears only the URLs', async () => {
    const settings = {
      description: 'kept',
      installLinkMode: 'PROVIDED',
      customInstallUrl: 'https://bot.example/add',
      interactionsEndpointUrl: endpoint.url,
      redirectUris: ['https://bot.example/back'],
    };
    await change(settings);
    expect(await change({ publicClient: true })).toMatchObject({ ...settings, publicClient: true });
    expect(await change(Object.fromEntries(Object.keys(settings).map((key) => [key, null])))).toMatchObject({
      ...settings,
      customInstallUrl: null,
      interactionsEndpointUrl: null,
    });
  });

  it('refuses to clear a custom install URL that its mode needs', async () => {
    await change({ installLinkMode: 'CUSTOM', customInstallUrl: 'https://bot.example/add' });
    expect(faultsOf(await askFor({ customInstallUrl: null }))).toEqual({ customInstallUrl: ['BASE_TYPE_REQUIRED'] });
    expect(faultsOf(await askFor({ customInstallUrl: '' }))).toEqual({ customInstallUrl: ['BASE_TYPE_REQUIRED'] });
  });

  it("of another user's application returns NOT_FOUND", async () => {
    const answer = await askUpdate(stranger, application.id, { name: 'Mine' });
    expect(answer.errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await row()).name).toBe('Helper');
  });

  it('keeps one context on if two changes at once turn off one each', async () => {
    await change({ userInstall: true });
    const answers = await Promise.all([askFor({ userInstall: false }), askFor({ serverInstall: false })]);
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    const { userInstall, serverInstall } = await row();
    expect([userInstall, serverInstall].filter(Boolean)).toHaveLength(1);
  });
});

describe('default install settings', () => {
  it('keep scopes as given, without duplicates, and permissions for a server only', async () => {
    const { defaultInstallSettings } = await change({
      userInstall: true,
      defaultInstallSettings: [
        { context: 'USER', scopes: ['applications.commands', 'applications.commands'] },
        { context: 'SERVER', scopes: ['applications.commands', 'bot', 'x_y-z.9', 'bot'], permissions: '9'.repeat(32) },
      ],
    });
    expect(defaultInstallSettings).toEqual([
      { context: 'SERVER', scopes: ['applications.commands', 'bot', 'x_y-z.9'], permissions: '9'.repeat(32) },
      { context: 'USER', scopes: ['applications.commands'], permissions: null },
    ]);
  });

  it('keep up to 25 scopes, not counting duplicates', async () => {
    const scopes = MANY_SCOPES.slice(0, 25);
    const settings = [{ context: 'SERVER', scopes: [...scopes, ...scopes] }];
    expect((await change({ defaultInstallSettings: settings })).defaultInstallSettings[0].scopes).toEqual(scopes);
  });

  it('of one context leave the other context and omitted permissions unchanged', async () => {
    await change({
      userInstall: true,
      defaultInstallSettings: [{ context: 'SERVER', scopes: ['bot'], permissions: '8' }],
    });
    const { defaultInstallSettings } = await change({
      defaultInstallSettings: [{ context: 'SERVER', scopes: ['bot', 'identify'] }],
    });
    expect(defaultInstallSettings).toEqual([
      { context: 'SERVER', scopes: ['bot', 'identify'], permissions: '8' },
      { context: 'USER', scopes: ['applications.commands'], permissions: null },
    ]);
  });

  const REFUSED: Refusal<object[]>[] = [
    [
      '26 scopes',
      [{ context: 'SERVER', scopes: MANY_SCOPES }],
      { 'defaultInstallSettings.0.scopes': ['BASE_TYPE_BAD_LENGTH'] },
    ],
    ...['Bot', 'a b', 'ü', '', 'a/b', 'x'.repeat(65)].map(
      (scope): Refusal<object[]> => [
        `scope "${scope}"`,
        [{ context: 'SERVER', scopes: ['bot', scope] }],
        { 'defaultInstallSettings.0.scopes.1': ['STRING_TYPE_REGEX'] },
      ],
    ),
    ...['9'.repeat(33), '-1', '0x8', '1.5', ''].map(
      (permissions): Refusal<object[]> => [
        `permissions "${permissions}"`,
        [{ context: 'SERVER', scopes: ['bot'], permissions }],
        { 'defaultInstallSettings.0.permissions': ['BASE_TYPE_INVALID'] },
      ],
    ),
    [
      'permissions for a person',
      [{ context: 'USER', scopes: [], permissions: '0' }],
      { 'defaultInstallSettings.0.permissions': ['BASE_TYPE_INVALID'] },
    ],
    [
      'a bot for a person',
      [{ context: 'USER', scopes: ['bot'] }],
      { 'defaultInstallSettings.0.scopes': ['BASE_TYPE_INVALID'] },
    ],
    [
      'one context twice',
      [
        { context: 'USER', scopes: [] },
        { context: 'USER', scopes: [] },
      ],
      { defaultInstallSettings: ['BASE_TYPE_INVALID'] },
    ],
  ];

  it.each(REFUSED)('refuse %s', async (_what, defaultInstallSettings, expected) => {
    const answer = await askFor({ defaultInstallSettings });
    expect(answer.errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(faultsOf(answer)).toEqual(expected);
  });
});

describe('a refusal of permissions states the rule', () => {
  it.each([
    ['for a person', { context: 'USER', scopes: [], permissions: '8' }, 'only available for server installs'],
    ['of 33 digits', { context: 'SERVER', scopes: ['bot'], permissions: '9'.repeat(33) }, 'up to 32 digits'],
  ])('%s', async (_what, settings, text) => {
    const { errors } = await askFor({ defaultInstallSettings: [settings] });
    expect(errors[0]?.extensions.fields).toEqual({
      'defaultInstallSettings.0.permissions': [{ code: 'BASE_TYPE_INVALID', message: expect.stringContaining(text) }],
    });
  });
});

describe('the provided install link', () => {
  const settings = [
    { context: 'SERVER', scopes: ['applications.commands', 'bot'], permissions: '2048' },
    { context: 'USER', scopes: ['applications.commands'] },
  ];
  const link = (query: string) => `${server.origin}/oauth2/authorize?client_id=${application.id}&${query}`;

  it('has the integration type of servers if only server installs are on', async () => {
    const { installUrl } = await change({ defaultInstallSettings: settings });
    expect(installUrl).toBe(
      link('permissions=2048&scope=applications.commands%20bot&integration_type=0&response_type=code'),
    );
  });

  it('has the integration type of users and no permissions if only user installs are on', async () => {
    const { installUrl } = await change({ serverInstall: false, userInstall: true, defaultInstallSettings: settings });
    expect(installUrl).toBe(link('permissions=0&scope=applications.commands&integration_type=1&response_type=code'));
  });

  it('omits the integration type if both are on, and requests the server permissions', async () => {
    const { installUrl } = await change({ userInstall: true, defaultInstallSettings: settings });
    expect(installUrl).toBe(link('permissions=2048&scope=applications.commands%20bot&response_type=code'));
  });

  it('omits unsupported scopes', async () => {
    const { installUrl } = await change({
      defaultInstallSettings: [{ context: 'SERVER', scopes: ['messages.read', 'bot', 'rpc'], permissions: '0' }],
    });
    expect(installUrl).toBe(link('permissions=0&scope=bot&integration_type=0&response_type=code'));
  });
});

describe('a change of settings', () => {
  it('is audited with the old and new values of the changed settings only', async () => {
    await change({ name: 'Helper', description: 'new', userInstall: true, redirectUris: ['https://bot.example/'] });
    expect(await auditedChanges()).toEqual([
      {
        description: { old: '', new: 'new' },
        userInstall: { old: false, new: true },
        redirectUris: { old: [], new: ['https://bot.example/'] },
      },
    ]);
  });

  it('that changes nothing is not audited', async () => {
    await change({
      name: 'Helper',
      redirectUris: [],
      privilegedIntents: ['MESSAGE_CONTENT', 'PRESENCES', 'GUILD_MEMBERS'],
    });
    expect(await auditedChanges()).toEqual([]);
  });

  it('of the name renames the bot, and its requests return the new name at once', async () => {
    const me = async () => {
      const headers = { authorization: `Bot ${application.botToken}` };
      const response = await fetch(`${server.origin}/api/v10/users/@me`, { headers });
      return ((await response.json()) as { username: string }).username;
    };
    expect(await me()).toBe('Helper');
    expect(await change({ name: 'Renamed' })).toMatchObject({ bot: { username: 'Renamed' } });
    expect(await me()).toBe('Renamed');
  });
});
