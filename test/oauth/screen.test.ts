import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import type { Prisma } from '../../src/infra/database/index.js';
import { it } from '../harness/fixtures.js';
import { grantCode, inForm, postForm } from '../harness/oauth.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { permitEveryone } from '../harness/rows.js';
import { formIn, Visitor } from '../harness/screen.js';
import { startServer, type TestServer } from '../harness/server.js';
import { putTeam } from '../harness/teams.js';

const CALLBACK = 'https://client.example/callback';
const NATIVE = 'com.example.app:/callback';

let server: TestServer;
let ada: Person;
let grace: Person;
let client: MadeApplication;
let harbour: MadeGuild;
let browser: Visitor;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  grace = await signUp(server, 'grace');
  client = await makeApplication('Client', { redirectUris: [CALLBACK, NATIVE] });
  harbour = await createGuild(ada, 'Harbour');
  browser = new Visitor(server, ada);
});

async function makeApplication(name: string, columns: Prisma.ApplicationUncheckedUpdateInput = {}) {
  const made = await createApplication(ada, name);
  await server.app.db.writer.application.update({ where: { id: BigInt(made.id) }, data: columns });
  return made;
}

const address = (query: Record<string, string>, application = client) =>
  `/oauth2/authorize?${new URLSearchParams({ client_id: application.id, ...query })}`;

const forCode = (query: Record<string, string> = {}, application = client) =>
  address({ response_type: 'code', scope: 'identify', redirect_uri: CALLBACK, ...query }, application);

const forBot = (query: Record<string, string> = {}, application = client) =>
  address({ scope: 'bot applications.commands', permissions: '0', ...query }, application);

async function openForm(path: string, visitor = browser) {
  const page = await visitor.get(path);
  expect(page.status).toBe(200);
  return formIn(page, '/oauth2/authorize');
}

const authorize = { decision: 'authorize' };

const parametersOf = (location: string | null) => Object.fromEntries(new URL(location ?? '').searchParams);

const membership = (guild: MadeGuild, application: MadeApplication) =>
  server.app.db.reader.member.findUnique({
    where: { guildId_userId: { guildId: BigInt(guild.id), userId: BigInt(application.id) } },
    include: { roles: { include: { role: true } } },
  });

const grantsOf = (application: MadeApplication) =>
  server.app.db.reader.oAuthGrant.findMany({
    where: { applicationId: BigInt(application.id) },
    orderBy: { id: 'asc' },
  });

describe('every page', () => {
  const pages: [string, () => Promise<{ status: number; headers: Headers; html: string }>, number][] = [
    ['the screen', () => browser.get(forCode()), 200],
    ['the sign-in page', () => new Visitor(server).get(forCode()), 200],
    ['the sign-up page', () => new Visitor(server).get(forCode().replace('authorize', 'sign-up')), 200],
    ['the not-found page', () => browser.get('/oauth2/authorize?client_id=1'), 404],
    ['the page for a request gone wrong', () => browser.get('/oauth2/authorize'), 400],
    ['the page for a forged form', () => browser.post(forCode(), [], { origin: 'https://evil.example' }), 403],
  ];

  it.each(pages)('%s denies framing, scripts, caching and referrers', async (_name, open, status) => {
    const { headers, html, ...page } = await open();
    expect(page.status).toBe(status);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy') ?? '';
    for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "img-src 'self'"]) {
      expect(policy.split('; ')).toContain(rule);
    }
    expect(policy).toMatch(/form-action 'self'/);
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer, same-origin');
    expect(html).not.toMatch(/<script|\son\w+=|javascript:|style="/i);
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
  });

  it('allows its own stylesheet by its hash', async () => {
    const { headers, html } = await browser.get(forCode());
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(html) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`);
  });

  it.each([
    [CALLBACK, "form-action 'self' https:;"],
    [NATIVE, "form-action 'self' com.example.app:;"],
  ])('restricts its form to the scheme of %s', async (redirectUri, rule) => {
    const { headers } = await browser.get(
      forCode({ redirect_uri: redirectUri, code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' }),
    );
    expect(headers.get('content-security-policy')).toContain(rule);
  });

  it('escapes text that users chose', async () => {
    const evil = '"><b onclick=x>';
    const application = await makeApplication(evil, { description: '<i>', redirectUris: [`${CALLBACK}?a='<u>`] });
    await createGuild(ada, '</select><u>');
    const { html } = await browser.get(
      address({ response_type: 'code', scope: 'identify bot', state: '"><script>' }, application),
    );
    expect(html).toContain('&lt;/select&gt;&lt;u&gt;');
    expect(html).toContain('&quot;&gt;&lt;b onclick=x&gt;');
    expect(html).not.toMatch(/<b |<i>|<u>|<script/);
  });
});

describe('an application that is hidden from the visitor', () => {
  async function pageFor(application: { id: string }, visitor: Visitor): Promise<string> {
    const { status, headers, html } = await visitor.get(`/oauth2/authorize?client_id=${application.id}&scope=bot`);
    expect(status).toBe(404);
    expect(headers.get('location')).toBeNull();
    const csp = headers.get('content-security-policy');
    return `${csp}\n${html}`.replaceAll(application.id, 'ID');
  }

  it('has the same page whether unknown, deleted or private, signed in or not, for the owner too', async () => {
    const hidden = await makeApplication('Hidden', { public: false });
    const deleted = await makeApplication('Deleted', { deletedAt: new Date() });
    const missing = [{ id: '123456789012345678' }, { id: 'no-number' }, { id: '9'.repeat(40) }];
    for (const visitor of [new Visitor(server), new Visitor(server, grace), browser]) {
      const [first, ...others] = await Promise.all(
        [hidden, deleted, ...missing].map((application) => pageFor(application, visitor)),
      );
      for (const other of others) expect(other).toBe(first);
    }
  });

  it('is also the result of a broken query', async () => {
    expect((await browser.get('/oauth2/authorize?client_id=%ff%zz')).status).toBe(404);
  });

  it('offers sign-in to a signed-out visitor', async () => {
    const { html } = await new Visitor(server).get('/oauth2/authorize?client_id=1&scope=bot');
    expect(html).toContain('href="/oauth2/sign-in?client_id=1&amp;scope=bot"');
  });

  it('opens for testers who have accepted, including after sign-in', async () => {
    const hidden = await makeApplication('For testers', { public: false });
    const row = { applicationId: BigInt(hidden.id), userId: BigInt(grace.id) };
    await server.app.db.writer.tester.create({ data: { ...row, createdAt: new Date() } });
    const path = forBot({}, hidden);
    const visitor = new Visitor(server);
    const signIn = formIn(await visitor.get(path.replace('authorize', 'sign-in')), '/oauth2/sign-in');
    const { location } = await visitor.send(signIn, { email: grace.email, password: grace.password });
    expect(location).toBe(path);
    expect((await visitor.get(path)).status).toBe(404);
    await server.app.db.writer.tester.updateMany({ where: row, data: { state: 'ACCEPTED' } });
    const page = await visitor.get(path);
    expect(page.status).toBe(200);
    expect(page.html).toContain('For testers');
  });
});

describe('sign-in', () => {
  it('comes first and returns to the same request', async () => {
    const visitor = new Visitor(server);
    const path = forCode({ state: 'a b&c' });
    const page = await visitor.get(path);
    expect(page.status).toBe(200);
    expect(page.html).not.toContain('Client');
    const answer = await visitor.send(formIn(page, '/oauth2/sign-in'), { email: ada.email, password: ada.password });
    expect(answer.status).toBe(303);
    expect(new URL(answer.location ?? '', server.origin).searchParams.get('state')).toBe('a b&c');
    const screen = await visitor.get(answer.location ?? '');
    expect(screen.html).toContain('Signed in as <bdi>ada</bdi>');
  });

  it.each([
    '?client_id=1&return_to=https://evil.example',
    '?https://evil.example',
    '?client_id=//evil.example',
    '?redirect_uri=https://evil.example',
    '?client_id=1%0d%0alocation:%20https://evil.example',
    '',
  ])('redirects to no other site for %s', async (query) => {
    const visitor = new Visitor(server);
    const fields: [string, string][] = [
      ['email', ada.email],
      ['password', ada.password],
      ['redirect', 'https://evil.example'],
    ];
    const { status, location } = await visitor.post(`/oauth2/sign-in${query}`, fields);
    expect(status).toBe(303);
    expect(location).toMatch(/^\/(oauth2\/authorize\?.*)?$/);
  });

  it('redirects to the home page of the instance without a request', async () => {
    const visitor = new Visitor(server);
    const form = formIn(await visitor.get('/oauth2/sign-in'), '/oauth2/sign-in');
    const { status, location } = await visitor.send(form, { email: ada.email, password: ada.password });
    expect({ status, location }).toEqual({ status: 303, location: '/' });
    expect((await visitor.get('/')).location).toBe('/portal');
  });

  it('explains its reason if an application asks, and only then', async () => {
    const visitor = new Visitor(server);
    const why = 'An application is asking for access.';
    expect((await visitor.get(forCode())).html).toContain(why);
    expect((await visitor.get('/oauth2/sign-in')).html).not.toContain(why);
  });

  it('keeps the e-mail address and not the password after wrong credentials', async () => {
    const visitor = new Visitor(server);
    const form = formIn(await visitor.get(forCode()), '/oauth2/sign-in');
    const wrongPair = 'The email address or password is incorrect.';
    for (const [email, words] of [
      [ada.email, wrongPair],
      ['nobody@people.example', wrongPair],
      ['no address', '<p class="fault" id="email-fault" role="alert">Must be a valid email address.</p>'],
    ] as const) {
      const { status, html, headers } = await visitor.send(form, { email, password: 'wrong wrong' });
      expect(status).toBe(400);
      expect(html).toContain(words);
      expect(html).toContain(`value="${email}"`);
      expect(html).not.toContain('wrong wrong');
      expect(headers.getSetCookie()).toEqual([]);
    }
    expect((await visitor.send(form, { email: null, password: null })).status).toBe(400);
  });

  it('cannot be sent from a page of another site', async () => {
    const visitor = new Visitor(server);
    const form = formIn(await visitor.get(forCode()), '/oauth2/sign-in');
    const credentials = { email: ada.email, password: ada.password };
    for (const origin of ['https://evil.example', 'null']) {
      const { status, headers } = await visitor.send(form, credentials, { origin });
      expect(status).toBe(403);
      expect(headers.getSetCookie()).toEqual([]);
    }
  });

  it('shares its rate limit with every other way to sign in', async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    try {
      const visitor = new Visitor(limited);
      const fields: [string, string][] = [
        ['email', 'bob@people.example'],
        ['password', 'wrong wrong'],
      ];
      for (let attempt = 0; attempt < 5; attempt += 1) {
        expect((await visitor.post('/oauth2/sign-in?client_id=1', fields)).status).toBe(400);
        await fetch(`${limited.origin}/auth/sign-in/email`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(Object.fromEntries(fields)),
        });
      }
      const { status, headers, html } = await visitor.post('/oauth2/sign-in?client_id=1', fields);
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(html).toContain('Too many attempts');
    } finally {
      await limited.stop();
    }
  });

  it('ends with “Sign out”, which returns to sign-in', async () => {
    const grown = await signUp(server, 'leaver');
    const visitor = new Visitor(server, grown);
    const path = forCode();
    const form = formIn(await visitor.get(path), '/oauth2/sign-out');
    expect((await visitor.send(form, { csrf: 'x' })).status).toBe(403);
    const { status, location } = await visitor.send(form);
    expect(status).toBe(303);
    expect(new URLSearchParams(location?.split('?')[1]).get('redirect_uri')).toBe(CALLBACK);
    expect((await visitor.get(location ?? '')).html).toContain('Sign in to continue');
    visitor.cookie = grown.cookie;
    expect((await visitor.get(path)).html).toContain('Sign in to continue');
  });
});

describe('sign-up', () => {
  const path = () => address({ response_type: 'code', redirect_uri: CALLBACK, scope: 'identify', state: 'a b&c' });
  const newcomer = (name: string) => ({ name, email: `${name}@people.example`, password: 'long enough' });

  async function openSignUp(visitor: Visitor) {
    const { html } = await visitor.get(path());
    const [, link = ''] = /<a href="([^"]*)">Sign up<\/a>/.exec(html) ?? [];
    return formIn(await visitor.get(link.replaceAll('&amp;', '&')), '/oauth2/sign-up');
  }

  it('is offered next to sign-in and returns to the same request', async () => {
    const visitor = new Visitor(server);
    const answer = await visitor.send(await openSignUp(visitor), newcomer('newcomer'));
    expect(answer.status).toBe(303);
    expect(answer.location).toBe(path());
    expect((await visitor.get(answer.location ?? '')).html).toContain('Signed in as <bdi>newcomer</bdi>');
    expect((await visitor.get(path().replace('authorize', 'sign-up'))).location).toBe(path());
  });

  it.each<[string, Record<string, string | null>, string, string]>([
    ['a username that is none', { name: 'No Name' }, 'name', 'Username must be 2–32 characters'],
    ['a username that is taken', { name: 'ada' }, 'name', 'The username ada is already taken; ada2 is available.'],
    ['an address that is none', { email: 'nobody' }, 'email', 'Must be a valid email address.'],
    ['an address that has an account', { email: 'ada@people.example' }, 'email', 'already exists'],
    ['a short password', { password: 'short' }, 'password', 'Password must be 8–128 characters.'],
    ['nothing', { name: null, email: null, password: null }, 'name', 'Username must be'],
  ])(
    'is refused for %s, at the field, and keeps all fields except the password',
    async (_what, changes, field, text) => {
      const visitor = new Visitor(server);
      const typed = { ...newcomer('refused'), ...changes };
      const { status, html, headers } = await visitor.send(await openSignUp(visitor), typed);
      expect(status).toBe(400);
      const [, input = '', fault] =
        new RegExp(`<input id="${field}"([^>]*)>\n<p class="fault" id="${field}-fault" role="alert">([^<]*)`).exec(
          html,
        ) ?? [];
      expect(fault).toContain(text);
      expect(input).toMatch(new RegExp(` aria-describedby="[\\w -]*${field}-fault" aria-invalid="true".* autofocus$`));
      for (const kept of [typed.name, typed.email]) expect(html).toContain(`value="${kept ?? ''}"`);
      if (typed.password) expect(html).not.toContain(typed.password);
      expect(headers.getSetCookie()).toEqual([]);
    },
  );

  it('cannot be sent from a page of another site', async () => {
    const visitor = new Visitor(server);
    const form = await openSignUp(visitor);
    for (const origin of ['https://evil.example', 'null']) {
      expect((await visitor.send(form, newcomer('forged'), { origin })).status).toBe(403);
    }
    expect(await server.app.db.reader.user.count({ where: { handle: 'forged' } })).toBe(0);
  });

  it('shares its rate limit with every other way to sign up', async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    try {
      const visitor = new Visitor(limited);
      const wrong: [string, string][] = [['name', 'x']];
      for (let attempt = 0; attempt < 10; attempt += 1) {
        expect((await visitor.post('/oauth2/sign-up?client_id=1', wrong)).status).toBe(400);
        await fetch(`${limited.origin}/auth/sign-up/email`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        });
      }
      const { status, headers } = await visitor.post('/oauth2/sign-up?client_id=1', wrong);
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await limited.stop();
    }
  });
});

describe('an invalid request', () => {
  /** A client that ada authorized before. */
  let known: MadeApplication;
  beforeAll(async () => {
    known = await makeApplication('Acquaintance', { redirectUris: [CALLBACK] });
    await grantCode(server, ada, known);
  });

  it.each(['client_id', 'redirect_uri', 'scope', 'state'])(
    'is shown as an error page when %s is repeated',
    async (name) => {
      const { status, location, html } = await browser.get(`${forCode({ state: 's' })}&${name}=x`);
      expect(status).toBe(400);
      expect(location).toBeNull();
      expect(html).toContain(name);
    },
  );

  it.each([
    'https://client.example/callback/',
    'https://client.example/callback?x=1',
    'https://client.example/callback/../evil',
    'https://client.example.evil.example/callback',
    'https://client.example@evil.example/callback',
    'http://client.example/callback',
    'HTTPS://client.example/callback',
    'https://client.example/callback#x',
    'https://evil.example',
    'javascript:alert(1)',
    '//client.example/callback',
  ])('never redirects to the unregistered %s', async (redirectUri) => {
    for (const visitor of [browser, new Visitor(server)]) {
      const { status, location } = await visitor.get(forCode({ redirect_uri: redirectUri }));
      expect(status).toBe(400);
      expect(location).toBeNull();
    }
    const form = await openForm(forCode());
    const forged = { ...form, action: forCode({ redirect_uri: redirectUri }) };
    for (const decision of ['authorize', 'cancel']) {
      const { status, location } = await browser.send(forged, { decision });
      expect(status).toBe(400);
      expect(location).toBeNull();
    }
  });

  it.each<[Record<string, string>, string]>([
    [{ scope: 'messages.read' }, 'invalid_scope'],
    [{ scope: 'identify nonsense' }, 'invalid_scope'],
    [{ scope: ' ' }, 'invalid_scope'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ prompt: 'maybe' }, 'invalid_request'],
    [{ permissions: '-1', scope: 'bot' }, 'invalid_request'],
    [{ integration_type: '2', scope: 'bot' }, 'invalid_request'],
    [{ integration_type: '1', scope: 'applications.commands' }, 'invalid_request'],
    [{ disable_guild_select: 'yes', scope: 'bot' }, 'invalid_request'],
    [{ guild_id: 'x', scope: 'bot' }, 'invalid_request'],
    [{ code_challenge: 'A'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
  ])('is reported to a client that the user authorized before, for %o', async (query, error) => {
    const { status, location, headers } = await browser.get(forCode({ state: 'st&te', ...query }, known));
    expect(status).toBe(303);
    expect(location).toMatch(/^https:\/\/client\.example\/callback\?/);
    const answer = parametersOf(location);
    expect(answer).toEqual({ error, error_description: expect.any(String), state: 'st&te', iss: server.origin });
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['redirect_uri', { redirect_uri: CALLBACK, response_type: 'code' }],
    ['redirect_uri and permissions', { redirect_uri: CALLBACK, permissions: '8' }],
    ['an empty scope', { scope: '', response_type: 'code' }],
    ['integration_type', { integration_type: '0', response_type: 'code' }],
  ])(
    'includes a link without a scope that states %s: default install settings require a link with neither',
    async (_what, query) => {
      const { status, location } = await browser.get(address(query, known));
      expect(status).toBe(303);
      expect(parametersOf(location)).toMatchObject({ error: 'invalid_scope', iss: server.origin });
      const visitor = new Visitor(server);
      const form = formIn(await visitor.get(address(query, known)), '/oauth2/sign-in');
      const answer = await visitor.send(form, { email: ada.email, password: ada.password });
      const after = await visitor.get(answer.location ?? '');
      expect(parametersOf(after.location)).toMatchObject({ error: 'invalid_scope' });
    },
  );

  it.each<Record<string, string>>([{ scope: '' }, { integration_type: '0' }])(
    'is shown to the user if a link without a scope (%o) has no client to redirect to',
    async (query) => {
      const { status, html } = await browser.get(address(query));
      expect(status).toBe(400);
      expect(html).toContain('At least one scope is required.');
    },
  );

  it('names the maximum length of permissions', async () => {
    const { location } = await browser.get(forCode({ scope: 'bot', permissions: '9'.repeat(33) }, known));
    expect(parametersOf(location).error_description).toContain('at most 32 digits');
    expect((await browser.get(forCode({ scope: 'bot', permissions: '9'.repeat(32) }))).status).toBe(200);
  });

  it.each([CALLBACK, NATIVE])(
    'does not redirect to a client that the user never authorized, but offers %s',
    async (uri) => {
      const stranger = await makeApplication('Stranger & Co', { redirectUris: [uri] });
      const pkce = { code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' };
      const path = forCode({ redirect_uri: uri, scope: 'nonsense', state: 'st&te', ...pkce }, stranger);
      const { status, location, html } = await browser.get(path);
      expect(status).toBe(400);
      expect(location).toBeNull();
      expect(html).toContain('<bdi>Stranger &amp; Co</bdi> sent an invalid request');
      expect(html).toContain(uri === CALLBACK ? '<bdi>https://client.example</bdi>' : '<bdi>com.example.app:</bdi>');
      const [, link = ''] = /<a class="button" href="([^"]*)">Go back<\/a>/.exec(html) ?? [];
      const answer = new URL(link.replaceAll('&amp;', '&'));
      expect(answer.href.startsWith(`${uri}?`)).toBe(true);
      expect(Object.fromEntries(answer.searchParams)).toEqual({
        error: 'invalid_scope',
        error_description: expect.any(String),
        state: 'st&te',
        iss: server.origin,
      });
      const form = await openForm(forCode({ redirect_uri: uri, ...pkce }, stranger));
      expect((await browser.send({ ...form, action: path }, authorize)).location).toBeNull();
      const { location: cancelled } = await browser.send(form, { decision: 'cancel' });
      expect(cancelled).toContain('error=access_denied');
    },
  );

  it.each(['http://client.example/', 'myapp:/callback', 'search-ms:/x'])(
    'never redirects to %s, which was registered before it became invalid',
    async (uri) => {
      const old = await makeApplication('Old', { redirectUris: [uri, CALLBACK] });
      await grantCode(server, ada, old);
      for (const scope of ['identify', 'nonsense']) {
        const { status, location } = await browser.get(forCode({ redirect_uri: uri, scope }, old));
        expect({ status, location }).toEqual({ status: 400, location: null });
      }
      const left = await browser.get(address({ response_type: 'code', scope: 'nonsense' }, old));
      expect(left.location).toMatch(/^https:\/\/client\.example\/callback\?/);
    },
  );

  it('does not redirect to the client before sign-in', async () => {
    const { status, location, html } = await new Visitor(server).get(forCode({ scope: 'messages.read' }));
    expect(status).toBe(200);
    expect(location).toBeNull();
    expect(html).toContain('Sign in to continue');
  });

  it('is shown as an error page if the client cannot receive it', async () => {
    const homeless = await makeApplication('Homeless');
    const queries: Record<string, string>[] = [
      { response_type: 'code', scope: 'identify' },
      { scope: 'identify' },
      { prompt: 'x' },
    ];
    for (const query of queries) {
      const { status, location } = await browser.get(address(query, homeless));
      expect(status).toBe(400);
      expect(location).toBeNull();
    }
  });
});

describe('the authorization paths of client libraries', () => {
  it.each(['/api', '/api/v10', '/api/v9'])(
    '%s/oauth2/authorize redirects to the screen with the same query',
    async (prefix) => {
      const query = '?client_id=1&scope=bot+applications.commands&permissions=8&x=%0d%0a';
      const { status, location } = await browser.get(`${prefix}/oauth2/authorize${query}`);
      expect(status).toBe(303);
      expect(location).toBe(`/oauth2/authorize${query}`);
    },
  );
});

describe('the consent screen', () => {
  it('shows the application, the user, the request and the destination', async () => {
    const permissions = String(Permission.Administrator | Permission.KickMembers | (1n << 62n));
    const { html } = await browser.get(forCode({ scope: 'bot identify', permissions }));
    expect(html).toContain('<h1>Authorize <bdi>Client</bdi>?</h1>');
    expect(html).toContain('Created by <bdi>ada</bdi> on ');
    expect(html).not.toContain('Its bot is named');
    expect(html).toContain('Signed in as <bdi>ada</bdi>');
    expect(html).toContain('Know who you are');
    expect(html).toContain('Add its bot to a server');
    expect(html).toContain('<li class="grave"><label><input type="checkbox" name="permissions" value="8" checked>');
    expect(html).toContain('Kick members');
    expect(html.match(/name="permissions"/g)).toHaveLength(2);
    expect(html).toContain('you will be redirected to <bdi>https://client.example</bdi>');
    expect(html).not.toContain('name="target"');
  });

  it.each<Record<string, string>>([
    {},
    { permissions: '2048' },
    { guild_id: '1', disable_guild_select: 'false' },
    { response_type: 'code' },
  ])('uses the default install settings if the link omits its own: %o', async (query) => {
    const application = await makeApplication('Usual', {
      serverInstallPermissions: '1024',
      redirectUris: [CALLBACK],
    });
    const { html } = await browser.get(address(query, application));
    for (const scope of ['bot', 'applications.commands']) expect(html).toContain(`value="${scope}" checked`);
    expect(html).toContain(`name="permissions" value="${'permissions' in query ? '2048' : '1024'}" checked`);
  });

  it('shows the icon if there is one', async () => {
    const iconHash = 'a'.repeat(32);
    const application = await makeApplication('Pictured', { iconHash });
    const { html } = await browser.get(forBot({}, application));
    expect(html).toContain(`src="/cdn/app-icons/${application.id}/${iconHash}.png"`);
  });

  it('shows the owner, a user or a team, and the number of servers', async () => {
    const shared = await makeApplication('Shared');
    const applicationId = BigInt(shared.id);
    const ownerTeamId = await putTeam(server, ada);
    await server.app.db.writer.application.update({
      where: { id: applicationId },
      data: { ownerTeamId, ownerUserId: null },
    });
    await install(ada, shared, harbour);
    const { html } = await browser.get(forBot({}, shared));
    expect(html).toContain('Created by the team <bdi>Builders</bdi> on ');
    expect(html).toContain('. Installed in 1 server.');
  });

  it('lists only the servers with Manage Server', async () => {
    const foreign = await createGuild(grace, 'Only a member here');
    await invite(grace, foreign, ada);
    const { html } = await browser.get(forBot());
    expect(html).toContain(`<option value="${harbour.id}">Harbour</option>`);
    expect(html).not.toContain('Only a member here');
  });

  it('reports that there is no server to install to, and does not offer it', async () => {
    const { html } = await new Visitor(server, grace).get(forBot({ guild_id: harbour.id }));
    const lonely = await new Visitor(server, await signUp(server, 'lonely')).get(forBot());
    expect(lonely.html).toContain('You have no server to add it to');
    expect(lonely.html).not.toContain('value="authorize"');
    expect(html).not.toContain('Harbour');
  });

  it('preselects the server of the link, and locks it on request', async () => {
    const chosen = await openForm(forBot({ guild_id: harbour.id }));
    expect(chosen.fields).toContainEqual(['guild_id', harbour.id]);
    const fixed = await browser.get(forBot({ guild_id: harbour.id, disable_guild_select: 'true' }));
    expect(fixed.html).toContain('<bdi>Harbour</bdi>');
    expect(fixed.html).not.toContain('<select');
    const beyond = await new Visitor(server, grace).get(forBot({ guild_id: harbour.id, disable_guild_select: 'true' }));
    expect(beyond.html).toContain('You cannot add the application to the server in this link.');
    expect(beyond.html).not.toContain('Harbour');
    expect(beyond.html).not.toContain('value="authorize"');
  });

  it('asks for the context only if there is a choice', async () => {
    const both = await makeApplication('Both contexts', { userInstall: true });
    expect((await browser.get(address({}, both))).html).toContain('name="target" value="SERVER" checked');
    for (const integration_type of ['0', '1']) {
      const { html } = await browser.get(address({ integration_type, scope: 'applications.commands' }, both));
      expect(html).not.toContain('name="target"');
      expect(html.includes('<select')).toBe(integration_type === '0');
    }
    const nowhere = new Visitor(server, await signUp(server, 'nowhere'));
    expect((await nowhere.get(address({}, both))).html).toContain('name="target" value="USER" checked');
  });

  it('accepts a user by Authorization: Bearer, too', async () => {
    const visitor = new Visitor(server);
    const headers = { authorization: `Bearer ${ada.token}` };
    const form = formIn(await visitor.get(forCode(), headers), '/oauth2/authorize');
    expect((await visitor.send(form, authorize, headers)).location).toMatch(/[?&]code=/);
  });
});

describe('the result of the consent screen', () => {
  it('is a redeemable code for the redirect URI, with state and iss', async () => {
    const state = 'é&=#?/ +%';
    const { status, location, headers } = await browser.send(await openForm(forCode({ state })), authorize);
    expect(status).toBe(303);
    expect(location).toMatch(/^https:\/\/client\.example\/callback\?code=/);
    const answer = parametersOf(location);
    expect(answer).toEqual({ code: expect.stringMatching(/^[\w-]{43}$/), state, iss: server.origin });
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    const { code = '' } = answer;
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...inForm(client) };
    expect((await postForm(server, form)).body).toMatchObject({ scope: 'identify' });
  });

  it('keeps the query of the redirect URI, which may have characters of any script', async () => {
    const application = await makeApplication('Abroad', { redirectUris: ['https://bücher.example/ø?a=b%20c&d'] });
    const { location } = await browser.send(
      await openForm(address({ response_type: 'code', scope: 'identify' }, application)),
      authorize,
    );
    expect(location).toMatch(/^https:\/\/xn--bcher-kva\.example\/%C3%B8\?a=b%20c&d&code=/);
  });

  it("contains the remaining scopes and permissions, and the bot's server", async () => {
    const application = await makeApplication('Reduced', { redirectUris: [CALLBACK] });
    const wanted = Permission.KickMembers | Permission.SendMessages;
    const path = forCode({ scope: 'bot identify email', permissions: String(wanted) }, application);
    const { status, location } = await browser.send(await openForm(path), {
      ...authorize,
      guild_id: harbour.id,
      scopes: ['bot', 'identify'],
      permissions: String(Permission.SendMessages),
    });
    expect(status).toBe(303);
    expect(parametersOf(location)).toMatchObject({
      code: expect.any(String),
      guild_id: harbour.id,
      permissions: String(Permission.SendMessages),
    });
    const roles = (await membership(harbour, application))?.roles.map(({ role }) => role.permissions);
    expect(roles).toEqual([Permission.SendMessages]);
    expect((await grantsOf(application)).map(({ scopes }) => scopes)).toEqual([['bot', 'identify']]);
  });

  it('includes no installation if the code cannot be stored', async () => {
    const application = await makeApplication('Whole', { redirectUris: [CALLBACK] });
    const form = await openForm(forCode({ scope: 'bot identify', permissions: '2048' }, application));
    const { writer } = server.app.db;
    await writer.$executeRawUnsafe('ALTER TABLE "AuthorizationCode" RENAME TO "Gone"');
    try {
      expect((await browser.send(form, { ...authorize, guild_id: harbour.id })).status).toBe(500);
    } finally {
      await writer.$executeRawUnsafe('ALTER TABLE "Gone" RENAME TO "AuthorizationCode"');
    }
    expect(await membership(harbour, application)).toBeNull();
    expect((await browser.send(form, { ...authorize, guild_id: harbour.id })).status).toBe(303);
    expect(await membership(harbour, application)).not.toBeNull();
  });

  it("contains no code unless requested: only the bot's permissions and server", async () => {
    const application = await makeApplication('Codeless', { redirectUris: [CALLBACK] });
    const form = await openForm(forBot({ redirect_uri: CALLBACK, permissions: '2048', state: 's' }, application));
    const { status, location } = await browser.send(form, { ...authorize, guild_id: harbour.id });
    expect(status).toBe(303);
    expect(Object.fromEntries(new URL(String(location)).searchParams)).toEqual({
      state: 's',
      iss: server.origin,
      guild_id: harbour.id,
      permissions: '2048',
    });
    expect(String(location).startsWith(`${CALLBACK}?`)).toBe(true);
    expect(await grantsOf(application)).toEqual([]);
    expect(await membership(harbour, application)).not.toBeNull();
  });

  it('never contains more than the link requested', async () => {
    const application = await makeApplication('Greedy', { redirectUris: [CALLBACK] });
    const form = await openForm(forCode({ scope: 'bot identify', permissions: '2048' }, application));
    await browser.send(form, {
      ...authorize,
      guild_id: harbour.id,
      scopes: ['bot', 'identify', 'email', 'guilds.join'],
      permissions: ['8', '2048', String(2n ** 100n), 'x'],
    });
    expect((await membership(harbour, application))?.roles[0]?.role.permissions).toBe(2048n);
    expect((await grantsOf(application))[0]?.scopes).toEqual(['bot', 'identify']);
  });

  it('is an installation to the locked server of the link, whatever the form says', async () => {
    const other = await createGuild(ada, 'Other harbour');
    const application = await makeApplication('Fixed');
    const form = await openForm(forBot({ guild_id: harbour.id, disable_guild_select: 'true' }, application));
    await browser.send(form, { ...authorize, guild_id: other.id });
    expect(await membership(harbour, application)).not.toBeNull();
    expect(await membership(other, application)).toBeNull();
  });

  it('is a page of Causeway without a redirect URI, which can be reloaded and cannot be forged', async () => {
    const application = await makeApplication('Homely');
    const path = `/oauth2/authorized?client_id=${application.id}&guild_id=${harbour.id}`;
    expect((await browser.get(path)).status).toBe(404);
    const form = await openForm(forBot({ response_type: 'code', integration_type: '0' }, application));
    const { status, location } = await browser.send(form, { ...authorize, guild_id: harbour.id });
    expect(status).toBe(303);
    expect(location).toBe(path);
    for (let time = 0; time < 2; time += 1) {
      const done = await browser.get(path);
      expect(done.status).toBe(200);
      expect(done.html).toContain('<bdi>Homely</bdi> was added to <bdi>Harbour</bdi>');
      expect(done.html).toMatch(/href="\/portal\/servers\/\d+"[^>]*>Open Harbour</);
      expect(done.html).not.toContain('did not get');
    }
    expect((await new Visitor(server).get(path)).status).toBe(404);
    const stranger = new Visitor(server, grace);
    expect((await stranger.get(path)).status).toBe(404);
    expect(await server.app.db.reader.installation.count({ where: { applicationId: BigInt(application.id) } })).toBe(1);
  });

  it('gives the bot no more permissions than the user has, and names the missing ones', async () => {
    const dock = await createGuild(grace, 'Dock');
    await invite(grace, dock, ada);
    await permitEveryone(server.app, BigInt(dock.id), Permission.ManageGuild | Permission.SendMessages);
    const wanted = Permission.BanMembers | Permission.KickMembers | Permission.SendMessages;
    const application = await makeApplication('Modest', { redirectUris: [CALLBACK] });
    const page = await browser.get(forBot({ permissions: String(wanted) }, application));
    expect(page.html).toContain('The bot gets only the permissions that you have in that server.');
    const changes = {
      ...authorize,
      guild_id: dock.id,
      permissions: [Permission.BanMembers, Permission.SendMessages].map(String),
    };
    const { status, location } = await browser.send(formIn(page, '/oauth2/authorize'), changes);
    expect(status).toBe(303);
    expect((await membership(dock, application))?.roles[0]?.role.permissions).toBe(Permission.SendMessages);
    const done = await browser.get(location ?? '');
    expect(done.html).toContain('<bdi>Modest</bdi> was added to <bdi>Dock</bdi>');
    expect(done.html).toContain('The bot did not get these permissions');
    expect(done.html.match(/<li>[^<]*/g)).toEqual(['<li>Ban members']);

    const forClient = forCode({ scope: 'bot', permissions: String(wanted) }, application);
    const answer = await browser.send(await openForm(forClient), changes);
    expect(parametersOf(answer.location)).toMatchObject({ permissions: String(Permission.SendMessages) });
  });

  it('is an installation to the user if they choose their account', async () => {
    const application = await makeApplication('Personal', { userInstall: true });
    const form = await openForm(address({}, application));
    const { location } = await browser.send(form, { ...authorize, target: 'USER' });
    expect(location).toBe(`/oauth2/authorized?client_id=${application.id}`);
    expect((await browser.get(location ?? '')).html).toContain('was added to your account');
    const where = { applicationId: BigInt(application.id) };
    expect(await server.app.db.reader.installation.findMany({ where })).toMatchObject([
      { context: 'USER', userId: BigInt(ada.id), scopes: ['applications.commands'] },
    ]);
  });

  it('reports a refusal to the client', async () => {
    const form = await openForm(forCode({ state: 's' }));
    const before = (await grantsOf(client)).length;
    const { status, location } = await browser.send(form, { decision: 'cancel' });
    expect(status).toBe(303);
    expect(parametersOf(location)).toMatchObject({ error: 'access_denied', state: 's', iss: server.origin });
    expect(parametersOf(location)).not.toHaveProperty('code');
    expect(await grantsOf(client)).toHaveLength(before);
  });

  it('is a page for a refusal without a redirect URI', async () => {
    const application = await makeApplication('Refused');
    const { status, html } = await browser.send(await openForm(forBot({}, application)), { decision: 'cancel' });
    expect(status).toBe(200);
    expect(html).toContain('<h1>Cancelled</h1>');
  });

  it('comes without a screen with prompt=none, for scopes that were granted before only', async () => {
    const application = await makeApplication('Known', { redirectUris: [CALLBACK] });
    const silent = forCode({ prompt: 'none', scope: 'identify guilds', state: 's' }, application);
    await browser.send(await openForm(silent), { ...authorize, scopes: ['identify'] });
    const { status, location } = await browser.get(forCode({ prompt: 'none', state: 's' }, application));
    expect(status).toBe(303);
    expect(parametersOf(location)).toMatchObject({ code: expect.any(String), state: 's', iss: server.origin });
    expect((await browser.get(silent)).status).toBe(200);
    expect((await browser.get(forCode({}, application))).status).toBe(200);
    expect((await browser.get(forCode({ prompt: 'none', scope: 'identify bot' }, application))).status).toBe(200);
    expect((await new Visitor(server).get(silent)).html).toContain('Sign in to continue');
  });
});

describe('prompt=none', () => {
  const pkce = { code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' };

  it.each([
    ['a public client', { publicClient: true, redirectUris: [CALLBACK] }, CALLBACK],
    ['a scheme that any program may claim', { redirectUris: [NATIVE] }, NATIVE],
  ])('still shows the screen to %s', async (_who, columns, redirectUri) => {
    const application = await makeApplication('Claimed', columns);
    const silent = forCode({ prompt: 'none', redirect_uri: redirectUri, ...pkce }, application);
    expect((await browser.send(await openForm(silent), authorize)).location).toContain('code=');
    const { status, location } = await browser.get(silent);
    expect({ status, location }).toEqual({ status: 200, location: null });
  });
});

describe('a forged form', () => {
  it.each<
    [string, (form: { csrf: string; foreign: string }) => [Record<string, string | null>, Record<string, string>]]
  >([
    ['without a token', () => [{ csrf: null }, {}]],
    ['with a wrong token', () => [{ csrf: 'x'.repeat(43) }, {}]],
    ['with the token of another session', ({ foreign }) => [{ csrf: foreign }, {}]],
    ['from another origin', ({ csrf }) => [{ csrf }, { origin: 'https://evil.example' }]],
    ['from an origin that is hidden', ({ csrf }) => [{ csrf }, { origin: 'null' }]],
  ])('%s does nothing', async (_name, forge) => {
    const application = await makeApplication('Forged', { redirectUris: [CALLBACK] });
    const path = forCode({ scope: 'bot identify' }, application);
    const csrfOf = async (visitor: Visitor) =>
      Object.fromEntries((await openForm(path, visitor)).fields).csrf as string;
    const [changes, headers] = forge({
      csrf: await csrfOf(browser),
      foreign: await csrfOf(new Visitor(server, grace)),
    });
    const form = await openForm(path);
    const { status, location } = await browser.send(form, { ...authorize, guild_id: harbour.id, ...changes }, headers);
    expect(status).toBe(403);
    expect(location).toBeNull();
    expect(await grantsOf(application)).toEqual([]);
    expect(await membership(harbour, application)).toBeNull();
  });

  it('has a different token in each session of a user', async () => {
    const again = new Visitor(server);
    await again.send(formIn(await again.get(forCode()), '/oauth2/sign-in'), {
      email: ada.email,
      password: ada.password,
    });
    const [first, second] = [await openForm(forCode()), await openForm(forCode(), again)];
    const token = ({ fields }: typeof first) => fields.find(([name]) => name === 'csrf')?.[1];
    expect(token(first)).not.toBe(token(second));
    expect((await again.send(second, { ...authorize, csrf: token(first) ?? '' })).status).toBe(403);
    expect((await again.send(second, authorize)).status).toBe(303);
  });
});

describe('too many submissions of one user', () => {
  it('are refused for a while on the screen', async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    try {
      const bob = await signUp(limited, 'bob');
      const { id } = await createApplication(bob, 'Hasty');
      const data = { redirectUris: [CALLBACK] };
      await limited.app.db.writer.application.update({ where: { id: BigInt(id) }, data });
      const visitor = new Visitor(limited, bob);
      const page = await visitor.get(`/oauth2/authorize?client_id=${id}&response_type=code&scope=identify`);
      const form = formIn(page, '/oauth2/authorize');
      for (let answers = 0; answers < 30; answers += 1) {
        expect((await visitor.send(form, authorize)).status).toBe(303);
      }
      const { status, headers, html } = await visitor.send(form, authorize);
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(html).toContain('Too many authorizations');
      expect((await visitor.send(form, { decision: 'cancel' })).status).toBe(303);
    } finally {
      await limited.stop();
    }
  });
});

describe('a mistake on the screen', () => {
  const sendBot = async (query: Record<string, string>, changes: Record<string, string | string[] | null>) =>
    browser.send(await openForm(forBot(query)), { ...authorize, ...changes });

  it.each<[string, Record<string, string | string[] | null>, string]>([
    ['no server', { guild_id: null }, 'Choose a server.'],
    ['an empty server', { guild_id: '' }, 'Choose a server.'],
    ['a server that is none', { guild_id: 'x' }, 'Choose a server.'],
    ['an unknown server', { guild_id: '123' }, 'You are not in that server'],
    ['a server beyond all numbers', { guild_id: '9'.repeat(30) }, 'Choose a server.'],
    ['nothing left', { scopes: null }, 'Grant the application at least one permission.'],
    ['scopes that were not offered', { scopes: ['email', 'x'] }, 'Grant the application at least one permission.'],
  ])('is shown on the screen, which keeps the other choices: %s', async (_name, changes, text) => {
    const { status, html } = await sendBot(
      { permissions: '2050' },
      { guild_id: harbour.id, permissions: '2', ...changes },
    );
    expect(status).toBe(400);
    expect(html).toContain(text);
    expect(html).toContain('role="alert"');
    expect(html).toContain('name="permissions" value="2" checked');
    expect(html).toContain('name="permissions" value="2048">');
    if (!('guild_id' in changes)) expect(html).toContain(`value="${harbour.id}" selected`);
  });

  it('is explained when Manage Server is missing', async () => {
    const foreign = await createGuild(grace, 'Not yours');
    await invite(grace, foreign, ada);
    const { status, html } = await sendBot({}, { guild_id: foreign.id });
    expect(status).toBe(400);
    expect(html).toContain('You need the “Manage server” permission in that server.');
  });

  it('includes a missing context', async () => {
    const both = await makeApplication('Either', { userInstall: true });
    const form = await openForm(address({}, both));
    for (const target of [null, 'ELSEWHERE']) {
      const { status, html } = await browser.send(form, { ...authorize, target, guild_id: harbour.id });
      expect(status).toBe(400);
      expect(html).toContain('Choose where to add the application.');
    }
  });

  it.each<[string, [string, string][]]>([
    ['no decision', []],
    [
      'two decisions',
      [
        ['decision', 'authorize'],
        ['decision', 'cancel'],
      ],
    ],
    [
      'two servers',
      [
        ['decision', 'authorize'],
        ['guild_id', '1'],
        ['guild_id', '2'],
      ],
    ],
  ])('that no browser makes leads to an error page: %s', async (_name, fields) => {
    const form = await openForm(forBot());
    const csrf = form.fields.filter(([name]) => name === 'csrf');
    const { status, html } = await browser.post(form.action, [...csrf, ...fields]);
    expect(status).toBe(400);
    expect(html).toContain('This link does not work');
  });

  it('includes a form of another type, and one that is too large', async () => {
    const form = await openForm(forBot());
    const json = await browser.post(form.action, [], { 'content-type': 'application/json' });
    expect(json.status).toBe(400);
    const large = await browser.send(form, { ...authorize, scopes: 'x'.repeat(100_000) });
    expect(large.status).toBe(413);
  });

  it('does not include an expired session, which leads to sign-in and a new decision', async () => {
    const form = await openForm(forCode());
    const { status, location } = await new Visitor(server).send(form, authorize);
    expect(status).toBe(303);
    expect(location).toBe(form.action);
  });

  it('includes an application that was deleted in the meantime', async () => {
    const application = await makeApplication('Fleeting', { redirectUris: [CALLBACK] });
    const form = await openForm(forCode({}, application));
    const where = { id: BigInt(application.id) };
    await server.app.db.writer.application.update({ where, data: { deletedAt: new Date() } });
    expect((await browser.send(form, authorize)).status).toBe(404);
  });
});

describe('any input of the screen', { tags: ['slow'] }, () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      '',
      '0',
      '-1',
      '9'.repeat(40),
      'bot',
      'identify',
      'code',
      'none',
      'true',
      '\u0000',
      '\ud800',
      CALLBACK,
    ),
  );
  const names = [
    'client_id',
    'response_type',
    'redirect_uri',
    'scope',
    'state',
    'permissions',
    'guild_id',
    'prompt',
  ].concat(['disable_guild_select', 'integration_type', 'code_challenge', 'code_challenge_method', '__proto__', 'x']);
  const pairs = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 8 });
  const fields = fc.array(
    fc.tuple(
      fc.constantFrom('decision', 'target', 'guild_id', 'scopes', 'permissions', 'email', 'password', 'x'),
      value,
    ),
    { maxLength: 8 },
  );

  it('gets a response without a server error', async () => {
    const [csrf = ['csrf', '']] = (await openForm(forCode())).fields;
    await fc.assert(
      fc.asyncProperty(
        pairs,
        fields,
        fc.constantFrom('authorize', 'sign-in', 'sign-up', 'authorized'),
        async (query, form, page) => {
          const path = `/oauth2/${page}?${new URLSearchParams([['client_id', client.id] as [string, string]].concat(query.slice(query.length % 2)))}`;
          const answers = [await browser.get(path)];
          if (page !== 'authorized') answers.push(await browser.post(path, [csrf, ['decision', 'authorize'], ...form]));
          for (const { status, location } of answers) {
            expect(status).toBeLessThan(500);
            if (location !== null)
              expect(location.startsWith('/oauth2/auth') || location.startsWith(CALLBACK)).toBe(true);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
