import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { NOT_COPIED, readTables } from '../../src/cli/port-db/tables.js';
import { systemClock } from '../../src/infra/clock.js';
import { type Database, openDatabase, Prisma } from '../../src/infra/database/index.js';
import { inspectDatabase } from '../../src/infra/database/inspect.js';
import { migrate } from '../../src/infra/database/migrations.js';
import { postgresForMigrations } from '../../src/infra/database/postgres.js';
import { betterSqlite3 } from '../../src/infra/database/sqlite-driver.js';
import { createLogger } from '../../src/infra/observability/logger.js';
import { CLI, type Result, resultOf, runCli } from '../harness/cli.js';
import { missingPostgres, type ThrowAwayDatabase, throwAwayDatabaseOn } from '../harness/databases.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { askGraphql } from '../harness/graphql.js';
import { dataUri, PIXEL } from '../harness/images.js';
import { askWithToken, grantCode, inForm, postForm, REDIRECT_URI } from '../harness/oauth.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { missingRedis, REDIS_URL } from '../harness/redis.js';
import { ask, formOf } from '../harness/rest.js';
import { makeBox } from '../harness/self-hosted.js';
import { migratedFolder, startServer, type TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { needing, noSqlite } from '../harness/skipping.js';
import { addToTeam, createTeam, transferApplication } from '../harness/teams.js';
import { until } from '../harness/until.js';

// Child processes copy databases, and servers start on both.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const missing = noSqlite ?? (await missingPostgres());
const silent = await createLogger('silent');

let folder: string;
let target: ThrowAwayDatabase;

const open = async () => {
  folder = await migratedFolder();
  target = await throwAwayDatabaseOn();
};
const close = async () => {
  await target.drop();
  await rm(folder, { recursive: true, force: true });
};

const portDb = (env: Record<string, string> = {}, ...args: string[]): Promise<Result> =>
  runCli(['port-db', '--to', target.url, ...args], { DATA_DIR: folder, ...env });

const databaseFile = () => join(folder, 'causeway.db');

async function onSource(...statements: string[]): Promise<void> {
  const connection = await betterSqlite3({ url: `file:${databaseFile()}` }).connect();
  for (const sql of statements) await connection.executeRaw({ sql, args: [], argTypes: [] });
  await connection.dispose();
}

async function onTarget<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: target.url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** All rows of a database by model, as the platform reads them. */
async function rowsOf({ reader }: Database): Promise<Record<string, unknown[]>> {
  const models = Object.values(Prisma.ModelName).map(async (model) => {
    const name = `${model.charAt(0).toLowerCase()}${model.slice(1)}` as 'user';
    const rows: unknown[] = await reader[name].findMany();
    const text = (row: unknown) => JSON.stringify(Object.values(row as object).map(String));
    return [model, rows.toSorted((one, other) => (text(one) < text(other) ? -1 : 1))] as const;
  });
  return Object.fromEntries(await Promise.all(models));
}

async function rowsAt(place: { url: string | null; dataDir: string }): Promise<Record<string, unknown[]>> {
  const database = await openDatabase({ ...place, pool: 4, isAlone: false }, silent, systemClock);
  try {
    return await rowsOf(database);
  } finally {
    await database.close();
  }
}

/** Fails unless a read by the platform finds the same rows in both databases, except those that mean a running process. */
async function expectEqualRows(): Promise<Record<string, unknown[]>> {
  const copy = await mkdtemp(join(tmpdir(), 'causeway-port-'));
  for (const file of ['causeway.db', 'causeway.db-wal']) {
    if (existsSync(join(folder, file))) await copyFile(join(folder, file), join(copy, file));
  }
  const source = await rowsAt({ url: null, dataDir: copy });
  const found = await rowsAt({ url: target.url, dataDir: copy });
  await rm(copy, { recursive: true });
  const ended = (source.LiveProcess ?? []).map((row) => ({ ...(row as object), until: new Date(0) }));
  expect(found).toEqual({ ...source, LiveProcess: ended, SessionMove: [] });
  return found;
}

const sha256 = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

describe.skipIf(missing)(needing(missing, 'port-db of an instance'), () => {
  let before: string;
  let result: Result;
  let server: TestServer;
  let ada: Person;
  let ben: Person;
  let guild: MadeGuild;
  let application: MadeApplication;
  let personalToken: string;
  let accessToken: string;
  let refreshToken: string;
  let inviteCode: string;
  let webhook: { id: string; token: string };
  let teamAppId: string;
  let answers: Record<string, unknown>;

  const asBot = (method: string, path: string, json?: object) =>
    ask(server, method, path, { headers: { authorization: `Bot ${application.botToken}` }, ...(json && { json }) });
  const messages = () => `/channels/${guild.textChannelId}/messages`;

  beforeAll(async () => {
    await open();
    server = await startServer({ env: { DATA_DIR: folder } });
    await fill();
    answers = await answersTo();
    await server.stop();
    before = await sha256(databaseFile());
    result = await portDb();
    expect(result).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await server?.stop();
    await close();
  });

  async function fill(): Promise<void> {
    ada = await signUp(server, 'ada');
    ben = await signUp(server, 'ben');
    guild = await createGuild(ada, 'Häfen \u{1f6a2}');
    application = await createApplication(ada, 'Lamplighter');
    await update(ada, application.id, { redirectUris: [REDIRECT_URI] });
    await install(ada, application, guild, { permissions: '8' });
    await invite(ada, guild, ben);
    const team = await createTeam(ada);
    await addToTeam(ada, team, ben, 'DEVELOPER');
    const other = await createApplication(ada, 'Of the team');
    await transferApplication(ada, other, team);
    teamAppId = other.id;
    await makeBox(ada);
    const { createPersonalToken } = await ada.graphql(
      'mutation { createPersonalToken(input: { name: "CI" }) { token } }',
    );
    personalToken = createPersonalToken.token;
    const code = await grantCode(server, ben, application);
    const { body: tokens } = await postForm(server, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      ...inForm(application),
    });
    accessToken = tokens.access_token;
    refreshToken = tokens.refresh_token;
    await sendMessage(ada, guild.textChannelId, 'tabs\tand\nlines \\ "quotes" \u{1f469}\u{200d}\u{1f680} e\u0301');
    const sent = await asBot('POST', messages(), {
      content: 'with all',
      embeds: [{ title: 'Title', color: 255, fields: [{ name: 'b', value: 'a', inline: true }] }],
      components: [{ type: 1, components: [{ type: 2, style: 1, label: 'Go', custom_id: 'go' }] }],
    });
    expect(sent.status).toBe(200);
    await asBot('PUT', `${messages()}/${sent.body.id}/reactions/${encodeURIComponent('\u{1f44d}')}/@me`);
    await asBot('PUT', `/channels/${guild.textChannelId}/pins/${sent.body.id}`);
    await ask(server, 'POST', messages(), {
      headers: { authorization: `Bot ${application.botToken}` },
      form: formOf({ content: 'file' }, { name: 'files[0]', content: Buffer.from('some text'), filename: 'log.txt' }),
    });
    await asBot('POST', `/guilds/${guild.id}/emojis`, { name: 'wave', image: dataUri(PIXEL) });
    const command = { name: 'light', description: 'Lights it', options: [{ type: 4, name: 'n', description: 'n' }] };
    expect((await asBot('POST', `/applications/${application.id}/commands`, command)).status).toBe(201);
    inviteCode = (await asBot('POST', `/channels/${guild.textChannelId}/invites`, {})).body.code;
    webhook = (await asBot('POST', `/channels/${guild.textChannelId}/webhooks`, { name: 'Builds' })).body;
    expect((await asBot('PUT', `/guilds/${guild.id}/bans/${ben.id}`, {})).status).toBe(204);
  }

  /** Answers to a bot, without the addresses of the server. */
  async function answersTo(): Promise<Record<string, unknown>> {
    const paths = ['', '/channels', '/roles', '/emojis', '/members?limit=10', '/webhooks', '/bans', '/audit-logs'];
    const all = Object.fromEntries(
      await Promise.all([
        ...paths.map(async (path) => [path, (await asBot('GET', `/guilds/${guild.id}${path}`)).body]),
        ...[messages(), '/applications/@me', `/applications/${application.id}/commands`, `/invites/${inviteCode}`].map(
          async (path) => [path, (await asBot('GET', path)).body],
        ),
      ]),
    );
    return JSON.parse(JSON.stringify(all).replaceAll(/http:\/\/localhost:\d+|\?ex=[^"]*/g, ''));
  }

  it('copies each row as the platform reads it', async () => {
    const rows = await expectEqualRows();
    const filled = Object.keys(rows).filter((model) => (rows[model] ?? []).length > 0);
    expect(filled.length).toBeGreaterThanOrEqual(25);
    expect(result.stdout).toContain('Both databases have the same rows.');
    expect(result.stdout).toContain('Set DATABASE_URL');
  });

  it('does not change the SQLite database', async () => {
    expect(await sha256(databaseFile())).toBe(before);
  });

  it('leaves nothing of its own in the target', async () => {
    expect(await onTarget("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'causeway%'")).toEqual([]);
  });

  describe('of which PostgreSQL has the copy', () => {
    beforeAll(async () => {
      server = await startServer({ env: { DATA_DIR: folder, DATABASE_URL: target.url } });
    });

    it('gives bots the same answers, and files', async () => {
      expect(await answersTo()).toEqual(answers);
      const { body } = await asBot('GET', messages());
      const [{ url }] = body.flatMap(({ attachments }: { attachments: { url: string }[] }) => attachments);
      expect(await (await fetch(url)).text()).toBe('some text');
    });

    it('accepts the sessions, passwords and tokens of people', async () => {
      for (const credential of [`Bearer ${ada.token}`, `Bearer ${personalToken}`]) {
        const { data } = await askGraphql(server, '{ me { id } }', {}, { authorization: credential });
        expect(data).toMatchObject({ me: { id: ada.id } });
      }
      const cookie = await fetch(`${server.origin}/auth/get-session`, { headers: { cookie: ada.cookie } });
      expect(await cookie.json()).toMatchObject({ user: { id: ada.id } });
      const signIn = await fetch(`${server.origin}/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: ben.email, password: ben.password }),
      });
      expect(signIn.status).toBe(200);
    });

    it('accepts OAuth2 tokens, and exchanges the refresh token', async () => {
      expect((await askWithToken(server, '/users/@me', accessToken)).body.id).toBe(ben.id);
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...inForm(application) };
      expect((await postForm(server, form)).status).toBe(200);
    });

    it('posts messages of webhooks, bots and people', async () => {
      const posted = await ask(server, 'POST', `/webhooks/${webhook.id}/${webhook.token}?wait=true`, {
        json: { content: 'Build 7 is green.' },
      });
      expect(posted.status).toBe(200);
      expect((await asBot('POST', messages(), { content: 'back' })).status).toBe(200);
      const { data } = await askGraphql(
        server,
        'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }',
        { input: { channelId: guild.textChannelId, content: 'hello again' } },
        { authorization: `Bearer ${ada.token}` },
      );
      const last = answers[messages()] as { id: string }[];
      expect(BigInt(data.sendMessage.message.id)).toBeGreaterThan(BigInt(last[0]?.id ?? 0));
    });

    it('shows the team and its application to a developer', async () => {
      const { data } = await askGraphql(
        server,
        'query ($id: ID!) { application(id: $id) { name } }',
        { id: teamAppId },
        { authorization: `Bearer ${ben.token}` },
      );
      expect(data).toMatchObject({ application: { name: 'Of the team' } });
    });

    it('lets bots connect to the gateway', async () => {
      const client = await GatewayClient.open(server.origin);
      client.identify(application.botToken);
      expect((await client.event('GUILD_CREATE')).d).toMatchObject({ id: guild.id, name: 'Häfen \u{1f6a2}' });
      await client.close();
    });
  });
});

describe.skipIf(missing)(needing(missing, 'port-db'), () => {
  beforeEach(open);
  afterEach(close);

  /** In a channel of one guild. */
  const putMessages = (count: number) =>
    onSource(
      `INSERT INTO "User" ("id", "username") VALUES (1, 'ada')`,
      `INSERT INTO "Guild" ("id", "name", "ownerId") VALUES (2, 'Harbour', 1)`,
      `INSERT INTO "Channel" ("id", "guildId", "name") VALUES (3, 2, 'general')`,
      `WITH RECURSIVE "number" ("n") AS (SELECT 1 UNION ALL SELECT "n" + 1 FROM "number" WHERE "n" < ${count})
        INSERT INTO "Message"
          ("id", "channelId", "authorId", "content", "embeds", "components", "mentionUserIds", "mentionRoleIds")
        SELECT 9000000000000000000 + "n", 3, 1, 'message ' || "n", '[]', '[]', '[]', '[]' FROM "number"`,
    );

  const copiedMessages = async () => {
    const [row] = await onTarget<{ rows: string }>(
      `SELECT "rows" FROM causeway_copy.progress WHERE "table" = 'Message'`,
    ).catch(() => []);
    return Number(row?.rows ?? 0);
  };

  /** Kills a copy with many messages before its end. */
  async function killHalfway(count = 60_000): Promise<void> {
    await putMessages(count);
    const child = spawn(process.execPath, [CLI, 'port-db', '--to', target.url], { env: { DATA_DIR: folder } });
    const ended = once(child, 'exit');
    await until(async () => (await copiedMessages()) > 0);
    child.kill('SIGKILL');
    await ended;
    expect(await copiedMessages()).toBeLessThan(count);
  }

  it('continues after a kill, and then has every row once', async () => {
    await killHalfway();
    const { code, stderr, stdout } = await portDb();
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Continuing to copy') });
    expect(stdout).toContain('Both databases have the same rows.');
    expect(await onTarget('SELECT count(*)::int, count(DISTINCT "content")::int AS texts FROM "Message"')).toEqual([
      { count: 60_000, texts: 60_000 },
    ]);
  });

  it('begins again after a kill between two migrations', async () => {
    await putMessages(1);
    const child = spawn(process.execPath, [CLI, 'port-db', '--to', target.url], { env: { DATA_DIR: folder } });
    const ended = once(child, 'exit');
    await until(async () => (await begunMigrations()) > 0);
    child.kill('SIGKILL');
    await ended;
    await onTarget(`UPDATE "_prisma_migrations" SET "finished_at" = NULL`);
    expect(await portDb()).toMatchObject({ code: 0 });
  });

  const begunMigrations = async () => {
    const [row] = await onTarget<{ count: number }>('SELECT count(*)::int FROM "_prisma_migrations"').catch(() => []);
    return row?.count ?? 0;
  };

  it('continues after Ctrl+C, which ends it with status 130', async () => {
    await putMessages(60_000);
    const child = spawn(process.execPath, [CLI, 'port-db', '--to', target.url], { env: { DATA_DIR: folder } });
    const ended = resultOf(child);
    await until(async () => (await copiedMessages()) > 0);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining('again to continue') });
    expect(await portDb()).toMatchObject({ code: 0 });
  });

  it('keeps instances and doctor off a target that is not complete', async () => {
    await killHalfway();
    await expect(inspectDatabase({ databaseUrl: target.url, dataDir: folder })).rejects.toThrow('is not complete');
    const started = startServer({ env: { DATA_DIR: folder, DATABASE_URL: target.url } });
    await expect(started).rejects.toThrow('the copy from SQLite into this database is not complete');
  });

  it('finds changed text, changed JSON and a removed row in the target', async () => {
    await killHalfway();
    const first = '"Message" WHERE "id" = 9000000000000000001';
    const set = (column: string, value: string) =>
      `UPDATE ${first.replace(' WHERE', ` SET "${column}" = '${value}' WHERE`)}`;
    const faults = [
      [set('content', 'other'), set('content', 'message 1')],
      [set('embeds', '[{}]'), set('embeds', '[]')],
      [`DELETE FROM ${first}`, 'SELECT 1'],
    ];
    for (const [damage = '', repair = ''] of faults) {
      await onTarget(damage);
      const { code, stderr } = await portDb();
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /these tables of the copy differ from the SQLite database: Message\. .* Drop the database/,
      );
      expect(stderr).not.toContain('    at ');
      await onTarget(repair);
    }
    await expect(inspectDatabase({ databaseUrl: target.url, dataDir: folder })).rejects.toThrow('is not complete');
  });

  it('refuses to continue if an instance has used the SQLite database since', async () => {
    await killHalfway();
    await (await startServer({ env: { DATA_DIR: folder } })).stop();
    const { code, stderr } = await portDb();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('has changed since the copy') });
  });

  it('copies extreme values, and rows of a killed instance', async () => {
    const server = await startServer({ env: { DATA_DIR: folder } });
    const { writer } = server.app.db;
    const max = 2n ** 63n - 1n;
    await writer.user.create({
      data: { id: max, username: 'tab\tline\nreturn\r \\N \\. "quoted" \u{1f469}\u{200d}\u{1f680}' },
    });
    await writer.role.create({
      data: {
        id: -max - 1n,
        name: '',
        permissions: 2n ** 53n + 1n,
        guild: { create: { id: 2n ** 53n + 3n, name: "it's", ownerId: max } },
      },
    });
    await writer.job.create({
      data: {
        id: 1n,
        kind: 'none',
        payload: {
          b: [1e21, -0.1, 1e-7, 9007199254740991, true, null],
          a: { '10': 'x', '9': '\u2028', '': '\\u0041' },
        },
        dueAt: new Date(Date.UTC(9999, 11, 31, 23, 59, 59, 999)),
        diedAt: new Date(1),
      },
    });
    await writer.sessionMove.create({ data: { id: 'm', movedAt: new Date(), sessions: Buffer.from([0, 255]) } });
    await writer.$executeRaw`INSERT INTO "KeptTimeout" VALUES (9007199254740995, 1, '2026-11-30 11:31:00')`;
    await writer.presence.create({
      data: { sessionId: 's', userId: max, processId: server.app.live.id, status: 'online', activities: [] },
    });
    // As a kill leaves them, with rows that are only in the log.
    const killed = join(folder, 'killed');
    await mkdir(killed);
    for (const file of ['causeway.db', 'causeway.db-wal']) await copyFile(join(folder, file), join(killed, file));
    await server.stop();
    folder = killed;
    expect(await portDb()).toMatchObject({ code: 0 });
    const rows = await expectEqualRows();
    expect(rows.Presence).toHaveLength(1);
    expect(rows.LiveProcess).toHaveLength(1);
    // A process that shares its database removes the rows of those whose time is over, and leaves others.
    const shared: Record<string, string> = (await missingRedis()) ? {} : { REDIS_URL };
    const after = await startServer({ env: { DATA_DIR: folder, DATABASE_URL: target.url, ...shared } });
    expect(await after.app.db.reader.presence.count()).toBe(0);
    await after.stop();
  });

  it('replaces U+0000, which PostgreSQL cannot store, and says so', async () => {
    await onSource(
      `INSERT INTO "User" ("id", "username") VALUES (1, 'a' || char(0) || 'b')`,
      `INSERT INTO "Job" ("id", "kind", "payload") VALUES (1, 'none', '{"text":"a\\u0000b"}')`,
    );
    const { code, stdout } = await portDb({}, '--json');
    expect({ code, copy: JSON.parse(stdout) }).toMatchObject({ code: 0, copy: { replaced: 2, isResumed: false } });
    expect(await onTarget(`SELECT "username", "payload" FROM "User", "Job" WHERE "User"."id" = 1`)).toContainEqual({
      username: 'a\ufffdb',
      payload: { text: 'a\ufffdb' },
    });
  });

  it('names the table of a row that PostgreSQL refuses, or that cannot be read', async () => {
    await onSource(
      'PRAGMA foreign_keys = OFF',
      `INSERT INTO "Guild" ("id", "name", "ownerId") VALUES (2, 'Harbour', 404)`,
    );
    const refused = await portDb();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/PostgreSQL refuses a row of Guild: .*\(404\) is not present in table "User"/);
    await onTarget('DROP SCHEMA causeway_copy CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await onSource(
      'PRAGMA foreign_keys = OFF',
      'DELETE FROM "Guild"',
      `INSERT INTO "Job" ("id", "kind", "payload") VALUES (1, 'none', '{')`,
    );
    const unreadable = await portDb();
    expect(unreadable.code).toBe(1);
    expect(unreadable.stderr).toMatch(/a row of Job after the key \(none\) has an invalid value: /);
    expect(unreadable.stderr).not.toContain('    at ');
  });

  it('refuses a SQLite database on which an instance runs', async () => {
    const server = await startServer({ env: { DATA_DIR: folder } });
    const { code, stderr } = await portDb();
    await server.stop();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^causeway: DATA_DIR .* is in use by another Causeway process \(process \d+\); stop it/);
  });

  it('refuses a SQLite database of an older or a newer version', async () => {
    const [newest] = await newestMigration();
    await onSource(`DELETE FROM "_prisma_migrations" WHERE "migration_name" = '${newest}'`);
    expect(await portDb()).toMatchObject({ code: 1, stderr: expect.stringContaining('start this version on it once') });
    await onSource(
      `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name") VALUES ('x', 'x', '9_later')`,
    );
    expect(await portDb()).toMatchObject({ code: 1, stderr: expect.stringContaining('newer than this version') });
  });

  async function newestMigration(): Promise<unknown[]> {
    const connection = await betterSqlite3({ url: `file:${databaseFile()}` }).connect();
    const sql = 'SELECT max("migration_name") FROM "_prisma_migrations"';
    const { rows } = await connection.queryRaw({ sql, args: [], argTypes: [] });
    await connection.dispose();
    return rows[0] ?? [];
  }

  it('refuses a target with tables, whether of an instance or not', async () => {
    await onTarget('CREATE TABLE other (id int)');
    expect(await portDb()).toMatchObject({ code: 1, stderr: expect.stringContaining('has tables already. Create') });
    await onTarget('DROP TABLE other');
    await migrate('postgresql', postgresForMigrations(target.url), silent);
    expect(await portDb()).toMatchObject({ code: 1, stderr: expect.stringContaining('has tables already. Create') });
  });

  it('refuses a target with another encoding', async () => {
    await onTarget(`DROP DATABASE IF EXISTS ${target.name}_sql`);
    await onTarget(`CREATE DATABASE ${target.name}_sql TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'`);
    const url = new URL(target.url);
    url.pathname = `/${target.name}_sql`;
    const { code, stderr } = await runCli(['port-db', '--to', url.toString()], { DATA_DIR: folder });
    await onTarget(`DROP DATABASE ${target.name}_sql`);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('--encoding=UTF8') });
  });

  it('says what is wrong with a target that does not answer, and with a folder without a database', async () => {
    const unreachable = await runCli(['port-db', '--to', 'postgresql://u:secret@127.0.0.1:1/x'], { DATA_DIR: folder });
    expect(unreachable.code).toBe(1);
    expect(unreachable.stderr).toMatch(
      /^causeway: could not open the database of --to: .*ECONNREFUSED.*"x" at 127.0.0.1:1/,
    );
    expect(unreachable.stderr).not.toContain('secret');
    const empty = await portDb({ DATA_DIR: tmpdir() });
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no SQLite database at') });
    expect(await portDb({ DATABASE_URL: 'postgresql://other/x' })).toMatchObject({ code: 1 });
    const wrong = await runCli(['port-db', '--to', 'mysql://host/x'], { DATA_DIR: folder });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('postgresql://') });
  });

  it('copies every table and column of the schema', async () => {
    await migrate('postgresql', postgresForMigrations(target.url), silent);
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    const tables = await readTables(client);
    await client.end();
    expect([...tables.map(({ name }) => name), ...NOT_COPIED].toSorted()).toEqual(
      [...Object.values(Prisma.ModelName), '_prisma_migrations'].toSorted(),
    );
    const connection = await betterSqlite3({ url: `file:${databaseFile()}` }).connect();
    for (const { name, columns } of tables) {
      const sql = `SELECT "name" FROM pragma_table_info('${name}')`;
      const { rows } = await connection.queryRaw({ sql, args: [], argTypes: [] });
      expect(columns.map((column) => column.name).toSorted()).toEqual(rows.flat().toSorted());
    }
    await connection.dispose();
    const sequences = await onTarget("SELECT relname FROM pg_class WHERE relkind = 'S'");
    expect(sequences, 'port-db sets no sequence').toEqual([]);
  });
});
