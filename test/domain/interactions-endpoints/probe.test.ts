import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyKeyMiddleware } from 'discord-interactions';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CallContext } from '../../../src/domain/call.js';
import { type EndpointProbe, postToEndpoint, probeEndpoint } from '../../../src/domain/interactions-endpoints/index.js';
import type { Application } from '../../../src/infra/database/index.js';
import { createOutbound, type OutboundOptions } from '../../../src/infra/network/outbound.js';
import { SELF_SIGNED } from '../../harness/certificates.js';
import { openContext } from '../../harness/context.js';
import { type EndpointMode, type EndpointOptions, startEndpoint, type TestEndpoint } from '../../harness/endpoint.js';
import { freePort } from '../../harness/ports.js';
import { expectReference } from '../../harness/reference.js';
import { callOf, createBot } from '../../harness/world.js';

let context: Awaited<ReturnType<typeof openContext>>;
let call: CallContext;
let application: Application;
beforeAll(async () => {
  context = await openContext();
  const { id, owner } = await createBot(context.app);
  call = callOf(context.app, owner);
  application = await context.app.db.reader.application.findUniqueOrThrow({ where: { id } });
});
afterAll(() => context.close());

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0)) await thing.close();
});

async function listen(mode: EndpointMode = 'good', options: EndpointOptions = {}): Promise<TestEndpoint> {
  const endpoint = await startEndpoint({ publicKey: application.publicKey, ...options });
  endpoint.mode(mode);
  opened.push(endpoint);
  return endpoint;
}

function through(options: Partial<OutboundOptions>): CallContext {
  const outbound = createOutbound({ clock: call.clock, allowPrivate: true, ...options });
  opened.unshift(outbound);
  return { ...call, outbound };
}

const namesOf = ({ checks }: EndpointProbe) => checks.map(({ name }) => name);
const passed = ({ checks }: EndpointProbe) => checks.filter(({ ok }) => ok).map(({ name }) => name);
const firstReason = ({ checks }: EndpointProbe) => checks.find(({ ok }) => !ok)?.reason;

describe('a probe of a good endpoint', () => {
  it('succeeds, and reports what was sent and received, without the valid signature or the token', async () => {
    const endpoint = await listen();
    const probe = await probeEndpoint(call, application, endpoint.url);
    expect(probe.ok).toBe(true);
    expect(namesOf(probe)).toEqual(['Address allowed', 'Connected', 'PING answered', 'Invalid signature rejected']);
    expect(endpoint.requests.map(({ isSigned }) => isSigned)).toEqual([true, false]);
    const [good, bad] = endpoint.requests;
    const told = JSON.stringify(probe);
    expect(told).not.toContain(good?.headers['x-signature-ed25519']);
    expect(told).toContain(bad?.headers['x-signature-ed25519']);
    expect(told).not.toContain(good?.interaction.token);
    expect(probe.checks[2]?.got).toMatch(/^200 in \d+ ms\nContent-Type: application\/json\n\n\{"type":1\}$/);
    expect(probe.checks[3]?.got).toMatch(/^401 in \d+ ms\n/);
    expect(probe.checks.map(({ reason }) => reason)).toEqual([null, null, null, null]);
  });

  it('sends a PING with all its fields, and a user agent with a contact address', async () => {
    const endpoint = await listen();
    await probeEndpoint(call, application, endpoint.url);
    const [{ interaction, headers } = { interaction: null, headers: {} }] = endpoint.requests;
    expect(interaction).toEqual({
      id: expect.stringMatching(/^\d{17,19}$/),
      application_id: String(application.id),
      type: 1,
      token: expect.stringMatching(/^[\w-]{60,}$/),
      version: 1,
      user: expect.objectContaining({ discriminator: '0' }),
      app_permissions: '0',
      entitlements: [],
      authorizing_integration_owners: {},
      attachment_size_limit: 10 * 1024 * 1024,
    });
    expectReference('UserResponse', interaction.user);
    expect(headers['user-agent']).toBe('Causeway-Interactions/1.0 (+http://localhost)');
    expect(headers['content-type']).toBe('application/json');
  });

  it('sends bad signatures of the right length, both well-formed and others', async () => {
    const endpoint = await listen();
    for (let probes = 0; probes < 8; probes += 1) await probeEndpoint(call, application, endpoint.url);
    const signatures = endpoint.requests.map(({ headers }) => headers['x-signature-ed25519']);
    expect(new Set(signatures).size).toBe(16);
    expect(signatures.every((signature) => /^[0-9a-f]{128}$/.test(String(signature)))).toBe(true);
    expect(endpoint.requests.filter(({ isSigned }) => isSigned)).toHaveLength(8);
  });

  it('also checks TLS over https', async () => {
    const endpoint = await listen('good', { tls: true });
    const probe = await probeEndpoint(through({ ca: SELF_SIGNED.cert }), application, endpoint.url);
    expect(probe.ok).toBe(true);
    expect(namesOf(probe)).toEqual([
      'Address allowed',
      'Connected',
      'TLS',
      'PING answered',
      'Invalid signature rejected',
    ]);
    expect(endpoint.connections()).toBe(1);
  });

  it('succeeds with the published middleware', async () => {
    const middleware = verifyKeyMiddleware(application.publicKey);
    const server = createServer((request, response) => {
      const header = (name: string) => request.headers[name.toLowerCase()];
      middleware(Object.assign(request, { header }) as never, response as never, () => response.end());
    }).listen(0, 'localhost');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const probe = await probeEndpoint(call, application, `http://localhost:${port}/interactions`);
    server.closeAllConnections();
    server.close();
    expect(probe.checks.map(({ reason }) => reason)).toEqual([null, null, null, null]);
  });
});

describe('a probe reports which check failed and which passed:', () => {
  const WAY = ['Address allowed', 'Connected'];
  it.each<[EndpointMode, string[], string]>([
    ['hang', WAY, 'The host did not respond within 3000 ms.'],
    ['drip', WAY, 'The response was not complete within 3000 ms.'],
    ['reset', WAY, 'closed the connection before it responded'],
    ['hangUp', WAY, 'closed the connection before it responded'],
    ['cutOff', WAY, 'before its response was complete'],
    ['redirect', [...WAY], 'answered 307 instead of 200. Redirects are not followed.'],
    ['error', [...WAY], 'answered 500 instead of 200.'],
    ['unauthorized', [...WAY, 'Invalid signature rejected'], 'uses the public key of this application.'],
    ['wrongType', WAY, 'The content type of the response is text/html instead of application/json.'],
    ['noType', WAY, 'The content type of the response is (none) instead of application/json.'],
    ['noJson', WAY, 'is not {"type":1}'],
    ['wrongJson', WAY, 'is not {"type":1}'],
    ['empty', WAY, 'is not {"type":1}'],
    ['noContent', WAY, 'answered 204 instead of 200.'],
    ['huge', WAY, 'larger than 1 MiB'],
    ['endless', WAY, 'larger than 1 MiB'],
    ['hugeHeaders', WAY, 'larger than 16 KiB'],
    ['garbage', WAY, 'not valid HTTP'],
    ['compressed', WAY, 'compressed'],
    ['upgrade', WAY, 'does not speak HTTP'],
    ['refusesPing', [...WAY], 'answered 400 instead of 200.'],
    ['acceptsBad', [...WAY, 'PING answered'], 'answered 200 instead of 401 to a request with an invalid signature.'],
    ['forbidsBad', [...WAY, 'PING answered'], 'answered 403 instead of 401 to a request with an invalid signature.'],
  ])('%s', async (mode, ok, reason) => {
    const endpoint = await listen(mode);
    const probe = await probeEndpoint(call, application, endpoint.url);
    expect(probe.ok).toBe(false);
    expect(passed(probe)).toEqual(ok);
    expect(firstReason(probe)).toContain(reason);
    expect(endpoint.requests.length).toBeLessThanOrEqual(2);
  });

  it('a host that refuses the connection', async () => {
    const probe = await probeEndpoint(call, application, `http://localhost:${await freePort()}/`);
    expect(probe.checks.map(({ reason }) => reason)).toEqual([
      null,
      'The host refused the connection.',
      'Skipped because the check "Connected" failed.',
      'Skipped because the check "Connected" failed.',
    ]);
  });

  it('an address that is not allowed, without any request', async () => {
    const endpoint = await listen('good', { tls: true });
    const outside = through({ allowPrivate: false, lookUp: async () => ['127.0.0.1'] });
    const probe = await probeEndpoint(outside, application, 'https://bot.example/');
    expect(passed(probe)).toEqual([]);
    expect(firstReason(probe)).toBe('The host has an address that is not public.');
    expect(
      probe.checks.slice(1).every(({ reason }) => reason === 'Skipped because the check "Address allowed" failed.'),
    ).toBe(true);
    expect(endpoint.connections()).toBe(0);
  });

  it('a certificate that is not trusted', async () => {
    const endpoint = await listen('good', { tls: true });
    const probe = await probeEndpoint(call, application, endpoint.url);
    expect(passed(probe)).toEqual(['Address allowed', 'Connected']);
    expect(firstReason(probe)).toBe('The certificate is self-signed.');
    expect(endpoint.requests).toEqual([]);
  });

  it('a long response, of which it shows the beginning', async () => {
    const endpoint = await listen('long');
    const probe = await probeEndpoint(call, application, endpoint.url);
    expect(probe.checks[2]?.got).toMatch(/^200 in \d+ ms\n.*\n\n"x{999}…$/);
  });
});

describe('an interaction', () => {
  it("is signed and sent to the application's endpoint, and the response is returned unchanged", async () => {
    const endpoint = await listen('good', { answer: ({ name }) => ({ type: 4, data: { content: `hello ${name}` } }) });
    const target = { ...application, interactionsEndpointUrl: endpoint.url };
    const answer = await postToEndpoint(call, target, '{"type":2,"name":"ü"}', { deadlineMs: 3_000 });
    expect(answer).toMatchObject({ outcome: 'answered', status: 200, body: '{"type":4,"data":{"content":"hello ü"}}' });
    expect(endpoint.requests[0]).toMatchObject({ isSigned: true, body: '{"type":2,"name":"ü"}' });
  });

  it('of an application without an endpoint fails without a request', async () => {
    const answer = await postToEndpoint(call, { ...application, interactionsEndpointUrl: null }, '{}', {
      deadlineMs: 3_000,
    });
    expect(answer).toMatchObject({ outcome: 'failed', reason: 'url-not-allowed' });
  });
});
