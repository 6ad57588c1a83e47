import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Frame, GatewayClient } from '../../harness/gateway-client.js';
import { missingForSeveralProcesses, REDIS_URL } from '../../harness/redis.js';
import { migratedDatabase, migratedFolder, startServer, type TestServer } from '../../harness/server.js';
import { needing } from '../../harness/skipping.js';
import { addMember, createBot, createBotInGuild, say, type TestBot } from '../../harness/world.js';

const missing = await missingForSeveralProcesses();

let env: Record<string, string>;
let cleanUp: () => Promise<void>;
let servers: TestServer[] = [];

beforeAll(async () => {
  const database = await migratedDatabase();
  env = { DATA_DIR: await migratedFolder(), ...(database ? { DATABASE_URL: database.url } : {}) };
  cleanUp = async () => {
    await database?.drop();
  };
});
afterAll(async () => {
  await cleanUp();
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  servers = [];
});

async function start(more: Record<string, string> = {}): Promise<TestServer> {
  const server = await startServer({ env: { ...env, ...more } });
  servers.push(server);
  return server;
}

async function stop(server: TestServer): Promise<void> {
  servers = servers.filter((one) => one !== server);
  await server.stop();
}

interface Lost {
  bot: TestBot;
  id: string;
  seq: number | null;
}

async function open(server: TestServer, bot: TestBot): Promise<{ client: GatewayClient; id: string }> {
  const client = await GatewayClient.open(server.origin);
  const ready = await client.ready(bot.token);
  return { client, id: ready.d.session_id };
}

/** The events of a RESUME, up to RESUMED or op 9. */
async function resume(server: TestServer, { bot, id, seq }: Lost): Promise<[GatewayClient, string[]]> {
  const client = await GatewayClient.open(server.origin);
  client.send(6, { token: bot.token, session_id: id, seq });
  const frames: Frame[] = [];
  do frames.push(await client.next((frame) => frame.op === 0 || frame.op === 9));
  while (frames.at(-1)!.op === 0 && frames.at(-1)!.t !== 'RESUMED');
  return [client, frames.map(({ op, t, d }) => (t === 'MESSAGE_CREATE' ? d.content : (t ?? `op ${op}`)))];
}

describe('a process that stops', () => {
  it('leaves its sessions to the next that starts, with all that they have missed', async () => {
    const first = await start();
    const { bot, guild } = await createBotInGuild(first.app);
    const other = await createBot(first.app);
    await addMember(first.app, guild.id, other.user);
    const [connected, waiting] = [await open(first, bot), await open(first, other)];
    await say(first.app, guild, guild.owner, 'one');
    for (const { client } of [connected, waiting]) await client.event('MESSAGE_CREATE');
    const seq = waiting.client.sequence;
    await waiting.client.close(4999);
    await say(first.app, guild, guild.owner, 'two');
    await connected.client.event('MESSAGE_CREATE');
    const stopped = stop(first);
    await connected.client.op(7);
    await connected.client.close(4999);
    await stopped;

    const second = await start();
    const [a, missedByConnected] = await resume(second, { bot, id: connected.id, seq: connected.client.sequence });
    const [b, missedByWaiting] = await resume(second, { bot: other, id: waiting.id, seq });
    expect(missedByConnected).toEqual(['RESUMED']);
    expect(missedByWaiting).toEqual(['two', 'RESUMED']);
    await say(second.app, guild, guild.owner, 'three');
    for (const client of [a, b]) {
      expect((await client.event('MESSAGE_CREATE')).d.content).toBe('three');
      await client.close();
    }
  });
});

describe.skipIf(missing)(needing(missing, 'two processes'), () => {
  it('move a session to the one where its client resumes', async () => {
    const [first, second] = await Promise.all([start({ REDIS_URL }), start({ REDIS_URL })]);
    const { bot, guild } = await createBotInGuild(first.app);
    const { client, id } = await open(first, bot);
    const seq = client.sequence;
    await client.close(4999);
    await say(second.app, guild, guild.owner, 'missed');
    const [again, missed] = await resume(second, { bot, id, seq });
    expect(missed).toEqual(['missed', 'RESUMED']);
    await say(first.app, guild, guild.owner, 'heard');
    expect((await again.event('MESSAGE_CREATE')).d.content).toBe('heard');
    await again.close();
  });

  it('move all sessions when one stops, while messages are sent', async () => {
    const [first, second] = await Promise.all([start({ REDIS_URL }), start({ REDIS_URL })]);
    const { bot, guild } = await createBotInGuild(first.app);
    const { client, id } = await open(first, bot);
    const sent: string[] = [];
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n += 1) {
        sent.push(`${n}`);
        await say(second.app, guild, guild.owner, `${n}`);
      }
    })();
    const stopped = stop(first);
    await client.op(7);
    await client.close(4999);
    const heard = client.frames.filter(({ t }) => t === 'MESSAGE_CREATE').map(({ d }) => d.content);
    const [again, missed] = await resume(second, { bot, id, seq: client.sequence });
    await stopped;
    isOver = true;
    await writing;
    const later = (await again.settled()).filter(({ t }) => t === 'MESSAGE_CREATE').map(({ d }) => d.content);
    expect(missed.at(-1)).toBe('RESUMED');
    expect([...heard, ...missed.slice(0, -1), ...later]).toEqual(sent);
    await again.close();
  });
});
