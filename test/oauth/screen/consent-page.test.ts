import { describe, expect, test } from 'vitest';
import type { AuthorizationRequest, InstallableGuild } from '../../../src/domain/oauth/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import type { User } from '../../../src/infra/database/index.js';
import { type Consent, consentPage } from '../../../src/oauth/screen/consent-page.js';

const user = (username: string): User => ({
  id: 1n,
  username,
  handle: username,
  globalName: null,
  avatarHash: null,
  bot: false,
  deletedAt: null,
});

const guild = (id: bigint, name: string, box: InstallableGuild['box'] = null): InstallableGuild => ({ id, name, box });

const request = (facts: Partial<AuthorizationRequest> = {}, application: object = {}): AuthorizationRequest => ({
  application: {
    ...({ id: 7n, name: 'ärger', description: '', iconHash: null } as AuthorizationRequest['application']),
    ...application,
  },
  scopes: { SERVER: ['bot', 'identify'], USER: ['identify', 'email'] },
  targets: ['SERVER', 'USER'],
  permissions: Permission.Administrator | Permission.SendMessages,
  guildId: null,
  guildIsFixed: false,
  redirectUri: 'https://client.example/back',
  redirectUriWasStated: true,
  wantsCode: true,
  state: null,
  codeChallenge: null,
  prompt: 'consent',
  ...facts,
});

function page(asked: AuthorizationRequest = request(), facts: Partial<Consent> = {}): string {
  const consent: Consent = {
    request: asked,
    query: { client_id: '7' },
    signedIn: { person: user('ada'), csrfToken: 'the token' },
    bot: user('helper'),
    maker: { kind: 'person', name: 'cleo' },
    serverCount: 2,
    guilds: [guild(5n, 'Harbour'), guild(6n, 'Forest')],
    choice: { target: 'SERVER', guildId: 6n, scopes: ['bot', 'identify'], permissions: Permission.SendMessages },
    faults: {},
    status: 200,
    ...facts,
  };
  return consentPage(consent).body.text.replaceAll('\n', '');
}

/** Returns the values of the inputs with a name. Checked ones have a star. */
const inputs = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`<input type="\\w+"[^>]*name="${name}" value="([^"]*)"( checked)?>`, 'g'))].map(
    ([, value, checked]) => `${value}${checked ? '*' : ''}`,
  );

describe('the consent screen', () => {
  test('names the application, its bot and the user', () => {
    const text = page();
    expect(text).toContain('<h1>Authorize <bdi>ärger</bdi>?</h1>');
    expect(text).toContain('Its bot is named <bdi>helper</bdi>.');
    expect(text).toContain('Signed in as <bdi>ada</bdi>');
    expect(text).toContain('<div class="icon letter" aria-hidden="true">Ä</div>');
    expect(text).not.toContain('<img');
    expect(text.match(/name="csrf" value="the token"/g)).toHaveLength(2);
  });

  test.each<[Partial<Consent>, string]>([
    [{}, 'Created by <bdi>cleo</bdi> on 1 January 2015. Installed in 2 servers.'],
    [
      { maker: { kind: 'team', name: 'O<tt>ers' }, serverCount: 1 },
      'Created by the team <bdi>O&lt;tt&gt;ers</bdi> on 1 January 2015. Installed in 1 server.',
    ],
    [{ serverCount: 0 }, 'Installed in no servers yet.'],
  ])('shows the owner, the creation date and the number of servers: %j', (facts, text) => {
    expect(page(request(), facts)).toContain(text);
  });

  test("omits the bot's name if it equals the application's", () => {
    expect(page(request(), { bot: user('ärger') })).not.toContain('Its bot is named');
  });

  test('has a title that shows whether there is a fault', () => {
    const consent = (faults: Consent['faults']) =>
      consentPage({ ...({} as Consent), ...defaults(), faults, status: 400 });
    expect(consent({})).toMatchObject({
      title: 'Authorize ärger',
      status: 400,
      leadsTo: 'https://client.example/back',
    });
    expect(consent({ whole: 'Why.' })).toMatchObject({ title: 'Error: Authorize ärger' });
  });

  test('shows the icon and the description if there are any', () => {
    const text = page(request({}, { iconHash: 'abc', description: 'It helps.' }));
    expect(text).toContain('<img class="icon" src="/cdn/app-icons/7/abc.png" alt="">');
    expect(text).toContain('<p class="soft">It helps.</p>');
    expect(text).not.toContain('class="icon letter"');
  });

  test.each<[string, Partial<AuthorizationRequest>]>([
    ['is for the person', { targets: ['USER'] }],
    ['asks for no bot', { scopes: { SERVER: ['applications.commands'], USER: [] } }],
    ['installs nothing', { targets: [] }],
  ])('mentions no bot and no permissions if it %s', (_name, facts) => {
    const text = page(request(facts));
    expect(text).not.toContain('Its bot');
    expect(inputs(text, 'permissions')).toEqual([]);
  });

  test('asks for the target only if there is a choice', () => {
    expect(inputs(page(), 'target')).toEqual(['SERVER*', 'USER']);
    expect(inputs(page(request({ targets: ['SERVER'] })), 'target')).toEqual([]);
  });

  test('offers each scope once, and marks those of a single target', () => {
    const text = page();
    expect(inputs(text, 'scopes')).toEqual(['bot*', 'identify*', 'email']);
    expect(text).toMatch(/<li class="server-only"><label><input type="checkbox" name="scopes" value="bot"/);
    expect(text).toMatch(/<li><label><input type="checkbox" name="scopes" value="identify"/);
    expect(text).toMatch(/<li class="user-only"><label><input type="checkbox" name="scopes" value="email"/);
    expect(inputs(page(request({ targets: [] })), 'scopes')).toEqual(['bot*', 'identify*']);
    expect(page(request({ targets: ['USER'] }))).not.toContain('-only"><label>');
  });

  test('offers the requested permissions, and marks the dangerous one', () => {
    const text = page();
    expect(inputs(text, 'permissions')).toEqual(['8', '2048*']);
    expect(text.match(/class="grave"/g)).toHaveLength(1);
    expect(text).toMatch(/<li class="grave"><label><input type="checkbox" name="permissions" value="8"/);
    expect(inputs(page(request({ permissions: 0n })), 'permissions')).toEqual([]);
    expect(page(request({ permissions: 0n }))).not.toContain('Bot permissions');
  });

  test('shows the destination if there is one', () => {
    expect(page()).toContain('you will be redirected to <bdi>https://client.example</bdi>');
    expect(page(request({ redirectUri: null }))).not.toContain('you will be redirected');
  });
});

function defaults(): Consent {
  return {
    request: request(),
    query: {},
    signedIn: { person: user('ada'), csrfToken: 't' },
    bot: user('helper'),
    maker: { kind: 'person', name: 'cleo' },
    serverCount: 0,
    guilds: [],
    choice: { target: null, guildId: null, scopes: [], permissions: 0n },
    faults: {},
    status: 200,
  };
}

describe('the server choice', () => {
  const installing = { SERVER: ['bot' as const], USER: [] };
  const toServer = (facts: Partial<AuthorizationRequest> = {}) =>
    request({ targets: ['SERVER'], scopes: installing, ...facts });

  test('lists the servers with permission to install', () => {
    const text = page(toServer());
    expect(text).toContain('<select id="guild" name="guild_id" required>');
    expect(text).toContain('<option value="5">Harbour</option><option value="6" selected>Forest</option>');
  });

  test.each<[string, Partial<AuthorizationRequest>]>([
    ['the person can do without', { targets: ['SERVER', 'USER'] }],
    ['more is asked for than to install', { scopes: { SERVER: ['bot', 'identify'], USER: [] } }],
  ])('is not required if %s', (_name, facts) => {
    expect(page(toServer(facts))).toContain('<select id="guild" name="guild_id">');
  });

  test('is not shown for a user installation', () => {
    expect(page(request({ targets: ['USER'] }))).not.toContain('server-only');
  });

  const ALLOW = 'name="decision" value="authorize"';

  test('reports that there is no server, and then allows only what needs none', () => {
    const text = page(toServer(), { guilds: [] });
    expect(text).toContain('You have no server to add it to');
    expect(text).toContain('create your own server');
    for (const hidden of [ALLOW, 'Allow this application to', 'Bot permissions']) expect(text).not.toContain(hidden);
    expect(page(toServer({ targets: ['SERVER', 'USER'] }), { guilds: [] })).toContain(ALLOW);
    expect(page(toServer({ targets: [] }), { guilds: [] })).toContain(ALLOW);
    expect(page(toServer({ scopes: { SERVER: ['bot', 'identify'], USER: [] } }), { guilds: [] })).toContain(ALLOW);
    expect(page(toServer())).toContain(ALLOW);
  });

  test('marks self-hosted servers, and those that are unreachable', () => {
    const guilds = [guild(5n, 'Attic', 'connected'), guild(6n, 'Cellar', 'away')];
    const text = page(toServer(), { guilds });
    expect(text).toContain('<option value="5">Attic (self-hosted)</option>');
    expect(text).toContain('<option value="6" selected>Cellar (self-hosted, offline)</option>');
    const fixed = page(toServer({ guildIsFixed: true, guildId: 6n }), { guilds });
    expect(fixed).toContain('<bdi>Cellar</bdi> (self-hosted, offline)</p>');
    expect(fixed).toContain(ALLOW);
  });

  test('may be locked by the link', () => {
    const fixed = page(toServer({ guildIsFixed: true, guildId: 5n }));
    expect(fixed).toContain('<p class="hint"><bdi>Harbour</bdi></p>');
    expect(fixed).not.toContain('<select');
    expect(fixed).toContain(ALLOW);
    const foreign = page(toServer({ guildIsFixed: true, guildId: 9n }));
    expect(foreign).toContain('You cannot add the application to the server in this link.');
    expect(foreign).not.toContain(ALLOW);
  });

  test('shows its fault next to it', () => {
    const text = page(toServer(), { faults: { guildId: 'Not that one.' } });
    expect(text).toContain('role="alert"');
    expect(text).toContain('<p class="fault" id="fault-guildId">Not that one.</p>');
    expect(text).toContain('aria-describedby="fault-guildId" aria-invalid="true" autofocus>');
    expect(page(toServer())).not.toMatch(/aria-describedby|aria-invalid|role="alert"/);
  });
});
