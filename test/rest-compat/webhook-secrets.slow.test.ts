import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { makeInteractionToken } from '../../src/domain/interactions/responses/tokens.js';
import { ALL_PERMISSIONS } from '../../src/domain/permissions.js';
import { makeWebhookToken } from '../../src/domain/webhooks/tokens.js';
import { createServer } from '../../src/server.js';
import { putInteraction } from '../harness/interaction-rows.js';
import { type RunningInstance, startInstance } from '../harness/process.js';
import { missingForOwnRedis, prepareRedis } from '../harness/redis.js';
import { RestBot } from '../harness/rest.js';
import { permitEveryone } from '../harness/rows.js';
import { migratedDatabase, migratedFolder } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { createBotInGuild, type TestBot } from '../harness/world.js';

interface SqliteFile {
  pragma(setting: string): unknown;
  exec(sql: string): unknown;
  close(): unknown;
}

const require = createRequire(import.meta.url);
const Sqlite = require('better-sqlite3') as new (path: string) => SqliteFile;

let dataDir: string;
let database: Awaited<ReturnType<typeof migratedDatabase>>;
let env: Record<string, string>;
let bot: TestBot;
let channelId: string;
let interactions: { id: string; token: string }[];

beforeAll(async () => {
  dataDir = await migratedFolder();
  database = await migratedDatabase();
  env = { DATA_DIR: dataDir, LOG_LEVEL: 'trace', ...(database ? { DATABASE_URL: database.url } : {}) };
  const seeding = await createServer(readConfig({ ...env, PORT: '0' }), { log: pino({ level: 'silent' }) });
  const made = await createBotInGuild(seeding.app);
  bot = made.bot;
  channelId = String(made.guild.channel.id);
  await permitEveryone(seeding.app, made.guild.id, ALL_PERMISSIONS);
  const stored = await Promise.all([1, 2].map(() => putInteraction(seeding.app, made)));
  interactions = stored.map(({ interaction, token }) => ({ id: String(interaction.id), token }));
  await seeding.stop();
});
afterAll(async () => {
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Pieces of secrets that must not leak. The last four characters are dropped, so that partial tokens are found too. */
class Secrets {
  readonly #pieces: string[] = [];

  add(token: string): string {
    for (let at = -56; at < -4; at += 13) this.#pieces.push(token.slice(at, at + 13));
    return token;
  }

  in(text: string): string[] {
    return this.#pieces.filter((piece) => text.includes(piece));
  }
}

interface Told {
  method?: string;
  target: string;
  headers?: string[];
  body?: string;
  /** The end of a request: complete, too early, or without waiting for the response. */
  ending?: 'waits' | 'ends' | 'hangs up';
}

/** Sends a raw request. @returns everything received until the connection closes */
async function tell({ origin }: RunningInstance, told: Told): Promise<string> {
  const { method = 'GET', target, headers = [], body = '', ending = 'waits' } = told;
  const socket = connect(Number(new URL(origin).port), '127.0.0.1').setTimeout(10_000, () => socket.destroy());
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close').catch(() => {});
  await once(socket, 'connect');
  const head = [`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
    if (ending === 'ends') socket.end();
    if (ending === 'hangs up') socket.destroy();
  });
  await closed;
  return answer;
}

const json = (value: unknown): Pick<Told, 'headers' | 'body'> => {
  const body = JSON.stringify(value);
  return { headers: ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`], body };
};

/** A form with one file. `stated` is the announced length, if it differs. */
function form(content: string, { last = '--b--\r\n', stated = 0 } = {}): Pick<Told, 'headers' | 'body'> {
  const part = '--b\r\nContent-Disposition: form-data; name="files[0]"; filename="a.txt"\r\n\r\n';
  const body = `${part}${content}\r\n${last}`;
  return {
    headers: ['Content-Type: multipart/form-data; boundary=b', `Content-Length: ${stated || body.length}`],
    body,
  };
}

const PREFIX = '/api/v10';
const OTHER_PREFIXES = ['/api', '', '/api/v9', '/api/v8', 'http://localhost/api/v10', 'HTTP://example.com/api'];

const ASKED: readonly [method: string, behind: string, content: Pick<Told, 'headers' | 'body'>][] = [
  ['GET', '', {}],
  ['HEAD', '', {}],
  ['PATCH', '', json({ name: 'Renamed' })],
  ['POST', '', json({ content: 'hello' })],
  ['POST', '?wait=true', form('a file')],
  ['GET', '/messages/1', {}],
  ['PATCH', '/messages/1', json({ content: 'other' })],
  ['DELETE', '/messages/1', {}],
  ['GET', '/messages/@original', {}],
  ['PUT', '', json({})],
  ['OPTIONS', '', {}],
  ['BREW', '', {}],
  ['POST', '/github', json({})],
  ['POST', '/slack', json({})],
  ['GET', '/../../../healthz', {}],
];

const BROKEN: readonly [what: string, told: Omit<Told, 'target'> & { behind?: string }][] = [
  [
    'JSON that is none',
    { method: 'POST', headers: ['Content-Type: application/json', 'Content-Length: 1'], body: '{' },
  ],
  ['no content type', { method: 'POST', headers: ['Content-Length: 2'], body: '{}' }],
  ['a content type that is none', { method: 'POST', headers: ['Content-Type: /', 'Content-Length: 2'], body: '{}' }],
  ['another content type', { method: 'POST', headers: ['Content-Type: text/xml', 'Content-Length: 2'], body: '<>' }],
  ['no boundary', { method: 'POST', headers: ['Content-Type: multipart/form-data', 'Content-Length: 2'], body: '--' }],
  ['a form that is cut off', { method: 'POST', ...form('cut off', { last: '--b\r\n' }) }],
  ['a form whose sender ends early', { method: 'POST', ...form('cut off', { stated: 9_999 }), ending: 'ends' }],
  [
    'a form whose sender hangs up',
    { method: 'POST', ...form('x'.repeat(99_999), { stated: 999_999 }), ending: 'hangs up' },
  ],
  ['a file that is too large', { method: 'POST', ...form('x'.repeat(10 * 1024 * 1024 + 1)) }],
  ['a request that is too large', { method: 'POST', ...form('x', { stated: 99_999_999 }) }],
  ['JSON that is too large', { method: 'POST', ...json({ content: 'x'.repeat(3 * 1024 * 1024) }) }],
  ['content that is too long', { method: 'POST', ...json({ content: 'x'.repeat(4_001) }) }],
  ['fields of other types', { method: 'PATCH', ...json({ name: { a: 1 } }) }],
  ['a thread', { method: 'POST', behind: '?thread_id=1', ...json({ content: 'x' }) }],
  ['a path that is not UTF-8', { behind: '/messages/%ff' }],
  ['a path that is cut off', { behind: '/messages/%' }],
  ['a path with more than it may have', { behind: `/messages/${'9'.repeat(5_000)}` }],
  ['a header that is none', { headers: ['no header at all'] }],
  ['a header with bytes that may not be', { headers: ['X-A: \u0000\u0001'] }],
  ['headers that are too large', { headers: [`X-Padding: ${'x'.repeat(20_000)}`] }],
  ['a length that is none', { method: 'POST', headers: ['Content-Length: ten'] }],
  ['two lengths', { method: 'POST', headers: ['Content-Length: 1', 'Content-Length: 2'] }],
  ['a chunk that is none', { method: 'POST', headers: ['Transfer-Encoding: chunked'], body: 'ten\r\n' }],
  ['an expectation', { method: 'POST', headers: ['Expect: the-unexpected', 'Content-Length: 0'] }],
  ['an upgrade', { headers: ['Upgrade: websocket', 'Sec-WebSocket-Key: x'] }],
  ['a bot token', { headers: ['Authorization: Bot x.y.z'] }],
  ['a reason that is none', { method: 'PATCH', ...json({ name: 'x' }), behind: '?x=%ff' }],
];

function elsewhere(token: string): Told[] {
  const address = `http://localhost/api/webhooks/1/${token}`;
  const places = [
    '/',
    '/portal',
    '/graphql',
    '/healthz',
    '/api/v10/gateway',
    '/oauth2/authorize',
    '/cdn/icons/1',
    '/no',
  ];
  return [
    ...places.map((place) => ({ target: `${place}?token=${token}&wait=true` })),
    ...places.map((place) => ({ target: place, headers: [`Referer: ${address}`, `Origin: ${address}`] })),
    ...['/cdn/', '/graphql/', '/auth/', '/oauth2/', '/invite/', '/', '/api/v10/'].map((root) => ({
      target: `${root}${token}`,
    })),
    { target: '/api/v10/users/@me', headers: [`Authorization: Bot ${token}`] },
    { target: '/api/v10/users/@me', headers: [`Authorization: Bearer ${token}`] },
    { target: '/api/v10/users/@me', headers: [`Authorization: ${token}`] },
    { target: '/api/v10/users/@me', headers: [`Cookie: token=${token}`] },
  ];
}

async function without(table: string, work: () => Promise<unknown>): Promise<void> {
  await alter(`ALTER TABLE "${table}" RENAME TO "Away"`);
  try {
    await work();
  } finally {
    await alter(`ALTER TABLE "Away" RENAME TO "${table}"`);
  }
}

async function alter(sql: string): Promise<void> {
  if (database) return void (await queried((client) => client.query(sql)));
  const file = new Sqlite(join(dataDir, 'causeway.db'));
  // SQLite then leaves the references of other tables to this one unchanged.
  file.pragma('legacy_alter_table = on');
  file.exec(sql);
  file.close();
}

async function queried<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database?.url });
  await client.connect();
  return work(client).finally(() => client.end());
}

/** Returns all stored data: files, including those of SQLite, and the rows of PostgreSQL. */
async function kept(): Promise<string> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const contents = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')));
  return [...files, ...contents, ...(database ? await queried(allRows) : [])].join('\n');
}

async function allRows(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  const contents: string[] = [];
  for (const { tablename } of tables) {
    const { rows } = await client.query(`SELECT t::text AS row FROM "${tablename}" t`);
    contents.push(...rows.map(({ row }) => row));
  }
  return contents;
}

describe('a token in a path', () => {
  let instance: RunningInstance;
  const secrets = new Secrets();
  let webhook: { id: string; token: string };
  let paths: string[];

  beforeAll(async () => {
    instance = await startInstance(env);
    const { status, body } = await new RestBot(instance, bot).post(`/channels/${channelId}/webhooks`, { name: 'Hook' });
    expect(status).toBe(200);
    webhook = body;
    secrets.add(webhook.token);
    expect(secrets.in(JSON.stringify(body))).not.toEqual([]);
    const [first, second] = interactions as [typeof webhook, typeof webhook];
    const { id, token } = webhook;
    paths = [
      `/webhooks/${id}/${token}`,
      `/webhooks/${id}/${secrets.add(token.slice(0, 12) + makeWebhookToken().slice(12))}`,
      `/webhooks/1/${secrets.add(makeWebhookToken())}`,
      `/webhooks/${id}/${secrets.add(`${makeWebhookToken()}A`)}`,
      `/webhooks/${bot.id}/${secrets.add(first.token)}`,
      `/webhooks/${bot.id}/${secrets.add(makeInteractionToken(BigInt(second.id)).token)}`,
      `/interactions/${second.id}/${secrets.add(second.token)}/callback`,
    ];
  });
  afterAll(async () => {
    expect(await instance?.end('SIGTERM')).toBe(0);
  });

  async function ask(told: Told): Promise<number> {
    const answer = await tell(instance, told);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
    const isOfWebhook = /\/webhooks\/\d+\/WH\.[\w.-]+(\?|$)/.test(told.target);
    const showsToken = isOfWebhook && status === 200 && told.method !== 'POST';
    if (!showsToken) expect(secrets.in(answer), `${told.method} ${told.target}`).toEqual([]);
    return status;
  }

  const inPieces = async (all: Told[]) => {
    const statuses = [];
    for (let at = 0; at < all.length; at += 20) statuses.push(...(await Promise.all(all.slice(at, at + 20).map(ask))));
    return new Set(statuses);
  };

  test('is in no response except those that must show it', async () => {
    const all = (prefix: string, asked: typeof ASKED) =>
      paths.flatMap((path) =>
        asked.map(([method, behind, content]) => ({ method, target: `${prefix}${path}${behind}`, ...content })),
      );
    const asked = [...all(PREFIX, ASKED), ...OTHER_PREFIXES.flatMap((prefix) => all(prefix, ASKED.slice(0, 4)))];
    const statuses = await inPieces(asked);
    for (const status of [200, 400, 401, 404, 405]) expect([...statuses]).toContain(status);
  });

  test('is in no response to a broken request', async () => {
    const asked = BROKEN.flatMap(([, { behind = '', ...told }]) =>
      paths.map((path) => ({ ...told, target: `${PREFIX}${path}${behind}` })),
    );
    const statuses = await inPieces(asked);
    for (const status of [400, 401, 413, 431]) expect([...statuses]).toContain(status);
  });

  test('is in no response if it is sent in the wrong place', async () => {
    await inPieces(paths.flatMap((path) => elsewhere(path.split('/')[3] ?? '')));
  });

  test.each(['Webhook', 'Interaction', 'Message'])('is in no response if the database fails (%s)', async (table) => {
    const asked = paths.flatMap((path) =>
      ASKED.map(([method, behind, content]) => ({ method, behind, path, content })),
    );
    await without(table, async () => {
      const statuses = await inPieces(
        asked.map(({ method, behind, path, content }) => ({
          method,
          target: `${PREFIX}${path}${behind}`,
          ...content,
        })),
      );
      expect([...statuses]).toContain(500);
    });
  });

  test('is removed with its webhook', async () => {
    const target = `/api/v10/webhooks/${webhook.id}/${webhook.token}`;
    expect(await ask({ method: 'DELETE', target })).toBe(204);
    expect(await ask({ method: 'DELETE', target })).toBe(404);
  });

  test('is in no log, metric, file or row', async () => {
    const written = instance.written();
    expect(written).toContain('REST request failed');
    expect(secrets.in(written)).toEqual([]);
    const metrics = await tell(instance, { target: '/metrics' });
    expect(metrics).toContain('/webhooks/:webhookId/:webhookToken');
    expect(secrets.in(metrics)).toEqual([]);
    const stored = await kept();
    expect(stored).toContain('Renamed');
    expect(secrets.in(stored)).toEqual([]);
  });
});

const missing = missingForOwnRedis();

test.skipIf(missing)(needing(missing, 'no key and no value of Redis contains a token'), async () => {
  const own = await prepareRedis();
  await own.start();
  const redis = new Redis(own.url);
  const heard: string[] = [];
  const instance = await startInstance({ ...env, REDIS_URL: own.url, RATE_LIMITS: 'on' });
  try {
    const listener = await redis.monitor();
    listener.on('monitor', (_time: string, args: string[]) => heard.push(args.join(' ')));
    const { body } = await new RestBot(instance, bot).post(`/channels/${channelId}/webhooks`, { name: 'Hook' });
    const secrets = new Secrets();
    const [interaction] = interactions;
    for (const [id, token] of [
      [body.id, body.token],
      [body.id, makeWebhookToken()],
      [String(bot.id), interaction?.token],
    ]) {
      const target = `/api/v10/webhooks/${id}/${secrets.add(token)}`;
      for (const [method, behind, content] of ASKED)
        await tell(instance, { method, target: target + behind, ...content });
    }
    await expect.poll(() => heard.some((command) => command.includes('limit:webhook-failures-a-webhook'))).toBe(true);
    expect(heard.some((command) => command.includes('limit:execute-webhook'))).toBe(true);
    expect(secrets.in(heard.join('\n'))).toEqual([]);
    expect(secrets.in((await redis.keys('*')).join('\n'))).toEqual([]);
    listener.disconnect();
  } finally {
    redis.disconnect();
    await instance.end('SIGTERM');
    await own.stop();
  }
});
