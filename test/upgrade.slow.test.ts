import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from './harness/accounts.js';
import { type ThrowAwayDatabase, throwAwayDatabase } from './harness/databases.js';
import { GatewayClient } from './harness/gateway-client.js';
import { askGraphql, type Loose } from './harness/graphql.js';
import { makeOperator, OPERATOR_MUTATIONS } from './harness/operators.js';
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
} from './harness/people.js';
import { type RunningInstance, startInstance } from './harness/process.js';
import { missingForSeveralProcesses, REDIS_URL } from './harness/redis.js';
import { ask } from './harness/rest.js';
import { startServer, type TestServer } from './harness/server.js';
import { needing } from './harness/skipping.js';
import { until } from './harness/until.js';
import { buildOf, findVersionBefore } from './harness/version-before.js';

const before = findVersionBefore();
const missing = before.missing ?? (await missingForSeveralProcesses());

type Process = { origin: string };

/** The first build of the version before takes half a minute. */
const BUILD_MS = 180_000;

describe.skipIf(missing)(needing(missing, 'the version before and this one share a database'), () => {
  let database: ThrowAwayDatabase | null;
  let dataDir: string;
  let env: Record<string, string>;
  let entryPoint: string;
  let old: RunningInstance;
  let current: TestServer;
  let ada: Person;
  let guild: MadeGuild;
  let bot: MadeApplication;
  const clients: GatewayClient[] = [];

  beforeAll(async () => {
    if (before.missing !== null) return;
    entryPoint = await buildOf(before.commit);
    database = await throwAwayDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'causeway-upgrade-'));
    env = { DATABASE_URL: database?.url ?? '', REDIS_URL, DATA_DIR: dataDir };
    old = await startOld();
    ada = await signUp({ origin: old.origin }, 'ada');
    guild = await createGuild(ada);
    bot = await createApplication(ada);
    await install(ada, bot, guild);
  }, BUILD_MS);
  afterAll(async () => {
    for (const client of clients) await client.close();
    await Promise.all([current?.stop(), old && (old.process.exitCode ?? old.end('SIGTERM'))]);
    await database?.drop();
    if (dataDir) await rm(dataDir, { recursive: true, force: true });
  });

  const startOld = () => startInstance(env, undefined, entryPoint);

  /** The same person, who asks another process. */
  function at({ origin }: Process, person: Person): Person {
    const ask = <Data = Loose>(query: string, variables: object = {}) =>
      askGraphql<Data>({ origin }, query, variables, { authorization: `Bearer ${person.token}` });
    return {
      ...person,
      ask,
      async graphql<Data = Loose>(query: string, variables: object = {}) {
        const { data, errors } = await ask<Data>(query, variables);
        if (errors.length > 0 || data === null) throw new Error(`the query failed: ${JSON.stringify(errors)}`);
        return data;
      },
    };
  }

  async function connect({ origin }: Process, { botToken } = bot): Promise<GatewayClient> {
    const client = await GatewayClient.open(origin);
    clients.push(client);
    await client.ready(botToken);
    return client;
  }

  it('serves requests while the newer version migrates the tables', async () => {
    const client = await connect(old);
    const sent: string[] = [];
    let isStarted = false;
    const talk = async () => {
      while (!isStarted) {
        const content = `message ${sent.length}`;
        await sendMessage(ada, guild.textChannelId, content);
        sent.push(content);
      }
    };
    const talking = talk();
    current = await startServer({ env });
    isStarted = true;
    await talking;
    for (const content of sent) expect((await client.event('MESSAGE_CREATE')).d.content).toBe(content);
    const { messages } = await channelAt(current);
    expect(messages.length).toBeGreaterThan(0);
  });

  async function channelAt({ origin }: Process): Promise<Loose> {
    const headers = { authorization: `Bot ${bot.botToken}` };
    const { body } = await ask({ origin }, 'GET', `/channels/${guild.textChannelId}/messages`, { headers });
    return { messages: body };
  }
});
