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

/** The inputs of a name: their values, with a star when they are checked. */
const inputs = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`<input type="\\w+"[^>]*name="${name}" value="([^"]*)"( checked)?>`, 'g'))].map(
    ([, value, checked]) => `${value}${checked ? '*' : ''}`,
  );

describe('the screen', () => {
  test('names the application, its bot and the person', () => {
    const text = page();
    expect(text).toContain('<h1>Authorize <bdi>ärger</bdi>?</h1>');
    expect(text).toContain('Its bot is called <bdi>helper</bdi>.');
    expect(text).toContain('Signed in as <bdi>ada</bdi>');
    expect(text).toContain('<div class="icon letter" aria-hidden="true">Ä</div>');
    expect(text).not.toContain('<img');
    expect(text.match(/name="csrf" value="the token"/g)).toHaveLength(2);
  });

  test.each<[Partial<Consent>, string]>([
    [{}, 'Made by <bdi>cleo</bdi> on 1 January 2015, and in 2 servers.'],
    [
      { maker: { kind: 'team', name: 'O<tt>ers' }, serverCount: 1 },
      'Made by the team <bdi>O&lt;tt&gt;ers</bdi> on 1 January 2015, and in one server.',
    ],
    [{ serverCount: 0 }, 'and in no server yet.'],
  ])('says who made the application, when, and where it is already: %j', (facts, text) => {
    expect(page(request(), facts)).toContain(text);
  });

  test('does not say what its bot is called where that says nothing new', () => {
    expect(page(request(), { bot: user('ärger') })).not.toContain('Its bot is called');
  });

  test('has a title that says whether something is wrong', () => {
    const consent = (faults: Consent['faults']) =>
      consentPage({ ...({} as Consent), ...defaults(), faults, status: 400 });
    expect(consent({})).toMatchObject({
      title: 'Authorize ärger',
      status: 400,
      leadsTo: 'https://client.example/back',
    });
    expect(consent({ whole: 'Why.' })).toMatchObject({ title: 'Not yet: Authorize ärger' });
  });

  test('shows the icon and the description where there are any', () => {
    const text = page(request({}, { iconHash: 'abc', description: 'It helps.' }));
    expect(text).toContain('<img class="icon" src="/cdn/app-icons/7/abc.png" alt="">');
    expect(text).toContain('<p class="soft">It helps.</p>');
    expect(text).not.toContain('class="icon letter"');
  });

  test.each<[string, Partial<AuthorizationRequest>]>([
    ['is for the person', { targets: ['USER'] }],
    ['asks for no bot', { scopes: { SERVER: ['applications.commands'], USER: [] } }],
    ['installs nothing', { targets: [] }],
  ])('speaks of no bot and no permissions where it %s', (_name, facts) => {
    const text = page(request(facts));
    expect(text).not.toContain('Its bot');
    expect(inputs(text, 'permissions')).toEqual([]);
  });

  test('asks for the place only where there is a choice', () => {
    expect(inputs(page(), 'target')).toEqual(['SERVER*', 'USER']);
    expect(inputs(page(request({ targets: ['SERVER'] })), 'target')).toEqual([]);
  });

  test('offers the scopes of every place once, and marks those of one', () => {
    const text = page();
    expect(inputs(text, 'scopes')).toEqual(['bot*', 'identify*', 'email']);
    expect(text).toMatch(/<li class="server-only"><label><input type="checkbox" name="scopes" value="bot"/);
    expect(text).toMatch(/<li><label><input type="checkbox" name="scopes" value="identify"/);
    expect(text).toMatch(/<li class="user-only"><label><input type="checkbox" name="scopes" value="email"/);
    expect(inputs(page(request({ targets: [] })), 'scopes')).toEqual(['bot*', 'identify*']);
    expect(page(request({ targets: ['USER'] }))).not.toContain('-only"><label>');
  });

  test('offers the permissions that are asked for, the grave one marked', () => {
    const text = page();
    expect(inputs(text, 'permissions')).toEqual(['8', '2048*']);
    expect(text.match(/class="grave"/g)).toHaveLength(1);
    expect(text).toMatch(/<li class="grave"><label><input type="checkbox" name="permissions" value="8"/);
    expect(inputs(page(request({ permissions: 0n })), 'permissions')).toEqual([]);
    expect(page(request({ permissions: 0n }))).not.toContain('What its bot may do');
  });

  test('says where it leads, if anywhere', () => {
    expect(page()).toContain('you will be taken to <bdi>https://client.example</bdi>');
    expect(page(request({ redirectUri: null }))).not.toContain('you will be taken');
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

describe('the server', () => {
  const installing = { SERVER: ['bot' as const], USER: [] };
  const toServer = (facts: Partial<AuthorizationRequest> = {}) =>
    request({ targets: ['SERVER'], scopes: installing, ...facts });

  test('is chosen from those where it is possible', () => {
    const text = page(toServer());
    expect(text).toContain('<select id="guild" name="guild_id" required>');
    expect(text).toContain('<option value="5">Harbour</option><option value="6" selected>Forest</option>');
  });

  test.each<[string, Partial<AuthorizationRequest>]>([
    ['the person can do without', { targets: ['SERVER', 'USER'] }],
    ['more is asked for than to install', { scopes: { SERVER: ['bot', 'identify'], USER: [] } }],
  ])('is not required where %s', (_name, facts) => {
    expect(page(toServer(facts))).toContain('<select id="guild" name="guild_id">');
  });

  test('is not asked for where it goes to the person', () => {
    expect(page(request({ targets: ['USER'] }))).not.toContain('server-only');
  });

  const ALLOW = 'name="decision" value="authorize"';

  test('that there is none of is said, and nothing can be allowed but what needs none', () => {
    const text = page(toServer(), { guilds: [] });
    expect(text).toContain('You have no server to add it to');
    expect(text).toContain('make a server of your own');
    for (const hidden of [ALLOW, 'What it may do', 'What its bot may do']) expect(text).not.toContain(hidden);
    expect(page(toServer({ targets: ['SERVER', 'USER'] }), { guilds: [] })).toContain(ALLOW);
    expect(page(toServer({ targets: [] }), { guilds: [] })).toContain(ALLOW);
    expect(page(toServer({ scopes: { SERVER: ['bot', 'identify'], USER: [] } }), { guilds: [] })).toContain(ALLOW);
    expect(page(toServer())).toContain(ALLOW);
  });

  test('says of servers on boxes that they are, and which cannot be reached', () => {
    const guilds = [guild(5n, 'Attic', 'connected'), guild(6n, 'Cellar', 'away')];
    const text = page(toServer(), { guilds });
    expect(text).toContain('<option value="5">Attic (self-hosted)</option>');
    expect(text).toContain('<option value="6" selected>Cellar (self-hosted, not reachable at the moment)</option>');
    const fixed = page(toServer({ guildIsFixed: true, guildId: 6n }), { guilds });
    expect(fixed).toContain('<bdi>Cellar</bdi> (self-hosted, not reachable at the moment)</p>');
    expect(fixed).toContain(ALLOW);
  });

  test('may be fixed by the link', () => {
    const fixed = page(toServer({ guildIsFixed: true, guildId: 5n }));
    expect(fixed).toContain('<p class="hint"><bdi>Harbour</bdi></p>');
    expect(fixed).not.toContain('<select');
    expect(fixed).toContain(ALLOW);
    const foreign = page(toServer({ guildIsFixed: true, guildId: 9n }));
    expect(foreign).toContain('The link names a server that you cannot add it to');
    expect(foreign).not.toContain(ALLOW);
  });

  test('that is wrong is told beside it', () => {
    const text = page(toServer(), { faults: { guildId: 'Not that one.' } });
    expect(text).toContain('role="alert"');
    expect(text).toContain('<p class="fault" id="fault-guildId">Not that one.</p>');
    expect(text).toContain('aria-describedby="fault-guildId" aria-invalid="true" autofocus>');
    expect(page(toServer())).not.toMatch(/aria-describedby|aria-invalid|role="alert"/);
  });
});
