import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteBox } from '../src/domain/boxes/index.js';
import { topics } from '../src/infra/streams/topics.js';
import { ManualClock } from './harness/clock.js';
import { GatewayClient } from './harness/gateway-client.js';
import { announce, connectNewBox, guildOf, putInstallation } from './harness/hand-box.js';
import { eventually } from './harness/jobs.js';
import { createApplication, install, type MadeApplication, type MadeGuild, sendMessage } from './harness/people.js';
import { greet } from './harness/raw-relay.js';
import { layRedisLine, missingForSeveralProcesses } from './harness/redis.js';
import { ask, formOf, type RestRequest } from './harness/rest.js';
import { type BoxOfCloud, startBoxOn } from './harness/self-hosted.js';
import { needing } from './harness/skipping.js';
import { startTwoProcesses, type TwoProcesses } from './harness/two-processes.js';
import { callOf, createBot } from './harness/world.js';

const missing = await missingForSeveralProcesses();

/** A box whose server has a bot. The bot is connected to the second process. */
interface Scene {
  two: TwoProcesses;
  box: BoxOfCloud;
  guild: MadeGuild;
  bot: MadeApplication;
  client: GatewayClient;
  askSecond(method: string, path: string, request?: RestRequest): ReturnType<typeof ask>;
  stop(): Promise<void>;
}

async function openScene(two: TwoProcesses): Promise<Scene> {
  const box = await startBoxOn(two.second, { cloudUrl: two.front.origin });
  const guild = await box.makeGuild();
  const bot = await createApplication(box.owner, 'Lamplighter');
  await install(box.owner, bot, guild, { permissions: '8' });
  const client = await GatewayClient.open(two.second.origin);
  await client.ready(bot.botToken);
  return {
    two,
    box,
    guild,
    bot,
    client,
    askSecond: (method, path, request = {}) =>
      ask(two.second, method, path, { ...request, headers: { authorization: `Bot ${bot.botToken}` } }),
    async stop() {
      await client.close();
      await box.stop();
      await two.stop();
    },
  };
}

/** Reads until the bot has got the server as unavailable and as available again. */
async function untilBack({ client, guild }: Scene): Promise<void> {
  await client.next(({ t, d }) => t === 'GUILD_DELETE' && d.id === guild.id && d.unavailable === true);
  await client.next(({ t, d }) => t === 'GUILD_CREATE' && d.id === guild.id && !d.unavailable);
}

const isHere = async ({ two: { second }, box }: Scene) => {
  const { holderId } = await second.app.db.reader.box.findUniqueOrThrow({ where: { id: BigInt(box.boxId) } });
  return holderId === second.app.live.id;
};

const shownBy = ({ second }: TwoProcesses) => second.app.metrics.registry.metrics();

describe.skipIf(missing)(
  needing(missing, 'a box of one process whose bots send requests to another (docs/relay.md)'),
  () => {
    let scene: Scene;
    let messages: string;
    beforeAll(async () => {
      scene = await openScene(await startTwoProcesses());
      messages = `/channels/${scene.guild.textChannelId}/messages`;
      expect(await isHere(scene)).toBe(false);
    }, 120_000);
    afterAll(() => scene?.stop());

    it('R-20 accepts posts and reads', async () => {
      const posted = await scene.askSecond('POST', messages, { json: { content: 'across' } });
      expect(posted).toMatchObject({ status: 200, body: { content: 'across', author: { id: scene.bot.id } } });
      const read = await scene.askSecond('GET', `${messages}/${posted.body.id}`);
      expect(read).toMatchObject({ status: 200, body: { id: posted.body.id } });
      expect((await scene.askSecond('GET', `/guilds/${scene.guild.id}`)).body.name).toBe(scene.guild.name);
      expect((await scene.askSecond('GET', `/channels/${scene.guild.id}1`)).status).toBe(404);
      expect(await shownBy(scene.two)).toMatch(/^causeway_relay_added_seconds_count [1-9]/m);
    });

    it('shows its owner the sum of the requests to it by both processes', async () => {
      const { two, box, bot, guild, askSecond } = scene;
      const query = 'query ($id: ID!) { box(id: $id) { statistics { requests } } }';
      const requests = async (): Promise<number> =>
        (await box.owner.graphql(query, { id: box.boxId })).box.statistics.requests;
      await two.second.app.boxMeasures.store();
      const before = await requests();
      const headers = { authorization: `Bot ${bot.botToken}` };
      for (let n = 0; n < 3; n += 1) {
        expect((await ask(two.first, 'GET', `/guilds/${guild.id}`, { headers })).status).toBe(200);
        expect((await askSecond('GET', `/guilds/${guild.id}`)).status).toBe(200);
      }
      await two.second.app.boxMeasures.store();
      // The first process stores its own count, possibly with earlier requests.
      await eventually(async () => expect(await requests()).toBeGreaterThanOrEqual(before + 6));
    });

    it('R-22 accepts a file of 10 MiB', async () => {
      const content = Buffer.alloc(10 * 1024 * 1024, 'causeway');
      const form = formOf({ content: 'large' }, { name: 'files[0]', content, filename: 'large.bin' });
      const posted = await scene.askSecond('POST', messages, { form });
      expect(posted.status).toBe(200);
      expect(posted.body.attachments).toMatchObject([{ filename: 'large.bin', size: content.length }]);
      const [{ url }] = posted.body.attachments;
      const file = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect(file.equals(content)).toBe(true);
    });

    it('R-27 sends the members that a session requests', async () => {
      scene.client.send(8, { guild_id: scene.guild.id, query: '', limit: 0 });
      const { d } = await scene.client.event('GUILD_MEMBERS_CHUNK');
      const ids = d.members.map(({ user }: { user: { id: string } }) => user.id);
      expect(ids.toSorted()).toEqual([scene.box.keeper.id, scene.bot.id].toSorted());
    });

    it('R-30 sends events in the order in which they happened there', async () => {
      await scene.client.settled();
      const contents = Array.from({ length: 40 }, (_, index) => `${index}`);
      for (const content of contents) await sendMessage(scene.box.keeper, scene.guild.textChannelId, content);
      const heard: string[] = [];
      while (heard.length < contents.length) heard.push((await scene.client.event('MESSAGE_CREATE')).d.content);
      expect(heard).toEqual(contents);
    });

    it('R-28 accepts posts by webhooks', async () => {
      const { textChannelId } = scene.guild;
      const made = await scene.askSecond('POST', `/channels/${textChannelId}/webhooks`, { json: { name: 'Builds' } });
      expect(made.status).toBe(200);
      const { id, token } = made.body;
      const posted = await ask(scene.two.second, 'POST', `/webhooks/${id}/${token}`, { json: { content: 'built' } });
      expect(posted).toMatchObject({ status: 200, body: { content: 'built', channel_id: textChannelId } });
      const edited = `/webhooks/${id}/${token}/messages/${posted.body.id}`;
      expect(await ask(scene.two.second, 'PATCH', edited, { json: { content: 'rebuilt' } })).toMatchObject({
        status: 200,
        body: { content: 'rebuilt' },
      });
    });

    it('R-16 of two connections at once to two processes the newest serves, and the other closes 4103', async () => {
      const { first, second } = scene.two;
      const box = await connectNewBox({ app: second.app, origin: first.origin });
      for (let round = 0; round < 5; round += 1) {
        const both = await Promise.all([first, second].map(({ origin }) => greet(origin, { keys: box.keys })));
        const [older, newest] = both.toSorted((one, other) => one.welcome.generation - other.welcome.generation);
        expect((await older?.relay.closed)?.code).toBe(4103);
        await announce(newest!, []);
        const asked = second.app.boxes.ask(box.id, 'guild', { guild_id: '5' });
        await newest?.relay.answer({ id: '5', round });
        expect(await asked).toEqual({ id: '5', round });
      }
      expect(await box.relay.closed).toMatchObject({ code: 4103 });
    });

    it('R-6 closes 4102 when it is deleted at the other process, and its servers are 404', async () => {
      const { first, second } = scene.two;
      const box = await connectNewBox({ app: second.app, origin: first.origin });
      const bot = await createBot(second.app);
      const guild = guildOf(box, [bot.id]);
      await announce(box, [guild]);
      await putInstallation(second, bot, guild.id);
      const path = `/guilds/${guild.id}`;
      const headers = { authorization: `Bot ${bot.token}` };
      const asked = ask(second, 'GET', path, { headers });
      const { id } = await box.relay.next('request');
      box.relay.send({ op: 'response', id, status: 403, headers: {}, body: 0 });
      expect((await asked).status).toBe(403);
      await deleteBox(callOf(second.app, box.owner), box.id);
      expect(await box.relay.closed).toMatchObject({ code: 4102 });
      expect((await ask(second, 'GET', path, { headers })).status).toBe(404);
    });

    it('R-31 moves from one process to the other, is announced again, and serves there', async () => {
      const { front, second, first } = scene.two;
      front.leadTo(second.origin);
      front.cut();
      await untilBack(scene);
      expect(await isHere(scene)).toBe(true);
      expect((await scene.askSecond('POST', messages, { json: { content: 'here' } })).status).toBe(200);
      front.leadTo(first.origin);
      front.cut();
      await untilBack(scene);
      expect(await isHere(scene)).toBe(false);
      expect((await scene.askSecond('POST', messages, { json: { content: 'there' } })).status).toBe(200);
    });

    it('R-42 is 503 once its process was killed, and is announced again when it connects to the other', async () => {
      const { front, first, second } = scene.two;
      front.leadTo(first.origin);
      await first.end('SIGKILL');
      const away = await scene.askSecond('GET', messages);
      expect(away.status).toBe(503);
      expect(away.headers.get('x-causeway-reason')).toBe('box-offline');
      expect(await shownBy(scene.two)).toMatch(/^causeway_relay_requests_total\{outcome="503"\} [1-9]/m);
      front.leadTo(second.origin);
      await untilBack(scene);
      expect((await scene.askSecond('POST', messages, { json: { content: 'again' } })).status).toBe(200);
      await sendMessage(scene.box.keeper, scene.guild.textChannelId, 'and heard');
      await scene.client.next(({ t, d }) => t === 'MESSAGE_CREATE' && d.content === 'and heard');
    });
  },
);

describe.skipIf(missing)(needing(missing, 'open connections when a process ends'), () => {
  it('R-40 is answered, although the box is with the other process by then', async () => {
    const two = await startTwoProcesses();
    try {
      const { first, second } = two;
      const box = await connectNewBox({ app: second.app, origin: first.origin });
      const bot = await createBot(second.app);
      const guild = guildOf(box, [bot.id]);
      await putInstallation(second, bot, guild.id);
      await announce(box, [guild]);
      const headers = { authorization: `Bot ${bot.token}` };
      const asked = ask(first, 'GET', `/guilds/${guild.id}/roles`, { headers });
      const { id } = await box.relay.next('request');
      first.process.kill('SIGTERM');
      await box.relay.next('going_away');
      const heard = new Promise<void>((resolve) => void second.app.bus.subscribe(topics.box(box.id), () => resolve()));
      const { relay } = await greet(second.origin, { keys: box.keys });
      await heard;
      // The first process knows it by the time that it answers this.
      box.relay.send({ op: 'ping', t: 1 });
      await box.relay.next('pong');
      box.relay.send({ op: 'response', id, status: 200, headers: {}, body: 2 });
      box.relay.sendBody(id, '[]');
      expect(await asked).toMatchObject({ status: 200, body: [] });
      expect(await box.relay.closed).toMatchObject({ code: 4000 });
      relay.cut();
    } finally {
      await two.stop();
    }
  }, 120_000);
});

describe.skipIf(missing)(needing(missing, 'requests in progress when a process is killed'), () => {
  it('R-43 is 504 within a second or two', async () => {
    const clock = new ManualClock();
    const two = await startTwoProcesses({ clock });
    try {
      const { first, second } = two;
      const box = await connectNewBox({ app: second.app, origin: first.origin });
      const bot = await createBot(second.app);
      const guild = guildOf(box, [bot.id]);
      await announce(box, [guild]);
      await putInstallation(second, bot, guild.id);
      const headers = { authorization: `Bot ${bot.token}` };
      const asked = ask(second, 'GET', `/guilds/${guild.id}`, { headers });
      await box.relay.next('request');
      await first.end('SIGKILL');
      clock.advance(1_000);
      const answer = await asked;
      expect(answer.status).toBe(504);
      expect(answer.headers.get('x-causeway-reason')).toBe('box-timeout');
      expect(await shownBy(two)).toMatch(/^causeway_relay_requests_total\{outcome="504"\} [1-9]/m);
    } finally {
      await two.stop();
    }
  });
});

describe.skipIf(missing)(needing(missing, 'a message whose process with the box is killed'), () => {
  it('R-43 before the bot is answered exists once after its repetition', async () => {
    const scene = await openScene(await startTwoProcesses());
    try {
      const { two, box, guild } = scene;
      const path = `/channels/${guild.textChannelId}/messages`;
      const post = () => scene.askSecond('POST', path, { json: { content: 'once' } });
      two.front.leadTo(two.second.origin);
      // The box has stored it at this point, and answers in a later turn.
      const stored = box.box.app.bus.subscribe(topics.guild(guild.id), ({ type }) => {
        if (type === 'MESSAGE_CREATE') two.first.process.kill('SIGKILL');
      });
      expect((await post()).status).toBe(504);
      stored.close();
      await untilBack(scene);
      const again = await post();
      expect(again).toMatchObject({ status: 200, body: { content: 'once' } });
      const read = await scene.askSecond('GET', path);
      expect(read.body.map(({ id }: { id: string }) => id)).toEqual([again.body.id]);
      const more = await post();
      expect(more.status).toBe(200);
      expect(more.body.id).not.toBe(again.body.id);
    } finally {
      await scene.stop();
    }
  }, 120_000);
});

describe.skipIf(missing)(needing(missing, 'a box of another process while Redis is away'), () => {
  it('is 503 for 5 s, and then serves and sends events again', async () => {
    const line = await layRedisLine();
    const scene = await openScene(await startTwoProcesses({ redisUrl: line.url }));
    try {
      const path = `/channels/${scene.guild.textChannelId}/messages`;
      expect((await scene.askSecond('GET', path)).status).toBe(200);
      line.cut();
      const statuses = new Set<number>();
      for (const since = performance.now(); performance.now() - since < 5_000; ) {
        statuses.add((await scene.askSecond('GET', path)).status);
      }
      expect([...statuses]).toEqual([503]);
      line.mend();
      await expect.poll(async () => (await scene.askSecond('GET', path)).status, { timeout: 20_000 }).toBe(200);
      await expect.poll(() => scene.two.second.app.degraded(), { timeout: 20_000 }).toEqual([]);
      await sendMessage(scene.box.keeper, scene.guild.textChannelId, 'heard again');
      await scene.client.next(({ t, d }) => t === 'MESSAGE_CREATE' && d.content === 'heard again');
    } finally {
      await scene.stop();
      line.close();
    }
  });
});
