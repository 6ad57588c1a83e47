import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { invokeCommand } from '../../../src/domain/interactions/index.js';
import { RESUME_WINDOW_MS } from '../../../src/gateway/protocol.js';
import type { Prisma } from '../../../src/infra/database/index.js';
import { openScene, storeCommand } from '../../domain/interactions/scene.js';
import { ManualClock } from '../../harness/clock.js';
import { type Frame, GatewayClient } from '../../harness/gateway-client.js';
import { readableLog } from '../../harness/log.js';
import { layRedisLine, missingForSeveralProcesses, REDIS_URL } from '../../harness/redis.js';
import {
  migratedDatabase,
  migratedFolder,
  startServer,
  type TestOptions,
  type TestServer,
} from '../../harness/server.js';
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

async function start(more: Record<string, string> = {}, options: Omit<TestOptions, 'env'> = {}): Promise<TestServer> {
  const server = await startServer({ ...options, env: { ...env, ...more } });
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

describe('sessions that wait for the next process', () => {
  /** A session that lost its client when its process stopped. */
  async function leftBy(server: TestServer, bot: TestBot, beforeStop = async () => {}): Promise<Lost> {
    const { client, id } = await open(server, bot);
    await beforeStop();
    const stopped = stop(server);
    await client.op(7);
    await client.close(4999);
    await stopped;
    return { bot, id, seq: client.sequence };
  }

  /** A change by another process, of which the server is not notified. */
  async function change({ app }: TestServer, { id }: TestBot, data: Prisma.ApplicationUpdateInput): Promise<void> {
    await app.db.writer.application.update({ where: { id }, data });
  }

  it('end at the end of their window', async () => {
    const first = await start();
    const { bot } = await createBotInGuild(first.app);
    const lost = await leftBy(first, bot);
    const second = await start({}, { clock: new ManualClock(Date.now() + RESUME_WINDOW_MS) });
    const [client, missed] = await resume(second, lost);
    expect(missed).toEqual(['op 9']);
    await client.close();
  });

  it('keep what is left of their window', async () => {
    const first = await start();
    const { bot } = await createBotInGuild(first.app);
    const lost = await leftBy(first, bot);
    const clock = new ManualClock(Date.now() + RESUME_WINDOW_MS - 60_000);
    const second = await start({}, { clock });
    clock.advance(60_000);
    const [client, missed] = await resume(second, lost);
    expect(missed).toEqual(['op 9']);
    await client.close();
  });

  it('end if their token was replaced', async () => {
    const first = await start();
    const { bot } = await createBotInGuild(first.app);
    await leftBy(first, bot, () => change(first, bot, { botTokenHash: 'another' }));
    const { app } = await start();
    const { values } = await app.metrics.gatewayMoves.get();
    expect(values.map(({ labels, value }) => [labels.outcome, value])).toContainEqual(['lost', 1]);
    expect((await app.metrics.gatewaySessions.get()).values[0]?.value).toBe(0);
  });

  it('end with 4014 if a privileged intent that they use was switched off', async () => {
    const first = await start();
    const { bot } = await createBotInGuild(first.app);
    const lost = await leftBy(first, bot, () => change(first, bot, { presencesIntent: false }));
    const second = await start();
    const [client, missed] = await resume(second, lost).catch(() => [null, ['closed']] as const);
    expect(missed).not.toContain('RESUMED');
    client?.identify(bot.token);
    if (client) expect((await client.closed).code).toBe(4014);
  });

  it('show their bots online for 10 s', async () => {
    const first = await start();
    const { bot, guild } = await createBotInGuild(first.app);
    const watcher = await createBot(first.app);
    await addMember(first.app, guild.id, watcher.user);
    const [lost] = await Promise.all([leftBy(first, bot)]);
    const clock = new ManualClock();
    const second = await start({}, { clock });
    const { client } = await open(second, watcher);
    const presences = () =>
      client.frames.filter(({ t, d }) => t === 'PRESENCE_UPDATE' && d.user.id === String(lost.bot.user.id));
    clock.advance(9_999);
    await client.settled();
    expect(presences()).toEqual([]);
    clock.advance(1);
    expect((await client.event('PRESENCE_UPDATE')).d).toMatchObject({ status: 'offline' });
    await client.close();
  });

  it('show a bot that resumes online without a break', async () => {
    const first = await start();
    const { bot, guild } = await createBotInGuild(first.app);
    const watcher = await createBot(first.app);
    await addMember(first.app, guild.id, watcher.user);
    const lost = await leftBy(first, bot);
    const clock = new ManualClock();
    const second = await start({}, { clock });
    const { client } = await open(second, watcher);
    const [resumed] = await resume(second, lost);
    clock.advance(10_000);
    await client.settled();
    const statuses = client.frames.filter(({ t }) => t === 'PRESENCE_UPDATE').map(({ d }) => d.status);
    expect(statuses).not.toContain('offline');
    await Promise.all([client.close(), resumed.close()]);
  });

  it('receive an interaction before they resume', async () => {
    const first = await start();
    const scene = await openScene(first);
    const commandId = await storeCommand(scene);
    const lost = await leftBy(first, scene.bot);
    const second = await start();
    const call = { ...second.app.callOfNobody(), actor: scene.owner.actor };
    const { id } = await invokeCommand(call, { channelId: scene.guild.channel.id, commandId, options: [] });
    const client = await GatewayClient.open(second.origin);
    client.send(6, { token: scene.bot.token, session_id: lost.id, seq: lost.seq });
    expect((await client.event('INTERACTION_CREATE')).d.id).toBe(String(id));
    await client.close();
  });

  it('are ignored if they cannot be read', async () => {
    const first = await start();
    const { bot } = await createBotInGuild(first.app);
    const lost = await leftBy(first, bot);
    const { log, lines } = readableLog();
    const between = await start();
    await between.app.db.writer.sessionMove.create({
      data: { id: 'broken', target: null, movedAt: new Date(), sessions: Buffer.from('no snapshot') },
    });
    await stop(between);
    const second = await start({}, { log });
    expect(lines.filter((line) => line.includes('Could not read gateway sessions'))).toHaveLength(1);
    const [client, missed] = await resume(second, lost);
    expect(missed).toEqual(['RESUMED']);
    await client.close();
  });
});

describe('the end of a process', () => {
  /** A request to send a message, of which the body comes later. */
  function beginMessage(server: TestServer, bot: TestBot, channelId: bigint): ClientRequest {
    const sent = request(`${server.origin}/api/v10/channels/${channelId}/messages`, {
      method: 'POST',
      headers: { authorization: `Bot ${bot.token}`, 'content-type': 'application/json', 'content-length': 18 },
    });
    sent.write('{');
    return sent;
  }

  it('refuses late writes instead of keeping them from the sessions, and comes in time', async () => {
    const first = await start({ DRAIN_TIMEOUT_MS: '4000' });
    const { bot, guild } = await createBotInGuild(first.app);
    const { client, id } = await open(first, bot);
    const late = beginMessage(first, bot, guild.channel.id);
    const answer = once(late, 'response');
    await setTimeout(100);
    const startedAt = performance.now();
    const stopped = stop(first);
    await client.op(7);
    late.end('"content":"late"}');
    const [response] = await answer;
    expect([response.statusCode, JSON.parse(await text(response))]).toMatchObject([503, { message: /stopping/ }]);
    await client.close(4999);
    await stopped;
    expect(performance.now() - startedAt).toBeLessThan(4_500);
    const second = await start();
    const [again, missed] = await resume(second, { bot, id, seq: client.sequence });
    expect(missed).toEqual(['RESUMED']);
    expect(await second.app.db.reader.message.count({ where: { channelId: guild.channel.id } })).toBe(0);
    await again.close();
  });

  it('finishes late writes if it has no sessions', async () => {
    const server = await start();
    const { bot, guild } = await createBotInGuild(server.app);
    const late = beginMessage(server, bot, guild.channel.id);
    const answer = once(late, 'response');
    await setTimeout(100);
    const stopped = stop(server);
    await setTimeout(300);
    late.end('"content":"late"}');
    const [{ statusCode }] = await answer;
    expect(statusCode).toBe(200);
    await stopped;
  });

  it('removes its own row if it had no sessions', async () => {
    const { log, lines } = readableLog('warn');
    const first = await start({ RATE_LIMITS: 'on' }, { log });
    const { id } = first.app.live;
    await stop(first);
    const second = await start();
    expect(await second.app.db.reader.liveProcess.count({ where: { id } })).toBe(0);
    expect(lines).toEqual([]);
  });

  it('asks clients that identify during it to reconnect', async () => {
    const first = await start();
    const { bot } = await createBotInGuild(first.app);
    const client = await GatewayClient.open(first.origin);
    const stopped = stop(first);
    await client.op(7);
    client.identify(bot.token);
    await client.op(7);
    await client.close(4999);
    await stopped;
    expect(client.frames.map(({ op }) => op).filter((op) => op !== 10)).toEqual([7, 7]);
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

  it('give a connected session to the one where it is resumed', async () => {
    const [first, second] = await Promise.all([start({ REDIS_URL }), start({ REDIS_URL })]);
    const { bot, guild } = await createBotInGuild(first.app);
    const { client, id } = await open(first, bot);
    const [again, missed] = await resume(second, { bot, id, seq: client.sequence });
    expect(missed).toEqual(['RESUMED']);
    expect(await client.closed).toMatchObject({ code: 4003 });
    await say(first.app, guild, guild.owner, 'heard');
    expect((await again.event('MESSAGE_CREATE')).d.content).toBe('heard');
    await again.close();
  });

  it('leave a session to the newest of its connections', async () => {
    const [first, second] = await Promise.all([start({ REDIS_URL }), start({ REDIS_URL })]);
    const { bot, guild } = await createBotInGuild(first.app);
    const older = await GatewayClient.open(second.origin);
    // The time that messages between processes take counts as age.
    await setTimeout(1_000);
    const { client, id } = await open(first, bot);
    older.send(6, { token: bot.token, session_id: id, seq: client.sequence });
    await older.op(9);
    await say(second.app, guild, guild.owner, 'heard');
    expect((await client.event('MESSAGE_CREATE')).d.content).toBe('heard');
    await Promise.all([older.close(), client.close()]);
  });

  /** Begins a request for members, which takes until the returned function is called. */
  async function beginLongRequest(client: GatewayClient, guildId: bigint): Promise<() => Promise<void>> {
    const locking = new pg.Client({ connectionString: env.DATABASE_URL });
    await locking.connect();
    await locking.query('BEGIN; LOCK TABLE "Member" IN ACCESS EXCLUSIVE MODE');
    client.send(8, { guild_id: String(guildId), query: 'a', limit: 1 });
    return async () => {
      await locking.query('COMMIT');
      await locking.end();
    };
  }

  it('answer a request of the client before its session moves', async () => {
    const [first, second] = await Promise.all([start({ REDIS_URL }), start({ REDIS_URL })]);
    const { bot, guild } = await createBotInGuild(first.app);
    const { client, id } = await open(first, bot);
    const endRequest = await beginLongRequest(client, guild.id);
    await client.close(4999);
    const resumed = resume(second, { bot, id, seq: client.sequence });
    await setTimeout(200);
    await endRequest();
    const [again, missed] = await resumed;
    expect(missed).toEqual(['GUILD_MEMBERS_CHUNK', 'RESUMED']);
    await again.close();
  });

  it('give a busy session to the newest of several connections that wait for it', async () => {
    const [first, second] = await Promise.all([start({ REDIS_URL }), start({ REDIS_URL })]);
    const { bot, guild } = await createBotInGuild(first.app);
    const { client, id } = await open(first, bot);
    const endRequest = await beginLongRequest(client, guild.id);
    await client.close(4999);
    const lost = { bot, id, seq: client.sequence };
    const older = await GatewayClient.open(second.origin);
    older.send(6, { token: bot.token, session_id: id, seq: lost.seq });
    await setTimeout(300);
    const [between] = await resume(first, lost);
    await setTimeout(300);
    const resumed = resume(second, lost);
    await setTimeout(200);
    await endRequest();
    const [newest, missed] = await resumed;
    expect(missed.at(-1)).toBe('RESUMED');
    await Promise.all([older, between, newest].map((one) => one.close()));
  });

  it('end a session that a stop cannot move, and store nothing', async () => {
    const [first, second] = await Promise.all([start({ REDIS_URL }), start({ REDIS_URL })]);
    const { bot, guild } = await createBotInGuild(first.app);
    const { client } = await open(first, bot);
    const endRequest = await beginLongRequest(client, guild.id);
    const stopped = stop(first);
    expect((await client.closed).code).toBe(4902);
    expect(await second.app.db.reader.sessionMove.count()).toBe(0);
    await endRequest();
    await stopped;
  });

  it('move sessions together whose clients resume at the same time', async () => {
    const [first, second] = await Promise.all([start({ REDIS_URL }), start({ REDIS_URL })]);
    const { guild } = await createBotInGuild(first.app);
    const lost = await Promise.all(
      Array.from({ length: 20 }, async (): Promise<Lost> => {
        const bot = await createBot(first.app);
        await addMember(first.app, guild.id, bot.user);
        const { client, id } = await open(first, bot);
        await client.close(4999);
        return { bot, id, seq: client.sequence };
      }),
    );
    await say(first.app, guild, guild.owner, 'missed');
    const resumed = await Promise.all(lost.map((one) => resume(second, one)));
    for (const [, missed] of resumed) expect(missed).toEqual(expect.arrayContaining(['missed', 'RESUMED']));
    const { values } = await second.app.metrics.gatewayMoveSeconds.get();
    const moves = values.find(({ metricName }) => metricName?.endsWith('_count'))?.value;
    expect(moves).toBeLessThan(10);
    await Promise.all(resumed.map(([client]) => client.close()));
  });

  it('wait for a process that does not answer', async () => {
    const redis = await layRedisLine();
    const [first, second] = await Promise.all([start({ REDIS_URL: redis.url }), start({ REDIS_URL })]);
    const { bot } = await createBotInGuild(first.app);
    const { client, id } = await open(first, bot);
    await client.close(4999);
    redis.freeze();
    const resumed = resume(second, { bot, id, seq: client.sequence });
    await setTimeout(1_500);
    redis.mend();
    const [again, missed] = await resumed;
    expect(missed).toEqual(['RESUMED']);
    await again.close();
    redis.close();
  });

  it('have a session once, however often it is resumed at both', async () => {
    const both = await Promise.all([start({ REDIS_URL }), start({ REDIS_URL })]);
    const { bot, guild } = await createBotInGuild(both[0].app);
    const { client, id } = await open(both[0], bot);
    const seq = client.sequence;
    for (let round = 0; round < 5; round += 1) {
      const tries = await Promise.all(
        both.map(async (server) => {
          const one = await GatewayClient.open(server.origin);
          one.send(6, { token: bot.token, session_id: id, seq });
          return one;
        }),
      );
      const outcomes = await Promise.all(
        tries.map((one) => one.next(({ t, op }) => t === 'RESUMED' || op === 9).catch(() => null)),
      );
      expect(outcomes.some((outcome) => outcome?.t === 'RESUMED')).toBe(true);
      await say(both[round % 2]!.app, guild, guild.owner, `round ${round}`);
      const heard = tries.map((one) => one.event('MESSAGE_CREATE').catch(() => null));
      await Promise.any(heard.map((one) => one.then((frame) => frame ?? Promise.reject(new Error('closed')))));
      await setTimeout(300);
      const copies = tries.flatMap(({ frames }) => frames.filter(({ d }) => d?.content === `round ${round}`));
      expect(copies).toHaveLength(1);
      for (const one of tries) one.socket.terminate();
      await Promise.all(tries.map((one) => one.closed));
    }
  }, 60_000);

  it('leave their sessions to the next that starts if both stop at once', async () => {
    const [first, second] = await Promise.all([start({ REDIS_URL }), start({ REDIS_URL })]);
    const { bot, guild } = await createBotInGuild(first.app);
    const other = await createBot(first.app);
    await addMember(first.app, guild.id, other.user);
    const opened = [
      { bot, ...(await open(first, bot)) },
      { bot: other, ...(await open(second, other)) },
    ];
    await say(first.app, guild, guild.owner, 'heard');
    for (const { client } of opened) await client.event('MESSAGE_CREATE');
    const stopped = Promise.all([stop(first), stop(second)]);
    for (const { client } of opened) {
      await client.op(7);
      await client.close(4999);
    }
    await stopped;
    const third = await start({ REDIS_URL });
    for (const one of opened) {
      const [client, missed] = await resume(third, { bot: one.bot, id: one.id, seq: one.client.sequence });
      expect(missed.filter((what) => what !== 'PRESENCE_UPDATE')).toEqual(['RESUMED']);
      await client.close();
    }
  });

  it('ask a client to reconnect if its RESUME does not end before a stop', async () => {
    const redis = await layRedisLine();
    const first = await start({ REDIS_URL: redis.url });
    const { bot } = await createBotInGuild(first.app);
    const client = await GatewayClient.open(first.origin);
    redis.cut();
    // Without Redis, the session may be at another process, so that this one keeps looking for it.
    client.send(6, { token: bot.token, session_id: 'a'.repeat(32), seq: 1 });
    await setTimeout(300);
    const stopped = stop(first);
    await client.op(7);
    await client.op(7);
    await client.close(4999);
    redis.mend();
    await stopped;
    redis.close();
    expect(client.frames.map(({ op }) => op).filter((op) => op !== 10)).toEqual([7, 7]);
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
