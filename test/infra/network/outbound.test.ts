import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/infra/clock.js';
import type { LookUp } from '../../../src/infra/network/addresses.js';
import {
  createOutbound,
  type Outbound,
  type OutboundAnswer,
  type OutboundOptions,
  type OutboundRequest,
} from '../../../src/infra/network/outbound.js';
import { SELF_SIGNED } from '../../harness/certificates.js';
import { type EndpointMode, type EndpointOptions, startEndpoint, type TestEndpoint } from '../../harness/endpoint.js';
import { freePort } from '../../harness/ports.js';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0)) await thing.close();
});

function open(options: Partial<OutboundOptions> = {}): Outbound {
  const outbound = createOutbound({ clock: systemClock, allowPrivate: true, ...options });
  opened.unshift(outbound);
  return outbound;
}

async function listen(mode: EndpointMode = 'acceptsBad', options: EndpointOptions = {}): Promise<TestEndpoint> {
  const endpoint = await startEndpoint(options);
  endpoint.mode(mode);
  opened.push(endpoint);
  return endpoint;
}

const post = (
  outbound: Outbound,
  url: string,
  deadlineMs = 3_000,
  applicationId = 1n,
  bodyLimit?: OutboundRequest['bodyLimit'],
) =>
  outbound.post({
    applicationId,
    url,
    headers: { 'Content-Type': 'application/json' },
    body: '{"type":1}',
    deadlineMs,
    ...(bodyLimit && { bodyLimit }),
  });

const told = (answer: OutboundAnswer) => (answer.outcome === 'answered' ? answer.status : answer.reason);

const nobodyAsks: LookUp = (name) => Promise.reject(new Error(`${name} is not to be looked up`));

describe('I-12: a public instance', () => {
  it.each([
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://10.0.0.1:8443/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://172.16.0.1/',
    'https://192.0.0.1/',
    'https://192.88.99.1/',
    'https://192.168.0.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    'https://[::]/',
    'https://[::1]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::1]/',
    'https://[fc00::1]/',
    'https://[fe80::1]/',
    'https://[ff02::1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://bot.localhost/',
    'https://①②⑦.0.0.1/',
  ])('does not request %s', async (url) => {
    const answer = await post(open({ allowPrivate: false, lookUp: nobodyAsks }), url);
    expect(answer).toMatchObject({ outcome: 'failed', reason: 'address-not-allowed', reached: 'nothing' });
  });

  it.each([
    ['plain http', 'http://bot.example/'],
    ['another port', 'https://bot.example:444/'],
    ['the port of ssh', 'https://bot.example:22/'],
    ['a user', 'https://me@bot.example/'],
    ['a password', 'https://:secret@bot.example/'],
    ['a fragment', 'https://bot.example/#x'],
    ['an empty fragment', 'https://bot.example/#'],
    ['another protocol', 'file:///etc/passwd'],
    ['data', 'data:text/plain,x'],
    ['no URL', 'bot.example'],
    ['a scope id', 'https://[fe80::1%25lo]/'],
    ['an IPv4 address beyond 32 bits', 'https://4294967296/'],
  ])('does not accept a URL with %s', async (_what, url) => {
    const answer = await post(open({ allowPrivate: false, lookUp: nobodyAsks }), url);
    expect(answer).toMatchObject({ outcome: 'failed', reason: 'url-not-allowed', reached: 'nothing' });
  });

  it.each([
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['fe80::1%lo'],
    ['64:ff9b::7f00:1'],
    ['not an address'],
    ['1.1.1.1', '127.0.0.1'],
    ['2606:4700::1111', '1.1.1.1', 'fd00::1'],
  ])('does not connect to a name that resolves to %s, whatever else it resolves to', async (...addresses) => {
    const outbound = open({ allowPrivate: false, lookUp: async () => addresses });
    const answer = await post(outbound, 'https://bot.example/');
    expect(answer).toMatchObject({ outcome: 'failed', reason: 'address-not-allowed', reached: 'nothing' });
    expect(JSON.stringify(answer)).not.toContain(addresses[0]);
  });

  it('resolves the name for each new connection, and uses only the addresses from that lookup', async () => {
    const endpoint = await listen('acceptsBad', { tls: true });
    let asked = 0;
    const addresses = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1', '169.254.169.254']];
    const outbound = open({ ca: SELF_SIGNED.cert, lookUp: async () => addresses[asked++] ?? [] });
    const url = `https://localhost:${endpoint.port}/`;
    expect(told(await post(outbound, url))).toBe(200);
    expect(told(await post(outbound, url))).toBe(200);
    expect([asked, endpoint.connections()]).toEqual([1, 1]);
    const others = [0, 1, 2].map(() => post(outbound, url.replace('localhost', 'rebound.localhost')));
    const reasons = await Promise.all(others).then((answers) => answers.map(told));
    expect(reasons).toEqual(['address-not-allowed', 'address-not-allowed', 'name-not-found']);
    expect(endpoint.connections()).toBe(1);
  });
});

describe('I-12: an instance that allows private endpoints', () => {
  it.each(['http://169.254.169.254/', 'http://0.0.0.0/', 'http://[fe80::1]/', 'http://224.0.0.1/'])(
    'still refuses %s',
    async (url) => {
      expect(told(await post(open(), url))).toBe('address-not-allowed');
    },
  );

  it('sends requests to a plain http endpoint on any port, by name or by address', async () => {
    const { url, requests } = await listen();
    const answer = await post(open(), url);
    expect(answer).toEqual({
      outcome: 'answered',
      status: 200,
      contentType: 'application/json',
      bytes: Buffer.from('{"type":1}'),
      body: '{"type":1}',
      durationMs: expect.any(Number),
    });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'POST', path: '/interactions', body: '{"type":1}' });
    expect(Object.keys(requests[0]?.headers ?? {}).sort()).toEqual([
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
    ]);
    expect(requests[0]?.headers['accept-encoding']).toBe('identity');
  });
});

describe('the outcome of a request', () => {
  it.each<[EndpointMode, string | number, number | null, string]>([
    ['redirect', 307, null, ''],
    ['error', 500, null, ''],
    ['noContent', 204, null, ''],
    ['wrongType', 200, null, ''],
    ['empty', 200, null, ''],
    ['hang', 'timeout', null, 'did not respond within 300 ms'],
    ['drip', 'timeout', 200, 'not complete within 300 ms'],
    ['reset', 'connection-reset', null, 'before it responded'],
    ['hangUp', 'connection-reset', null, 'before it responded'],
    ['cutOff', 'connection-reset', 200, 'before its response was complete'],
    ['huge', 'too-large', 200, 'larger than 1 MiB'],
    ['endless', 'too-large', 200, 'larger than 1 MiB'],
    ['fewChunks', 200, null, ''],
    ['manyChunks', 'too-large', 200, 'too many small chunks'],
    ['longChunks', 'too-large', 200, 'larger than 1 MiB'],
    ['fewHints', 200, null, ''],
    ['manyHints', 'invalid-answer', null, 'more than 8 interim responses'],
    ['hugeHeaders', 'too-large', null, 'larger than 16 KiB'],
    ['garbage', 'invalid-answer', null, 'not valid HTTP'],
    ['compressed', 'invalid-answer', 200, 'compressed'],
    ['upgrade', 'invalid-answer', null, 'does not speak HTTP'],
  ])('%s', async (mode, expected, status, detail) => {
    const endpoint = await listen(mode);
    const answer = await post(open(), endpoint.url, ['hang', 'drip'].includes(mode) ? 300 : 3_000);
    expect(told(answer)).toBe(expected);
    if (answer.outcome === 'failed') expect(answer).toMatchObject({ status, detail: expect.stringContaining(detail) });
    expect(endpoint.requests).toHaveLength(1);
  });

  it('includes an answer up to the size limit of its type', async () => {
    const { url } = await listen('huge');
    const long = (contentType: string | null) => ({ most: contentType === 'application/json' ? 3 * 1024 * 1024 : 1 });
    expect(told(await post(open(), url, 3_000, 1n, long))).toBe(200);
    const short = await post(open(), url, 3_000, 1n, () => ({ most: 1024 * 1024 + 1 }));
    expect(short).toMatchObject({ reason: 'too-large', detail: expect.stringContaining('larger than 1 MiB') });
    let room = 1024 * 1024;
    const take = (bytes: number) => {
      room -= bytes;
      return room >= 0;
    };
    const crowded = await post(open(), url, 3_000, 1n, () => ({ most: 3 * 1024 * 1024, take }));
    expect(crowded).toMatchObject({
      reason: 'too-large',
      status: 200,
      detail: expect.stringContaining('at the moment'),
    });
  });

  it('is a failure if no server listens', async () => {
    const answer = await post(open(), `http://localhost:${await freePort()}/`);
    expect(answer).toMatchObject({ reason: 'connection-refused', reached: 'address' });
  });

  it('is a failure if the name does not resolve', async () => {
    const failing = open({ lookUp: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await post(failing, 'http://bot.example/')).toMatchObject({ reason: 'name-not-found', reached: 'nothing' });
    const empty = open({ lookUp: async () => [] });
    expect(await post(empty, 'http://bot.example/')).toMatchObject({ reason: 'name-not-found', reached: 'nothing' });
  });
});

describe('the time limit applies', () => {
  it('while the name is resolved', async () => {
    const outbound = open({ lookUp: () => new Promise(() => {}) });
    const answer = await post(outbound, 'http://bot.example/', 50);
    expect(answer).toMatchObject({
      reason: 'timeout',
      reached: 'nothing',
      detail: expect.stringContaining('could not be resolved'),
    });
  });

  it('while TLS is negotiated', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    opened.push(closer(silent));
    const { port } = silent.address() as AddressInfo;
    const answer = await post(open(), `https://127.0.0.1:${port}/`, 50);
    expect(answer).toMatchObject({ reason: 'timeout', reached: 'connected' });
  });

  it('to the whole request', async () => {
    const endpoint = await listen('drip');
    const lookUp: LookUp = (name) => new Promise((resolve) => setTimeout(() => resolve(hosts[name] ?? []), 200));
    const hosts: Record<string, string[]> = { localhost: ['127.0.0.1', '::1'] };
    const answer = await post(open({ lookUp }), endpoint.url, 400);
    expect(answer).toMatchObject({ reason: 'timeout', reached: 'answering' });
    expect(answer.durationMs).toBeGreaterThanOrEqual(390);
    expect(answer.durationMs).toBeLessThan(1_000);
  });

  it('and closes the connection', async () => {
    const sockets = new Set<object>();
    const server = createHttpServer(() => {}).listen(0, '127.0.0.1');
    const closed = new Promise<void>((resolve) => {
      server.on('connection', (socket) => {
        sockets.add(socket);
        socket.on('close', () => resolve());
      });
    });
    await once(server, 'listening');
    opened.push(closer(server));
    const { port } = server.address() as AddressInfo;
    expect(told(await post(open(), `http://127.0.0.1:${port}/`, 50))).toBe('timeout');
    await closed;
    expect(sockets.size).toBe(1);
  });
});

describe('connections', () => {
  it('are kept for the next request', async () => {
    const endpoint = await listen();
    const outbound = open();
    for (let sent = 0; sent < 5; sent += 1) expect(told(await post(outbound, endpoint.url))).toBe(200);
    expect([endpoint.requests.length, endpoint.connections()]).toEqual([5, 1]);
  });

  it('are replaced once if the other side closed them in the meantime', async () => {
    const endpoint = await listen('acceptsBad');
    const outbound = open();
    expect(told(await post(outbound, endpoint.url))).toBe(200);
    endpoint.mode('closes');
    expect(told(await post(outbound, endpoint.url))).toBe(401);
    expect([endpoint.requests.length, endpoint.connections()]).toEqual([3, 2]);
    endpoint.mode('acceptsBad');
    expect(told(await post(outbound, endpoint.url))).toBe(200);
    endpoint.mode('reset');
    expect(told(await post(outbound, endpoint.url))).toBe('connection-reset');
    expect(endpoint.requests).toHaveLength(6);
  });

  it('are not replaced if an answer began on them', async () => {
    const endpoint = await listen();
    const outbound = open();
    expect(told(await post(outbound, endpoint.url))).toBe(200);
    endpoint.mode('cutOff');
    expect(told(await post(outbound, endpoint.url))).toBe('connection-reset');
    expect(endpoint.requests).toHaveLength(2);
  });

  it('of one application to one host are 64 at a time; more requests wait, and too many are refused at once', async () => {
    const endpoint = await listen('hang');
    const outbound = open();
    const waiting = Array.from({ length: 64 + 256 }, () => post(outbound, endpoint.url, 20_000));
    await endpoint.reached(64);
    expect(await post(outbound, endpoint.url)).toMatchObject({ reason: 'busy', durationMs: 0 });
    expect(endpoint.connections()).toBe(64);
    const other = await listen();
    expect(told(await post(outbound, other.url))).toBe(200);
    outbound.close();
    expect(new Set((await Promise.all(waiting)).map(told))).toEqual(new Set(['connection-reset']));
    expect(endpoint.requests).toHaveLength(64);
  });

  it('of one application leave slots of its host to others, however many wait', async () => {
    const endpoint = await listen('hang');
    const outbound = open();
    const waiting = Array.from({ length: 64 + 256 }, () => post(outbound, endpoint.url, 20_000));
    await endpoint.reached(64);
    const others = [2n, 3n].map((applicationId) => post(outbound, endpoint.url, 20_000, applicationId));
    await endpoint.reached(66);
    outbound.close();
    await Promise.all([...waiting, ...others]);
  });

  it('are used by waiting requests when others are done', { tags: ['slow'] }, async () => {
    const endpoint = await listen('slow');
    const outbound = open();
    const answers = await Promise.all(Array.from({ length: 80 }, () => post(outbound, endpoint.url)));
    expect(new Set(answers.map(told))).toEqual(new Set([401]));
    expect(endpoint.connections()).toBeLessThanOrEqual(64);
  });
});

describe('TLS', () => {
  it('is accepted with a certificate of a trusted issuer', async () => {
    const endpoint = await listen('acceptsBad', { tls: true });
    const outbound = open({ ca: SELF_SIGNED.cert });
    expect(told(await post(outbound, endpoint.url))).toBe(200);
    expect(told(await post(outbound, endpoint.url))).toBe(200);
    expect(endpoint.connections()).toBe(1);
  });

  it('is refused with a self-signed certificate', async () => {
    const endpoint = await listen('acceptsBad', { tls: true });
    const answer = await post(open(), endpoint.url);
    expect(answer).toMatchObject({ reason: 'tls', reached: 'connected', detail: 'The certificate is self-signed.' });
    expect(endpoint.requests).toEqual([]);
  });

  it('is refused with a certificate for another name', async () => {
    const endpoint = await listen('acceptsBad', { tls: true });
    const lookUp: LookUp = async () => ['127.0.0.1', '::1'];
    const outbound = open({ ca: SELF_SIGNED.cert, lookUp });
    const answer = await post(outbound, endpoint.url.replace('localhost', 'bot.example'));
    expect(answer).toMatchObject({ reason: 'tls', detail: 'The certificate is for another host name.' });
  });

  it('is missing if the host speaks plain HTTP', async () => {
    const { url, requests } = await listen();
    const answer = await post(open(), url.replace('http:', 'https:'));
    expect(answer).toMatchObject({ reason: 'tls', detail: 'The host does not speak TLS on this port.' });
    expect(requests).toEqual([]);
  });

  it.each([
    ['ends', (socket: Socket) => socket.destroy()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])('is not the reported reason if the host %s the connection before the handshake ends', async (_how, end) => {
    const host = createServer((socket) => socket.on('error', () => {}).once('data', () => end(socket)));
    opened.push(host);
    await once(host.listen(0, '127.0.0.1'), 'listening');
    const answer = await post(open(), `https://127.0.0.1:${(host.address() as AddressInfo).port}/`);
    expect(answer).toMatchObject({ reason: 'connection-reset', reached: 'connected' });
  });
});

it('a proxy in the environment is not used', async () => {
  const endpoint = await listen();
  const proxy = await listen();
  const script = `
    import { createOutbound } from './dist/infra/network/outbound.js';
    import { systemClock } from './dist/infra/clock.js';
    const outbound = createOutbound({ clock: systemClock, allowPrivate: true });
    const request = { url: process.argv[1], headers: {}, body: '{"type":1}', deadlineMs: 3000 };
    process.stdout.write(String((await outbound.post(request)).status));
    outbound.close();`;
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
  const proxies = Object.fromEntries(names.map((name) => [name, `http://localhost:${proxy.port}`]));
  const env = { ...process.env, ...proxies, NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1' };
  const asked = ['--input-type=module', '--eval', script, endpoint.url];
  const { stdout } = await promisify(execFile)(process.execPath, asked, { env });
  expect(stdout).toBe('200');
  expect([endpoint.requests.length, proxy.connections()]).toEqual([1, 0]);
});

function closer(server: Server): { close(): Promise<unknown> } {
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  return {
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      return once(server, 'close');
    },
  };
}
