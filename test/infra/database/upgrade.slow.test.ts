import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrationsFolder } from '../../../src/infra/database/migrations.js';
import { postgresForMigrations } from '../../../src/infra/database/postgres.js';
import { ManualClock } from '../../harness/clock.js';
import { throwAwayDatabase } from '../../harness/databases.js';
import { askGraphql } from '../../harness/graphql.js';
import { ask } from '../../harness/rest.js';
import { startServer, type TestServer } from '../../harness/server.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures/first-version');

const FIRST_MIGRATIONS = [
  '20261121075553_init',
  '20261121083312_oauth',
  '20261121091757_teams',
  '20261121150041_token_scopes',
];

/** Facts about the data of the first version. Its sessions are valid for a century. */
interface Facts {
  /** ISO 8601. */
  at: string;
  origin: string;
  email: string;
  password: string;
  sessionToken: string;
  cookie: string;
  personId: string;
  applicationId: string;
  botToken: string;
  clientSecret: string;
  guildId: string;
  channelId: string;
  fileUrl: string;
  iconUrl: string;
  /** The files of its data folder except the database, as base64. */
  files: Record<string, string>;
}

describe('a database and a data folder of the first version', () => {
  let folder: string;
  let database: Awaited<ReturnType<typeof throwAwayDatabase>>;
  let facts: Facts;
  let server: TestServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-upgrade-'));
    database = await throwAwayDatabase();
    const dialect = database ? 'postgresql' : 'sqlite';
    facts = JSON.parse(await readFile(join(FIXTURES, `${dialect}.json`), 'utf8'));
    await putFiles();
    await putRows(dialect);
    const env = { DATA_DIR: folder, ...(database ? { DATABASE_URL: database.url } : { DATABASE_URL: '' }) };
    server = await startServer({ env, clock: new ManualClock(Date.parse(facts.at) + 60_000) });
  });
  afterAll(async () => {
    await server?.stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function putFiles(): Promise<void> {
    for (const [name, content] of Object.entries(facts.files)) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, Buffer.from(content, 'base64'));
    }
  }

  async function putRows(dialect: 'postgresql' | 'sqlite'): Promise<void> {
    const factory = database
      ? postgresForMigrations(database.url)
      : new PrismaBetterSqlite3({ url: `file:${join(folder, 'causeway.db')}` });
    const scripts = FIRST_MIGRATIONS.map((name) => join(migrationsFolder(dialect), name, 'migration.sql'));
    const connection = await factory.connect();
    for (const script of [...scripts, join(FIXTURES, `${dialect}.sql`)]) {
      await connection.executeScript(await readFile(script, 'utf8'));
    }
    await connection.dispose();
  }

  const asBot = (method: string, path: string, json?: object) =>
    ask(server, method, path, { headers: { authorization: `Bot ${facts.botToken}` }, ...(json && { json }) });
  const here = (url: string) => url.replace(facts.origin, server.origin);

  it('are visible to their bot', async () => {
    expect((await asBot('GET', '/users/@me')).body).toMatchObject({ id: facts.applicationId, username: 'Hello Bot' });
    const guild = (await asBot('GET', `/guilds/${facts.guildId}?with_counts=true`)).body;
    expect(guild).toMatchObject({ name: 'Harbour', owner_id: facts.personId, approximate_member_count: 2 });
    expect(guild.roles).toMatchObject([{ name: '@everyone' }, { name: 'Hello Bot', permissions: '8' }]);
    const channels = (await asBot('GET', `/guilds/${facts.guildId}/channels`)).body;
    expect(channels).toMatchObject([{ name: 'general' }, { name: 'General' }]);
    const members = (await asBot('GET', `/guilds/${facts.guildId}/members?limit=10`)).body;
    expect(members).toMatchObject([{ user: { username: 'ada' } }, { user: { username: 'Hello Bot' } }]);
    const messages = (await asBot('GET', `/channels/${facts.channelId}/messages`)).body;
    expect(messages).toMatchObject([
      { content: 'file', author: { id: facts.applicationId }, attachments: [{ filename: 'a.txt', size: 10 }] },
      { content: 'hello', author: { id: facts.personId } },
    ]);
  });

  it('have their files, at old and new URLs', async () => {
    const [{ attachments }] = (await asBot('GET', `/channels/${facts.channelId}/messages`)).body;
    for (const url of [attachments[0].url, here(facts.fileUrl)]) {
      expect(await (await fetch(url)).text()).toBe('hello file');
    }
    const icon = await fetch(here(facts.iconUrl));
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  it('accept sessions, cookies, passwords and client secrets', async () => {
    const authorization = `Bearer ${facts.sessionToken}`;
    expect((await askGraphql(server, '{ me { username } }', {}, { authorization })).data).toEqual({
      me: { username: 'ada' },
    });
    const session = await fetch(`${server.origin}/auth/get-session`, { headers: { cookie: facts.cookie } });
    expect(await session.json()).toMatchObject({ user: { id: facts.personId } });
    const signIn = await fetch(`${server.origin}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: facts.email, password: facts.password }),
    });
    expect(signIn.status).toBe(200);
    const credentials = Buffer.from(`${facts.applicationId}:${facts.clientSecret}`).toString('base64');
    const granted = await fetch(`${server.origin}/api/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'identify' }),
    });
    expect(granted.status).toBe(200);
  });

  it('accept new data', async () => {
    const sent = await asBot('POST', `/channels/${facts.channelId}/messages`, { content: 'and on' });
    expect(sent.status).toBe(200);
    expect((await asBot('PATCH', `/guilds/${facts.guildId}`, { name: 'Harbours' })).body.name).toBe('Harbours');
    const entries = (await asBot('GET', `/guilds/${facts.guildId}/audit-logs`)).body.audit_log_entries;
    expect(entries.length).toBeGreaterThan(1);
  });
});
