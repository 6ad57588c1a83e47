import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../harness/clock.js';
import { GatewayClient } from '../../harness/gateway-client.js';
import { acknowledged, announce, connectAgain, connectNewBox, guildOf } from '../../harness/hand-box.js';
import { type Lossy, startLossy } from '../../harness/lossy.js';
import { sendMessage } from '../../harness/people.js';
import { migratedDatabase, migratedFolder, startServer, type TestServer } from '../../harness/server.js';
import { until } from '../../harness/until.js';

describe('events while connections are lost (R-30, R-31)', () => {
  let all: Lossy;
  let client: GatewayClient;
  // The clock of the cloud stands still during lost connections, so that no absence is published.
  const clock = new ManualClock();
  beforeAll(async () => {
    all = await startLossy({ cloud: { clock } });
    client = await GatewayClient.open(all.cloud.origin);
    await client.ready(all.bot.botToken);
  });
  afterAll(async () => {
    await client.close();
    await all.stop();
  });

  it('reach a session once each and in order, wherever the connection is cut', async () => {
    const contents = Array.from({ length: 40 }, (_, n) => `m${n}`);
    for (const [n, content] of contents.entries()) {
      if (n % 2 === 0) all.line.cutAfter('up', 1 + ((n * 389) % 2_000));
      await sendMessage(all.keeper, all.guild.textChannelId, content);
    }
    all.line.mend();
    await until(async () => (await all.ask('GET', `/guilds/${all.guild.id}`)).status === 200);
    const heard = () => client.frames.flatMap(({ t, d }) => (t === 'MESSAGE_CREATE' ? [d.content] : []));
    await until(async () => {
      // The cloud repeats its questions to the box after a delay. A heartbeat keeps the session in the meantime.
      clock.advance(100);
      await client.settled();
      return heard().length >= contents.length;
    });
    expect(heard()).toEqual(contents);
    expect(client.frames.filter(({ t }) => t === 'GUILD_DELETE')).toEqual([]);
    expect(all.line.connections).toBeGreaterThan(5);
  });
});

describe('a connection that is lost while one of its events is processed (R-31)', () => {
  let server: TestServer;
  afterEach(() => server.stop());

  it('is followed by one whose welcome counts that event', async () => {
    server = await startServer();
    const box = await connectNewBox(server);
    const guild = guildOf(box);
    const last = await announce(box, [guild]);
    const { app } = server;
    const { callOfNobody } = app;
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let isHeld = false;
    app.callOfNobody = () => {
      const call = callOfNobody();
      const write: typeof call.write = async (...args) => {
        isHeld = true;
        await gate;
        return call.write(...args);
      };
      return { ...call, write };
    };
    const another = guildOf(box);
    box.relay.send({ op: 'announce', s: last + 1, guild: another });
    await until(() => isHeld);
    box.relay.cut();
    await until(async () => (await app.db.reader.box.findFirst())?.holderId === null);
    app.callOfNobody = callOfNobody;
    const returning = connectAgain(server, box);
    await until(async () => ((await app.db.reader.box.findFirst())?.generation ?? 0) > 1);
    open();
    const again = await returning;
    expect(again.welcome.events).toMatchObject({ seq: last + 1 });
    again.relay.send({ op: 'resume', session: again.welcome.events.session });
    again.relay.send({ op: 'withdraw', s: last + 2, guild_id: another.id });
    await acknowledged(again.relay, last + 2);
    again.relay.cut();
  });
});

describe('a restart of the cloud', () => {
  it('keeps its sessions, and shows them the servers of its boxes again', async () => {
    const dataDir = await migratedFolder();
    const database = await migratedDatabase();
    const env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
    const all = await startLossy({ cloud: { env } });
    const { bot, guild, keeper, line } = all;
    const before = await GatewayClient.open(all.cloud.origin);
    const { session_id } = (await before.ready(bot.botToken)).d;
    await sendMessage(keeper, guild.textChannelId, 'before');
    expect((await before.event('MESSAGE_CREATE')).d.content).toBe('before');
    line.leadTo(null);
    await all.cloud.stop();
    await sendMessage(keeper, guild.textChannelId, 'meanwhile');
    const cloud = await startServer({ env });
    cloud.app.addresses.publicUrl = line.leadTo(cloud);
    const after = await GatewayClient.open(cloud.origin);
    after.send(6, { token: bot.botToken, session_id, seq: before.sequence });
    await after.event('RESUMED');
    expect((await after.event('GUILD_CREATE')).d).toMatchObject({ id: guild.id, unavailable: false });
    const lost = [before, after].flatMap(({ frames }) => frames.filter(({ t }) => t === 'GUILD_DELETE'));
    expect(lost.map(({ d }) => d)).toEqual([{ id: guild.id, unavailable: true }]);
    await sendMessage(keeper, guild.textChannelId, 'after');
    const { d } = await after.event('MESSAGE_CREATE');
    expect(d.content).toBe('after');
    await after.close();
    await all.box.stop();
    await cloud.stop();
    await line.close();
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
});
