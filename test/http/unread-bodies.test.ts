import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fastify } from 'fastify';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { HttpDrain } from '../../src/http/drain.js';
import { dropUnreadBodies, keepConnections } from '../../src/http/unread-bodies.js';
import { it } from '../harness/fixtures.js';
import { RawConnection } from '../harness/raw-http.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let agent: Agent;
it.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(() => {
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});
afterEach(() => agent.destroy());

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

async function ask(method: string, path: string, type?: string, body?: Buffer): Promise<number | undefined> {
  const headers = type === undefined ? {} : { 'content-type': type };
  const sent = request(`${server.origin}${path}`, { agent, method, headers, timeout: 3_000 });
  sent.on('timeout', () => sent.destroy(new Error('no answer')));
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  await text(answer);
  // Closing the connection here would reset clients that still send.
  expect(answer.headers.connection).toBe('keep-alive');
  return answer.statusCode;
}

describe("a body that is too large gets a response, and so does the client's next request", () => {
  it.each([
    ['/oauth2/token', FORM, 300_000, 413],
    ['/oauth2/token', FORM, 4_000_000, 413],
    ['/oauth2/token/revoke', FORM, 4_000_000, 413],
    ['/api/v10/oauth2/token', FORM, 4_000_000, 413],
    ['/oauth2/authorize?client_id=1', FORM, 4_000_000, 413],
    ['/oauth2/sign-in', FORM, 4_000_000, 413],
    ['/oauth2/sign-out', FORM, 4_000_000, 413],
    ['/oauth2/token', JSON_TYPE, 4_000_000, 400],
    ['/api/v10/channels/1/messages', JSON_TYPE, 4_000_000, 401],
    ['/graphql', JSON_TYPE, 1_100_000, 413],
    ['/auth/sign-in/email', JSON_TYPE, 40_000, 413],
    ['/nowhere', JSON_TYPE, 1_100_000, 404],
  ])('%s (%s, %i bytes)', async (path, type, size, status) => {
    expect(await ask('POST', path, type, Buffer.alloc(size, 'a'))).toBe(status);
    expect(await ask('GET', '/healthz')).toBe(200);
  });
});

describe('the connection closes with the response to a refused body', () => {
  const TOO_LARGE = [
    'POST /graphql HTTP/1.1',
    'Host: localhost',
    `Content-Type: ${JSON_TYPE}`,
    'Content-Length: 9000000',
  ];

  it('if its client requested that', async () => {
    const connection = await RawConnection.open(server);
    connection.write(...TOO_LARGE, 'Connection: close', '', '');
    expect(await connection.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } });
    await connection.closed;
  });

  it('if the server stops', async () => {
    const http = fastify();
    keepConnections(http);
    http.post('/graphql', () => 'taken');
    const drain = new HttpDrain(http.server);
    const origin = await http.listen({ port: 0, host: '127.0.0.1' });
    drain.announce();
    const connection = await RawConnection.open({ origin });
    connection.write(...TOO_LARGE, '', '');
    expect(await connection.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } });
    await connection.closed;
    await http.close();
  });
});

describe('a body that is never read to its end', () => {
  it('closes its connection after the response', async () => {
    const careless = createServer({ keepAliveTimeout: 60_000 }, async (asked, response) => {
      for await (const _ of asked) break;
      response.end('enough');
    });
    dropUnreadBodies(careless.listen(0, '127.0.0.1'));
    await once(careless, 'listening');
    const connection = await RawConnection.open({
      origin: `http://127.0.0.1:${(careless.address() as AddressInfo).port}`,
    });
    connection.write('POST / HTTP/1.1', 'Host: localhost', 'Content-Length: 400000', '', 'x'.repeat(1_000));
    expect(await connection.answer()).toMatchObject({ status: 200 });
    await connection.closed;
    careless.close();
  });
});

describe('a body that is still arriving when the server stops', () => {
  it('closes its connection with its last byte', async () => {
    const hasty = createServer({ keepAliveTimeout: 60_000 }, (_asked, response) => void response.end('enough'));
    dropUnreadBodies(hasty.listen(0, '127.0.0.1'));
    await once(hasty, 'listening');
    const { port } = hasty.address() as AddressInfo;
    const connection = await RawConnection.open({ origin: `http://127.0.0.1:${port}` });
    connection.write('POST / HTTP/1.1', 'Host: localhost', 'Content-Length: 6', '', 'abc');
    expect(await connection.answer()).toMatchObject({ status: 200 });
    const stopped = once(hasty.close(), 'close');
    connection.write('abc');
    await Promise.all([connection.closed, stopped]);
  });
});
