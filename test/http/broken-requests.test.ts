import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect } from 'vitest';
import { answerBrokenRequest } from '../../src/http/broken-requests.js';
import { it } from '../harness/fixtures.js';
import { type Person, signUp } from '../harness/people.js';
import { RawConnection } from '../harness/raw-http.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let ada: Person;
let connection: RawConnection;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
});
beforeEach(async () => {
  connection = await RawConnection.open(server);
  return () => void connection.socket.destroy();
});

const HEAD = ['POST /api/v10/channels/1/messages HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];

describe('a malformed HTTP request gets a response in the format of REST errors, and its connection closes', () => {
  it.each([
    ['text without sense', ['hello', '', ''], 400, 'Bad Request'],
    ['a method that does not exist', ['BREW /pot HTTP/1.1', 'Host: localhost', '', ''], 400, 'Bad Request'],
    ['a version that does not exist', ['GET / HTTP/3.7', 'Host: localhost', '', ''], 400, 'Bad Request'],
    [
      'an address that is none',
      ['GET /%zz HTTP/1.1', 'Host: localhost', 'Connection: close', '', ''],
      400,
      'Bad Request',
    ],
    ['a length that is none', [...HEAD, 'Content-Length: ten', '', ''], 400, 'Bad Request'],
    ['a chunk whose length is none', [...HEAD, 'Transfer-Encoding: chunked', '', 'ten', ''], 400, 'Bad Request'],
    [
      'headers of more than 16 KiB',
      [...HEAD, `X-Padding: ${'x'.repeat(20_000)}`, '', ''],
      431,
      'Request Header Fields Too Large',
    ],
    [
      'chunks with more than 16 KiB in addition to their content',
      [...HEAD, 'Transfer-Encoding: chunked', '', `1;${'x'.repeat(20_000)}`, ''],
      413,
      'Payload Too Large',
    ],
  ])('%s', async (_what, lines, status, words) => {
    connection.write(...lines);
    const answer = await connection.answer();
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({ connection: 'close', 'content-type': 'application/json' });
    expect(JSON.parse(answer.body)).toEqual({ message: `${status}: ${words}`, code: 0 });
    await connection.closed;
  });

  it('a request that arrives too slowly', async () => {
    const impatient = createServer({ requestTimeout: 50, connectionsCheckingInterval: 20 }).listen(0, '127.0.0.1');
    impatient.on('clientError', (error, socket) => answerBrokenRequest(error, socket));
    await once(impatient, 'listening');
    const { port } = impatient.address() as AddressInfo;
    const slow = await RawConnection.open({ origin: `http://127.0.0.1:${port}` });
    slow.write(...HEAD, 'Content-Length: 10', '', '{');
    const { status, body } = await slow.answer();
    expect(status).toBe(408);
    expect(JSON.parse(body)).toEqual({ message: '408: Request Timeout', code: 0 });
    await slow.closed;
    impatient.close();
  });
});

describe('garbage after a request', () => {
  it('truncates the response in progress and adds nothing to it', async () => {
    const query = 'subscription { portalHomeChanged { __typename } }';
    const body = JSON.stringify({ query });
    connection.write(
      'POST /graphql HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${ada.token}`,
      'Accept: text/event-stream',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    );
    expect((await connection.answer()).headers['content-type']).toContain('text/event-stream');
    let rest = '';
    connection.socket.on('data', (chunk) => {
      rest += chunk;
    });
    connection.write('hello', '', '');
    await connection.closed;
    expect(rest).not.toContain('HTTP/1.1');
  });
});
