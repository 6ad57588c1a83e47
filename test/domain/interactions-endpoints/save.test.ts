import { afterEach, beforeEach, describe, expect } from 'vitest';
import { updateApplication } from '../../../src/domain/applications/index.js';
import { failing } from '../../harness/calls.js';
import { type EndpointMode, startEndpoint, type TestEndpoint } from '../../harness/endpoint.js';
import { it } from '../../harness/fixtures.js';
import type { Loose } from '../../harness/graphql.js';
import { codeOf } from '../../harness/graphql.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../../harness/people.js';
import { ask } from '../../harness/rest.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { askUpdate, update } from '../../harness/settings.js';
import { callOf, userOf } from '../../harness/world.js';

let server: TestServer;
let owner: Person;
let stranger: Person;
let endpoint: TestEndpoint;
let application: MadeApplication;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  owner = await signUp(server, 'owner');
  stranger = await signUp(server, 'stranger');
});
beforeEach(async () => {
  application = await createApplication(owner, 'Helper');
  endpoint = await startEndpoint({ publicKey: application.publicKey });
});
afterEach(() => endpoint.close());

/** The application's row, without the last use of its token, which is written a moment after the request. */
const row = () =>
  server.app.db.reader.application.findUniqueOrThrow({
    where: { id: BigInt(application.id) },
    omit: { botTokenLastUsedAt: true },
  });
const save = (interactionsEndpointUrl: string | null, more: object = {}) =>
  askUpdate(owner, application.id, { interactionsEndpointUrl, ...more });
const patch = (json: object) =>
  ask(server, 'PATCH', '/applications/@me', { json, headers: { authorization: `Bot ${application.botToken}` } });

const TEST = `mutation ($input: TestInteractionsEndpointInput!) {
  testInteractionsEndpoint(input: $input) { probe { ok checks { name ok sent got reason } } }
}`;
const test = (person: Person, url: string, applicationId = application.id) =>
  person.ask(TEST, { input: { applicationId, url } });

describe('an endpoint', () => {
  it('is saved after two requests if it is valid', async () => {
    expect(
      (await update(owner, application.id, { interactionsEndpointUrl: endpoint.url })).interactionsEndpointUrl,
    ).toBe(endpoint.url);
    expect(endpoint.requests.map(({ isSigned }) => isSigned)).toEqual([true, false]);
    expect((await row()).interactionsEndpointUrl).toBe(endpoint.url);
  });

  it('is not probed again if the same URL is saved, or if it is cleared', async () => {
    await save(endpoint.url);
    endpoint.mode('error');
    await update(owner, application.id, { interactionsEndpointUrl: endpoint.url, description: 'new' });
    await update(owner, application.id, { description: 'newer' });
    await update(owner, application.id, { interactionsEndpointUrl: null });
    expect(endpoint.requests).toHaveLength(2);
    expect(await row()).toMatchObject({ description: 'newer', interactionsEndpointUrl: null });
  });

  it('is probed again if it is set again', async () => {
    await save(endpoint.url);
    await save(null);
    await save(endpoint.url);
    expect(endpoint.requests).toHaveLength(4);
  });

  it('must verify with the key of its own application', async () => {
    const other = await createApplication(owner, 'Other');
    const { errors } = await askUpdate(owner, other.id, { interactionsEndpointUrl: endpoint.url });
    expect(errors[0]?.message).toContain('public key of this application');
    expect(endpoint.requests.map(({ isSigned }) => isSigned)).toEqual([false, false]);
  });

  it('is not saved if the update fails later', async () => {
    const call = failing(callOf(server.app, await userOf(server.app, owner)));
    const input = { applicationId: BigInt(application.id), interactionsEndpointUrl: endpoint.url };
    await expect(updateApplication(call, input)).rejects.toThrow('the disk is full');
    expect((await row()).interactionsEndpointUrl).toBeNull();
  });

  it.each<[EndpointMode, string, string]>([
    ['reset', 'PING answered', 'closed the connection'],
    ['redirect', 'PING answered', 'Redirects are not followed'],
    ['error', 'PING answered', 'answered 500'],
    ['wrongType', 'PING answered', 'text/html'],
    ['noJson', 'PING answered', '{"type":1}'],
    ['huge', 'PING answered', '1 MiB'],
    ['garbage', 'PING answered', 'not valid HTTP'],
    ['refusesPing', 'PING answered', 'answered 400'],
    ['acceptsBad', 'Invalid signature rejected', 'answered 200'],
  ])('that is invalid (%s) is refused in both APIs with a reason, and nothing is saved', async (mode, name, words) => {
    const before = await row();
    endpoint.mode(mode);
    const code = 'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID';
    const message = expect.stringMatching(new RegExp(`Failed check: ${name}\\. .*${words.replace(/[{}]/g, '\\$&')}`));

    const portal = await save(endpoint.url, { description: 'must not stay' });
    expect(codeOf(portal)).toBe('BAD_USER_INPUT');
    expect(portal.errors[0]?.extensions.fields).toEqual({ interactionsEndpointUrl: [{ code, message }] });
    const { probe } = (portal.errors[0] as Loose).extensions;
    expect(probe.ok).toBe(false);
    expect(probe.checks.find(({ ok }: Loose) => !ok)).toMatchObject({ name, reason: expect.stringContaining(words) });
    expect(Object.keys(probe.checks[0]).sort()).toEqual(['got', 'name', 'ok', 'reason', 'sent', 'wasTried']);

    const { status, body } = await patch({ interactions_endpoint_url: endpoint.url, description: 'must not stay' });
    expect(status).toBe(400);
    expect(body).toEqual({
      code: 50035,
      message: 'Invalid Form Body',
      errors: { interactions_endpoint_url: { _errors: [{ code, message }] } },
    });
    expect(await row()).toEqual(before);
  });

  it('is not probed if the update has other errors or the caller has no access', async () => {
    await askUpdate(owner, application.id, { interactionsEndpointUrl: endpoint.url, name: 'x' });
    await askUpdate(stranger, application.id, { interactionsEndpointUrl: endpoint.url });
    expect(endpoint.requests).toEqual([]);
  });
});

describe('testInteractionsEndpoint', () => {
  it('probes like a save, but saves nothing', async () => {
    const good = await test(owner, endpoint.url);
    expect(good.data?.testInteractionsEndpoint.probe).toMatchObject({ ok: true });
    endpoint.mode('acceptsBad');
    const bad = await test(owner, endpoint.url);
    expect(bad.errors).toEqual([]);
    expect(bad.data?.testInteractionsEndpoint.probe.checks.map(({ ok }: Loose) => ok)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect((await row()).interactionsEndpointUrl).toBeNull();
  });

  it('is limited to developers of the application', async () => {
    expect(codeOf(await test(stranger, endpoint.url))).toBe('NOT_FOUND');
    expect(endpoint.requests).toEqual([]);
  });

  it.each(['', 'bot', 'ftp://bot.example/', 'http:///x', 'https://a:b@bot.example/', 'https://a.b/\u0000'])(
    'refuses "%s"',
    async (url) => {
      const answer = await test(owner, url);
      expect(codeOf(answer)).toBe('BAD_USER_INPUT');
      expect(Object.keys(answer.errors[0]?.extensions.fields ?? {})).toEqual(['url']);
    },
  );
});

describe('with private endpoints off', () => {
  it('no endpoint with plain http or in a private network is saved', async () => {
    const outside = await startServer({ env: { ALLOW_PRIVATE_ENDPOINTS: 'off' } });
    const developer = await signUp(outside, 'developer');
    const { id } = await createApplication(developer, 'Helper');
    const messageFor = async (interactionsEndpointUrl: string) =>
      (await askUpdate(developer, id, { interactionsEndpointUrl })).errors[0]?.message;
    expect(await messageFor(endpoint.url)).toContain('must begin with https://');
    expect(await messageFor('https://127.0.0.1/')).toContain('an address that is not public');
    expect(await messageFor('https://169.254.169.254/')).toContain('an address that is not public');
    await outside.stop();
    expect(endpoint.connections()).toBe(0);
  });
});

describe('endpoint probes', () => {
  it('are limited to ten per minute and user, for saves and tests together, across applications', async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    const person = await signUp(limited, 'person');
    const [one, two] = [await createApplication(person, 'One'), await createApplication(person, 'Two')];
    endpoint.mode('error');
    const codes = [];
    for (let probes = 0; probes < 10; probes += 1) {
      const { id } = probes % 2 ? one : two;
      codes.push(codeOf(await askUpdate(person, id, { interactionsEndpointUrl: endpoint.url })));
    }
    expect(new Set(codes)).toEqual(new Set(['BAD_USER_INPUT']));
    expect(endpoint.requests).toHaveLength(20);
    expect(codeOf(await test(person, endpoint.url, one.id))).toBe('RATE_LIMITED');
    const headers = { authorization: `Bot ${one.botToken}` };
    const json = { interactions_endpoint_url: endpoint.url };
    const statuses = [];
    for (let probes = 0; probes < 6; probes += 1) {
      statuses.push((await ask(limited, 'PATCH', '/applications/@me', { json, headers })).status);
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
    expect(endpoint.requests).toHaveLength(30);
    await limited.stop();
  });
});
