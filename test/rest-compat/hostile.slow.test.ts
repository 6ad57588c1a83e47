import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALL_PERMISSIONS } from '../../src/domain/permissions.js';
import { routes } from '../../src/rest-compat/table.js';
import { readableLog } from '../harness/log.js';
import { openScene, type Scene } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';

/** Time limit of every response, in milliseconds. */
const BOUND = 5_000;
const RUNS_PER_ROUTE = 40;

const { log, lines: faults } = readableLog();
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
let server: TestServer;
let scene: Scene;
let messageId: string;

beforeAll(async () => {
  server = await startServer({ log });
  scene = await openScene(server);
  await scene.permit(ALL_PERMISSIONS);
  messageId = (await scene.send()).id;
});
afterAll(async () => {
  agent.destroy();
  await server.stop();
});

interface Hostile {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

function send({ method, path, headers, body }: Hostile): Promise<{ status: number; type: string; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.origin);
    const outgoing = request({ hostname, port, agent, method, path, headers, timeout: BOUND }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: String(response.headers['content-type']),
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${BOUND} ms`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const oddText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '\u0000',
    '\ud800',
    '__proto__',
    'constructor',
    '@me',
    '@everyone',
    '<@1>',
    '9'.repeat(40),
    '-1',
    '1e400',
  ),
);
const json = fc.jsonValue({ maxDepth: 4, depthSize: 'small' });
const anything = fc.oneof(
  json,
  oddText,
  fc.integer(),
  fc.double(),
  fc.constantFrom(null, true, {}, [], [[]], [null], { a: null }),
  fc.bigInt().map((value) => `big:${value}`),
);

const embed = fc.dictionary(
  fc.constantFrom(
    'title',
    'description',
    'url',
    'color',
    'timestamp',
    'footer',
    'image',
    'author',
    'fields',
    '__proto__',
  ),
  fc.oneof(anything, fc.dictionary(fc.constantFrom('text', 'name', 'value', 'url', 'icon_url', 'inline'), anything)),
);
const reference = fc.dictionary(fc.constantFrom('message_id', 'channel_id', 'type', 'fail_if_not_exists'), anything);
const component = fc.dictionary(fc.constantFrom('type', 'id', 'components', 'custom_id', '__proto__'), anything);
const attachment = fc.dictionary(fc.constantFrom('id', 'filename', 'description'), anything);
const mentions = fc.dictionary(fc.constantFrom('parse', 'users', 'roles', 'replied_user'), anything);
const message = fc.record(
  {
    content: anything,
    embeds: fc.oneof(anything, fc.array(embed, { maxLength: 12 })),
    components: fc.oneof(anything, fc.array(component)),
    attachments: fc.oneof(anything, fc.array(attachment)),
    allowed_mentions: fc.oneof(anything, mentions),
    message_reference: fc.oneof(anything, reference),
    nonce: anything,
    enforce_nonce: anything,
    flags: anything,
    tts: anything,
  },
  { requiredKeys: [] },
);

/** JSON text in which each `"big:…"` becomes a bare number. */
const jsonText = fc
  .oneof(message, anything)
  .map((value) => (JSON.stringify(value) ?? '').replace(/"big:(-?\d+)"/g, '$1'));

const part = fc.record({
  head: fc.oneof(
    fc.constantFrom(
      'Content-Disposition: form-data; name="payload_json"',
      'Content-Disposition: form-data; name="files[0]"; filename="a.txt"',
      'Content-Disposition: form-data; name="files[1]"; filename="../../x"\r\nContent-Type: text/html',
      'Content-Disposition: form-data; name="payload_json"; filename="blob"',
      'Content-Disposition: form-data; name="content"',
      'Content-Disposition: attachment',
      '',
    ),
    oddText,
  ),
  content: fc.oneof(jsonText, oddText),
});
const multipart = fc
  .tuple(fc.array(part, { maxLength: 4 }), fc.constantFrom('--b--\r\n', '--b--', '', '--b', '--b\r\n\r\n'))
  .map(([parts, end]) => parts.map(({ head, content }) => `--b\r\n${head}\r\n\r\n${content}\r\n`).join('') + end);

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const body = fc.oneof(
  { weight: 4, arbitrary: jsonText.map((text) => ({ type: 'application/json', body: Buffer.from(text) })) },
  {
    weight: 2,
    arbitrary: multipart.map((text) => ({ type: 'multipart/form-data; boundary=b', body: Buffer.from(text) })),
  },
  fc.record({
    type: fc.oneof(
      fc.constantFrom('', 'application/json', 'multipart/form-data', 'multipart/form-data; boundary='),
      oddText,
    ),
    body: fc.oneof(bytes, jsonText.map(Buffer.from)),
  }),
);

function segment(known: string): fc.Arbitrary<string> {
  const odd = oddText.map((text) => encodeURIComponent(text.toWellFormed()));
  const broken = fc.constantFrom(
    '%',
    '%zz',
    '%00',
    '%ff',
    '..',
    '.',
    '%2e%2e',
    '%2f',
    '%F0%9F%98%80',
    'a'.repeat(2000),
  );
  return fc.oneof({ weight: 4, arbitrary: fc.constant(known) }, odd, broken);
}

const query = fc.oneof(
  fc.constant(''),
  fc
    .array(
      fc.tuple(fc.constantFrom('limit', 'before', 'after', 'around', 'with_counts', '__proto__', 'x[]'), oddText),
      { maxLength: 4 },
    )
    .map(
      (pairs) => `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&')}`,
    ),
  fc.constantFrom('?', '?&&&', '?=', '?limit=%', '?limit=%ff', '?limit[]=1', `?limit=${'1'.repeat(3000)}`, '?%00=%00'),
);

const headerText = oddText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''));

function hostile(route: (typeof routes)[number]): fc.Arbitrary<Hostile> {
  const known: Record<string, string> = {
    guildId: scene.guildId,
    channelId: scene.channelId,
    messageId,
    emoji: '%F0%9F%91%8D',
    userId: scene.bot.id,
  };
  const segments = route.path
    .split('/')
    .slice(1)
    .map((step) => (step.startsWith(':') ? segment(known[step.slice(1)] ?? '') : fc.constant(step)));
  return fc
    .record({
      method: fc.oneof(
        { weight: 6, arbitrary: fc.constant(route.method as string) },
        fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'),
      ),
      segments: fc.tuple(...segments),
      query,
      authorization: fc.oneof({ weight: 8, arbitrary: fc.constant(`Bot ${scene.bot.bot.token}`) }, headerText),
      reason: headerText,
      sent: body,
    })
    .map(({ method, segments: steps, query: search, authorization, reason, sent }) => ({
      method,
      path: `/api/v10/${steps.join('/')}${search}`,
      headers: {
        authorization,
        'x-audit-log-reason': reason,
        'content-type': sent.type.replace(/[^\t\x20-\x7e]/g, ''),
        'content-length': String(sent.body.length),
      },
      body: sent.body,
    }));
}

describe('any request to a route', () => {
  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s returns a documented response and never a 5xx',
    async (_, route) => {
      await fc.assert(
        fc.asyncProperty(hostile(route), async (attempt) => {
          const answer = await send(attempt);
          expect(answer.status).toBeGreaterThanOrEqual(200);
          expect(answer.status).toBeLessThan(500);
          if (answer.status >= 400 && attempt.method !== 'HEAD') {
            expect(answer.type).toBe('application/json');
            expect(JSON.parse(answer.body)).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
          }
        }),
        { numRuns: RUNS_PER_ROUTE },
      );
      expect(faults).toEqual([]);
    },
  );
});

describe('bytes that are not HTTP', () => {
  const host = 'Host: x\r\n';
  const long = 'a'.repeat(100_000);
  const CASES: Record<string, string | Buffer> = {
    'a TLS hello': Buffer.from('16030100ff010000fb0303', 'hex'),
    'zero bytes': Buffer.alloc(2000),
    noise: Buffer.from(Array.from({ length: 3000 }, (_, n) => (n * 7919) % 256)),
    'no line end': 'GET /users/@me HTTP/1.1',
    'another protocol': 'GET / HTTP/9.9\r\n\r\n',
    'HTTP/2 in the clear': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'no host': 'GET /users/@me HTTP/1.1\r\n\r\n',
    'HTTP/1.0': 'GET /users/@me HTTP/1.0\r\n\r\n',
    'U+0000 in the path': `GET /users/\u0000 HTTP/1.1\r\n${host}\r\n`,
    'a space in the path': `GET /users/ @me HTTP/1.1\r\n${host}\r\n`,
    'an address of another origin': `GET http://example.org/users/@me HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    'an asterisk': `OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    'a CONNECT': `CONNECT example.org:443 HTTP/1.1\r\n${host}\r\n`,
    'a long path': `GET /${long} HTTP/1.1\r\n${host}\r\n`,
    'a long header': `GET /users/@me HTTP/1.1\r\n${host}X: ${long}\r\n\r\n`,
    'many headers': `GET /users/@me HTTP/1.1\r\n${host}${'X: y\r\n'.repeat(5000)}\r\n`,
    'a header without a name': `GET /users/@me HTTP/1.1\r\n${host}: x\r\n\r\n`,
    'a negative length': `POST /channels/1/messages HTTP/1.1\r\n${host}Content-Length: -5\r\n\r\n`,
    'two lengths': `POST /channels/1/messages HTTP/1.1\r\n${host}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
    'a length and chunks': `POST /x HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'a broken chunk': `POST /channels/1/messages HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n`,
    'an unknown encoding': `POST /channels/1/messages HTTP/1.1\r\n${host}Transfer-Encoding: gzip\r\n\r\nhello`,
    'an upgrade to nothing': `GET /users/@me HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: nothing\r\n\r\n`,
  };

  test.each(Object.entries(CASES))(
    '%s: the server responds or closes the connection within the time limit',
    async (_, bytesSent) => {
      const { hostname, port } = new URL(server.origin);
      const received = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname);
        const chunks: Buffer[] = [];
        socket.on('data', (chunk) => chunks.push(chunk));
        socket.on('error', () => {});
        socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
        socket.setTimeout(BOUND, () => {
          socket.destroy();
          reject(new Error('the socket hangs'));
        });
        socket.end(bytesSent);
      });
      if (received !== '') expect(received).toMatch(/^HTTP\/1\.1 [2-4]\d\d /);
      expect((await scene.bot.get('/users/@me')).status).toBe(200);
      expect(faults).toEqual([]);
    },
  );
});
