import { beforeEach, describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import { RawConnection } from '../harness/raw-http.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let scene: Scene;
let connection: RawConnection;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});
beforeEach(async () => {
  connection = await RawConnection.open(server);
  return () => void connection.socket.destroy();
});

const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'];

const get = (path: string, ...headers: string[]) => [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''];

const post = (body: string, ...headers: string[]) => [
  `POST /api/v10${scene.messages} HTTP/1.1`,
  'Host: localhost',
  `Authorization: Bot ${scene.bot.bot.token}`,
  'Content-Type: application/json',
  ...headers,
  '',
  body,
];

describe('an unsupported upgrade is ignored', () => {
  it.each([
    ['h2c', H2C],
    ['TLS', ['Connection: upgrade', 'Upgrade: TLS/1.0']],
    ['a protocol whose name begins alike', ['Connection: upgrade', 'Upgrade: websocket2']],
  ])('for %s: GET gets a normal response', async (_protocol, headers) => {
    connection.write(...get('/healthz', ...headers));
    expect(await connection.answer()).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  it('with a body that is sent at once', async () => {
    const body = '{"content":"offered h2c"}';
    connection.write(...post(body, ...H2C, `Content-Length: ${body.length}`));
    const answer = await connection.answer();
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ content: 'offered h2c' });
  });

  it('with a chunked body that arrives later', async () => {
    connection.write(...post('', ...H2C, 'Transfer-Encoding: chunked', 'Expect: 100-continue'));
    expect(await connection.answer()).toMatchObject({ status: 100 });
    const [first, second] = ['{"content":', '"in two"}'];
    connection.write(first.length.toString(16), first, '');
    connection.write(second.length.toString(16), second, '0', '', '');
    const answer = await connection.answer();
    expect(JSON.parse(answer.body)).toMatchObject({ content: 'in two' });
  });

  it('repeatedly on a kept connection, without a leak', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => void warnings.push(warning);
    process.on('warning', warn);
    for (let turn = 0; turn < 15; turn += 1) {
      connection.write(...get('/healthz', ...H2C));
      const { status, headers } = await connection.answer();
      expect([status, headers.connection]).toEqual([200, 'keep-alive']);
    }
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  it('among pipelined requests: the responses keep their order', async () => {
    const body = '{"content":"before the offer"}';
    const requests = [post(body, `Content-Length: ${body.length}`), get('/healthz', ...H2C), get('/api/v10/gateway')];
    connection.write(requests.map((lines) => lines.join('\r\n')).join(''));
    const answers = [await connection.answer(), await connection.answer(), await connection.answer()];
    expect(answers.map(({ body }) => Object.keys(JSON.parse(body))[0])).toEqual(['id', 'status', 'url']);
  });
});

const HANDSHAKE = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='];

describe('a WebSocket upgrade', () => {
  it.each(['websocket', 'WebSocket', 'h2c, websocket', 'websocket, h2c'])('is accepted as %s', async (offer) => {
    connection.write(...get('/gateway', 'Connection: Upgrade', `Upgrade: ${offer}`, ...HANDSHAKE));
    expect((await connection.answer()).status).toBe(101);
  });

  it('is 404 at a path without upgrades', async () => {
    connection.write(...get('/healthz', 'Connection: Upgrade', 'Upgrade: websocket', ...HANDSHAKE));
    expect((await connection.answer()).status).toBe(404);
    await connection.closed;
  });

  it('is ignored in HTTP/1.0', async () => {
    const lines = get('/healthz', 'Connection: Upgrade', 'Upgrade: websocket', ...HANDSHAKE);
    connection.write(...lines.with(0, 'GET /healthz HTTP/1.0'));
    expect(await connection.answer()).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });
});
