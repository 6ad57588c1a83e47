import { REST } from '@discordjs/rest';
import { GatewayOpcodes, GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { topics } from '../src/infra/streams/topics.js';
import { ManualClock } from './harness/clock.js';
import { GatewayClient } from './harness/gateway-client.js';
import { askGraphql } from './harness/graphql.js';
import { noPostgres } from './harness/interleave.js';
import { type Line, layLine } from './harness/line.js';
import { readableLog, readLines } from './harness/log.js';
import { inForm, postForm } from './harness/oauth.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from './harness/people.js';
import { ask } from './harness/rest.js';
import { putMembers } from './harness/rows.js';
import { migratedDatabase, startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';
import { createTeam } from './harness/teams.js';
import { userOf } from './harness/world.js';

const POOL = 3;

describe.skipIf(noPostgres)(needing(noPostgres, 'a process whose PostgreSQL'), () => {
  let database: { url: string; drop(): Promise<void> } | null;
  let line: Line;
  let server: TestServer;
  let ada: Person;
  let bot: MadeApplication;
  let guild: MadeGuild;
  const clock = new ManualClock();
  const { log, lines } = readableLog('info');
  const logged = (from = 0) =>
    readLines(lines)
      .filter(({ level }) => level >= from)
      .map(({ msg }) => msg);

  beforeAll(async () => {
    database = await migratedDatabase();
    line = await layLine(database?.url ?? '', 5432);
    const env = { DATABASE_URL: line.url, DATABASE_POOL: String(POOL) };
    server = await startServer({ env, log, clock });
    ada = await signUp(server, 'ada');
    bot = await createApplication(ada);
    guild = await createGuild(ada);
    await install(ada, bot, guild);
  });
  beforeEach(() => {
    lines.length = 0;
  });
  afterEach(() => line.mend());
  afterAll(async () => {
    await server?.stop();
    line?.close();
    await database?.drop();
  });

  const readMessages = () =>
    ask(server, 'GET', `/channels/${guild.textChannelId}/messages`, {
      headers: { authorization: `Bot ${bot.botToken}` },
    });
  const signIn = () =>
    fetch(`${server.origin}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: ada.email, password: ada.password }),
    });
  const send = () =>
    `mutation { sendMessage(input: { channelId: "${guild.textChannelId}", content: "x" }) { message { id } } }`;
  const bearer = () => ({ authorization: `Bearer ${ada.token}` });

  describe.each(['cut', 'freeze'] as const)('is gone (%s)', (how) => {
    it('gets 503 at every interface, each in its own format, and one log line', async () => {
      await readMessages();
      line[how]();
      const query = `{ guild(id: "${guild.id}") { name } }`;
      const gateway = await GatewayClient.open(server.origin);
      gateway.identify(bot.botToken, { intents: 0 });
      const [rest, session, read, write, partly, token, screen, signedIn] = await Promise.all([
        readMessages(),
        ask(server, 'GET', '/developer-portal/teams', { headers: { authorization: 'Bearer unknown-session' } }),
        fetch(`${server.origin}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...bearer() },
          body: JSON.stringify({ query }),
        }),
        askGraphql(server, send(), {}, bearer()),
        askGraphql(server, `{ __typename guild(id: "${guild.id}") { name } }`, {}, bearer()),
        postForm(server, { grant_type: 'client_credentials', ...inForm(bot) }),
        fetch(`${server.origin}/oauth2/authorize?client_id=${bot.id}&scope=bot`),
        signIn(),
      ]);
      expect(rest.status).toBe(503);
      expect(rest.body).toEqual({ code: 130000, message: expect.stringContaining('Try again') });
      expect(rest.headers.get('retry-after')).toBe('5');
      expect(session.status).toBe(503);
      expect(read.status).toBe(503);
      expect(read.headers.get('retry-after')).toBe('5');
      expect((await read.json()).errors[0].extensions).toEqual({ code: 'RATE_LIMITED', retryAfter: 5 });
      expect([write.status, write.errors[0]?.extensions.code]).toEqual([503, 'RATE_LIMITED']);
      expect([partly.status, partly.data]).toEqual([200, { __typename: 'Query', guild: null }]);
      expect([token.status, token.body.error]).toEqual([503, 'temporarily_unavailable']);
      expect([screen.status, screen.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
      expect(signedIn.status).toBe(503);
      expect(await signedIn.json()).toEqual({ code: 'OVERLOADED', message: expect.stringContaining('Try again') });
      expect((await gateway.closed).code).toBe(4902);
      expect(logged(40)).toEqual(['Database is not available; requests that need it get 503 until it is']);
    });

    it('is used again when it is back, by reads and transactions on every connection', async () => {
      line[how]();
      const gone = await Promise.all(Array.from({ length: 2 * POOL }, () => askGraphql(server, send(), {}, bearer())));
      expect(gone.map(({ status }) => status)).toEqual(gone.map(() => 503));
      line.mend();
      await Promise.all(Array.from({ length: 4 * POOL }, (_, n) => sendMessage(ada, guild.textChannelId, `back ${n}`)));
      const teams = Array.from({ length: 2 * POOL }, (_, n) => createTeam(ada, `T${n}`));
      expect((await Promise.all(teams)).map(({ name }) => name)).toEqual(teams.map((_, n) => `T${n}`));
      lines.length = 0;
      clock.advance(10_000);
      // Successful reads do not end an outage of writes.
      expect((await readMessages()).status).toBe(200);
      await sendMessage(ada, guild.textChannelId, 'back for good');
      expect((await readMessages()).status).toBe(200);
      expect(logged()).toEqual(['Database is available again']);
    });
  });

  it('stops while messages are sent: discord.js repeats none that may be stored, and no message that got 503 is stored', async () => {
    await readMessages();
    const [patient, hasty] = [3, 0].map((retries) =>
      new REST({ api: `${server.origin}/api`, retries }).setToken(bot.botToken),
    );
    const statuses = new Map<string, number>();
    const post = async (content: string, rest = hasty) => {
      try {
        await rest?.post(`/channels/${guild.textChannelId}/messages`, { body: { content } });
      } catch (error) {
        statuses.set(content, (error as { status: number }).status);
      }
    };
    const contents = Array.from({ length: 3 * POOL }, (_, n) => `frozen ${n}`);
    line.freeze();
    const first = post('first', patient);
    await Promise.all([first, ...contents.map((content) => post(content))]);
    line.mend();
    await sendMessage(ada, guild.textChannelId, 'after');
    expect(statuses.get('first')).toBe(409);
    expect(new Set(statuses.values())).toEqual(new Set([409, 503]));
    const stored = await server.app.db.reader.message.findMany({ where: { content: { in: ['first', ...contents] } } });
    expect(stored.map(({ content }) => statuses.get(content)).filter((status) => status !== 409)).toEqual([]);
    const times = (content: string) => stored.filter((message) => message.content === content).length;
    expect(Math.max(...['first', ...contents].map(times))).toBeLessThanOrEqual(1);
    clock.advance(10_000);
    await sendMessage(ada, guild.textChannelId, 'back for good');
  });

  it("is gone during a bot's catch-up applies changes of its guilds at the next check", async () => {
    const client = await GatewayClient.open(server.origin);
    await client.ready(bot.botToken, { intents: Intent.Guilds });
    const joined = await createGuild(ada, 'Joined');
    const key = { guildId: BigInt(joined.id), userId: BigInt(bot.id) };
    // This change has no event. The catch-up has to find it.
    await putMembers(server.app, [key.guildId], [await userOf(server.app, bot)]);
    line.cut();
    server.app.bus.lose(topics.application(BigInt(bot.id)));
    const faults = () => logged(40);
    await expect.poll(() => faults().length, { timeout: 20_000 }).toBe(1);
    // The bots read these in sequence.
    for (let n = 0; n < 3; n += 1) expect((await readMessages()).status).toBe(503);
    line.mend();
    clock.advance(30_000);
    expect((await client.event('GUILD_CREATE')).d.name).toBe('Joined');
    expect(faults()).toEqual(['Database is not available; requests that need it get 503 until it is']);
    await client.close();
  });

  it('is gone closes 4902 for sessions that request members, without a log line for each', async () => {
    const client = await GatewayClient.open(server.origin);
    await client.ready(bot.botToken, { intents: Intent.Guilds });
    line.cut();
    client.send(GatewayOpcodes.RequestGuildMembers, { guild_id: guild.id, query: 'a', limit: 1 });
    expect((await client.closed).code).toBe(4902);
    expect(logged()).not.toContain('Could not read members for the gateway');
  });

  it('stops within a transaction never uses that connection again, on which a late answer may still come', async () => {
    const pidOf = async (db: Pick<TestServer['app']['db']['reader'], '$queryRaw'>) =>
      (await db.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid, pg_sleep(0.05)::text`)[0]?.pid;
    let late: number | undefined;
    const work = server.app.db.writer.$transaction(async (db) => {
      late = await pidOf(db);
      line.freeze();
      await pidOf(db);
    });
    await expect(work).rejects.toThrow('the database is not available');
    line.mend();
    const pids = await Promise.all(Array.from({ length: 2 * POOL }, () => pidOf(server.app.db.reader)));
    expect(pids).not.toContain(late);
  });

  it('is gone closes every connection that identifies', async () => {
    await readMessages();
    line.cut();
    for (let tries = 0; tries < 2; tries += 1) {
      const gateway = await GatewayClient.open(server.origin);
      gateway.identify(bot.botToken, { intents: 0 });
      expect((await gateway.closed).code).toBe(4902);
    }
  });
});
