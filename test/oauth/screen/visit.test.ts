import { beforeAll, describe, expect } from 'vitest';
import { test } from '../../harness/fixtures.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../../harness/people.js';
import { formIn, Visitor } from '../../harness/screen.js';
import type { TestServer } from '../../harness/server.js';
import { update } from '../../harness/settings.js';

const CALLBACK = 'https://client.example/callback';

let server: TestServer;
let ada: Person;
let client: MadeApplication;
let harbour: MadeGuild;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  client = await createApplication(ada, 'Client');
  await update(ada, client.id, { redirectUris: [CALLBACK], userInstall: true });
  harbour = await createGuild(ada, 'Harbour');
});

const at = (page: string, query: Record<string, string>) => `/oauth2/${page}?${new URLSearchParams(query)}`;
const request = () => ({ client_id: client.id, response_type: 'code', redirect_uri: CALLBACK, scope: 'identify' });

describe.each(['sign-in', 'sign-up'])('the page to %s', (page) => {
  test.each<[string, () => Record<string, string>, string]>([
    ["the client's address", request, "'self' https:"],
    ['nowhere, without one', () => ({ client_id: client.id }), "'self'"],
    ['the address of a client that asks for too much', () => ({ ...request(), scope: 'nonsense' }), "'self' https:"],
    [
      'what the link of a hidden client says',
      () => ({ client_id: '1', redirect_uri: 'http://localhost/x' }),
      "'self' http:",
    ],
    [
      'nowhere, for a hidden client of another scheme',
      () => ({ client_id: '1', redirect_uri: 'com.example.app:/x' }),
      "'self'",
    ],
    ['nowhere, for a hidden client without a place', () => ({ client_id: '1', redirect_uri: 'https://' }), "'self'"],
    ['nowhere, without a client', () => ({}), "'self'"],
  ])('may redirect to %s', async (_where, query, expected) => {
    const { status, headers } = await new Visitor(server).get(at(page, query()));
    expect(status).toBe(200);
    expect(/form-action ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1]).toBe(expected);
  });

  test('is skipped for a signed-in visitor', async () => {
    const { status, location } = await new Visitor(server, ada).get(at(page, request()));
    expect([status, location]).toEqual([303, at('authorize', request())]);
  });

  test('reports missing fields', async () => {
    const { status, html, headers } = await new Visitor(server).post(at(page, request()), [['email', 'nobody']]);
    expect([status, headers.getSetCookie()]).toEqual([400, []]);
    expect(html).toContain('role="alert"');
    expect(html).toContain('value="nobody"');
  });
});

describe('signing out', () => {
  test('requires the token of the session', async () => {
    const visitor = new Visitor(server, ada);
    const form = formIn(await visitor.get(at('authorize', request())), '/oauth2/sign-out');
    for (const csrf of ['x', null]) expect((await visitor.send(form, { csrf })).status).toBe(403);
    expect((await visitor.send(form, {}, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await visitor.get(at('authorize', request()))).html).toContain('Signed in as <bdi>ada</bdi>');
  });

  test('does nothing for a signed-out visitor', async () => {
    const { status, location } = await new Visitor(server).post(at('sign-out', request()), []);
    expect([status, location]).toEqual([303, at('authorize', request())]);
  });
});

describe('the final page of an installation', () => {
  let visitor: Visitor;
  const BAN = '4';
  beforeAll(async () => {
    visitor = new Visitor(server, ada);
    await install(ada, client, harbour, { scopes: ['bot'], permissions: '2' });
  });
  const place = () => ({ client_id: client.id, guild_id: harbour.id });

  test.each<[string, () => Record<string, string>, string[]]>([
    ['nothing else was asked for', place, []],
    ['all that was asked for was given', () => ({ ...place(), permissions: '2' }), []],
    ['something was not given', () => ({ ...place(), permissions: String(2 + Number(BAN)) }), ['Ban members']],
    ['what was asked for is no number', () => ({ ...place(), permissions: 'x' }), []],
    ['what was asked for has 33 digits', () => ({ ...place(), permissions: `${'0'.repeat(32)}4` }), []],
  ])('names the permissions that the bot did not get, when %s', async (_when, query, expected) => {
    const { status, html } = await visitor.get(at('authorized', query()));
    expect(status).toBe(200);
    expect(html).toContain('<bdi>Client</bdi> was added to <bdi>Harbour</bdi>');
    expect([...html.matchAll(/<li>([^<]*)/g)].map(([, name]) => name)).toEqual(expected);
  });

  test.each<[string, () => Record<string, string>]>([
    ['of no client', () => ({ guild_id: harbour.id })],
    ['of a client that is no id', () => ({ ...place(), client_id: 'x' })],
    ['in a server that is no id', () => ({ ...place(), guild_id: 'x' })],
    ["in one's account, where it is not", () => ({ client_id: client.id })],
  ])('is not found %s', async (_what, query) => {
    expect((await visitor.get(at('authorized', query()))).status).toBe(404);
  });
});
