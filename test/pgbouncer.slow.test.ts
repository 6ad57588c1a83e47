import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { throwAwayDatabase } from './harness/databases.js';
import { createGuild, sendMessage, signUp } from './harness/people.js';
import { missingForPgbouncer, type Pgbouncer, startPgbouncer } from './harness/pgbouncer.js';
import { missingRedis, REDIS_URL } from './harness/redis.js';
import { migratedDatabase, startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';

const missing = missingForPgbouncer() ?? (await missingRedis());

// Three servers start while the machine is busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Fewer than the pools of the processes together. */
const SERVER_CONNECTIONS = 6;
const POOL = 5;

describe.skipIf(missing)(
  needing(missing, 'three processes share a database through pgbouncer in transaction mode'),
  () => {
    let database: { url: string; drop(): Promise<void> } | null;
    let pgbouncer: Pgbouncer;
    let servers: TestServer[];

    beforeAll(async () => {
      database = await throwAwayDatabase();
      pgbouncer = await startPgbouncer(database?.url ?? '', SERVER_CONNECTIONS);
      const env = { DATABASE_URL: pgbouncer.url, DATABASE_POOL: String(POOL), REDIS_URL };
      const start = () => startServer({ env });
      // The first two migrate at the same time.
      servers = await Promise.all([start(), start()]);
      servers.push(await start());
    });
    afterAll(async () => {
      await Promise.all((servers ?? []).map((server) => server.stop()));
      await pgbouncer?.stop();
      await database?.drop();
    });

    it('with reads, single writes and transactions in parallel', async () => {
      const people = await Promise.all(servers.map((server, n) => signUp(server, `person${n}`)));
      const guilds = await Promise.all(people.map((person) => createGuild(person)));
      await Promise.all(
        people.flatMap((person, n) =>
          Array.from({ length: 20 }, (_, each) =>
            sendMessage(person, guilds[n]?.textChannelId ?? '', `message ${each}`),
          ),
        ),
      );
      const counts = await Promise.all(
        servers.map((server, n) =>
          server.app.db.reader.message.count({ where: { channelId: BigInt(guilds[n]?.textChannelId ?? 0) } }),
        ),
      );
      expect(counts).toEqual(servers.map(() => 20));
    });
  },
);

describe.skipIf(missing)(needing(missing, 'a process opens at most DATABASE_POOL connections to PostgreSQL'), () => {
  it('however much it queries at once, except for the connection of its exclusive lock', async () => {
    const database = await migratedDatabase();
    const server = await startServer({ env: { DATABASE_URL: database?.url ?? '', DATABASE_POOL: '2' } });
    const admin = new pg.Client({ connectionString: database?.url });
    await admin.connect();
    let isOver = false;
    const asked = Array.from({ length: 30 }, () => server.app.db.reader.$queryRaw`SELECT pg_sleep(0.02)::text`);
    const answered = Promise.all(asked).finally(() => {
      isOver = true;
    });
    let most = 0;
    while (!isOver) {
      const { rows } = await admin.query(
        `SELECT count(*)::int AS connections FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      );
      most = Math.max(most, rows[0].connections);
    }
    await answered;
    expect(most).toBe(3);
    await admin.end();
    await server.stop();
    await database?.drop();
  });
});
