import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { topics } from '../../../src/infra/streams/topics.js';
import { CloudBotDirectory } from '../../../src/relay/cloud/cloud-bot-directory.js';
import { EventsIntake } from '../../../src/relay/cloud/events/events-intake.js';
import { ManualClock } from '../../harness/clock.js';
import { failStatements } from '../../harness/faults.js';
import {
  acknowledged,
  announce,
  connectAgain,
  connectNewBox,
  guildOf,
  type HandBox,
  putInstallation,
} from '../../harness/hand-box.js';
import { listenTo } from '../../harness/live.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { createBot, createGuild, type TestBot } from '../../harness/world.js';

describe('the messages of a box about its guilds (docs/relay.md, R-30 to R-35)', () => {
  let server: TestServer;
  let box: HandBox;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  const routes = () => server.app.boxRoutes;
  const isKnown = async (guildId: string) => (await routes().ofGuild(BigInt(guildId))) !== null;

  it('R-31 an announced guild is found, by guild and by channel', async () => {
    box = await connectNewBox(server);
    const guild = guildOf(box);
    await announce(box, [guild]);
    expect(await routes().ofGuild(BigInt(guild.id))).toEqual({ boxId: box.id, guildId: BigInt(guild.id) });
    for (const channel of guild.channels) {
      expect(await routes().ofChannel(BigInt(channel))).toEqual({ boxId: box.id, guildId: BigInt(guild.id) });
    }
    box.relay.cut();
  });

  it('R-31 a guild that is not announced before ready is removed', async () => {
    box = await connectNewBox(server);
    const [kept, gone] = [guildOf(box), guildOf(box)];
    await announce(box, [kept, gone]);
    await announce(box, [kept]);
    expect([await isKnown(kept.id), await isKnown(gone.id)]).toEqual([true, false]);
    box.relay.cut();
  });

  it('R-32 a withdrawn guild is removed, and no more events of it are published', async () => {
    box = await connectNewBox(server);
    const guild = guildOf(box);
    const s = await announce(box, [guild]);
    const told = listenTo(server, guild.id);
    box.relay.send({ op: 'withdraw', s: s + 1, guild_id: guild.id });
    box.relay.send({ op: 'dispatch', s: s + 2, t: 'CHANNEL_PINS_UPDATE', d: pins(guild) });
    await acknowledged(box.relay, s + 2);
    expect(await isKnown(guild.id)).toBe(false);
    expect(told.rest().map(({ type }) => type)).toEqual(['GUILD_DELETE']);
    box.relay.cut();
  });

  describe('a message that could not be processed closes 4004, and is processed when it is sent again (R-31)', () => {
    /** @returns a connection that continues after the last processed number, and that number */
    async function toldAgain(statement: RegExp, message: object): Promise<number> {
      const failing = failStatements(statement);
      try {
        box.relay.send(message);
        expect(await box.relay.closed).toMatchObject({ code: 4004 });
      } finally {
        failing.heal();
      }
      box = await connectAgain(server, box);
      const { session, seq } = box.welcome.events;
      box.relay.send({ op: 'resume', session });
      box.relay.send(message);
      await acknowledged(box.relay, seq + 1);
      return seq + 1;
    }

    it('for a withdrawal', async () => {
      box = await connectNewBox(server);
      const guild = guildOf(box);
      const s = (await announce(box, [guild])) + 1;
      expect(await toldAgain(/^DELETE FROM \S+BoxGuild/, { op: 'withdraw', s, guild_id: guild.id })).toBe(s);
      expect(await isKnown(guild.id)).toBe(false);
      box.relay.cut();
    });

    it('for the end of the announcements', async () => {
      box = await connectNewBox(server);
      const bot = await createBot(server.app);
      const guild = guildOf(box, [bot.id]);
      await announce(box, [guild]);
      await putInstallation(server, bot, guild.id);
      const joined: unknown[] = [];
      server.app.bus.subscribe(topics.user(bot.id), ({ type }) => joined.push(type));
      box.relay.send({ op: 'begin', session: 'two' });
      box.relay.send({ op: 'announce', s: 1, guild });
      await acknowledged(box.relay, 1);
      await toldAgain(/^SELECT .* FROM \S+Installation/, { op: 'ready', s: 2 });
      expect(joined).toEqual(['GUILD_JOINED']);
      box.relay.cut();
    });
  });

  it.each([
    [
      'R-33 an id of another space',
      async () => {
        const other = await createGuild(server.app);
        return { ...guildOf(box), id: String(other.id) };
      },
    ],
    [
      "R-33 another box's guild",
      async () => {
        const other = await connectNewBox(server);
        const guild = guildOf(other);
        await announce(other, [guild]);
        other.relay.cut();
        return guild;
      },
    ],
    ['R-33 a channel of another space', async () => ({ ...guildOf(box), channels: ['1234567890123456789'] })],
  ])('%s closes 4104', async (_rule, guild) => {
    box = await connectNewBox(server);
    box.relay.send({ op: 'begin', session: 'one' });
    box.relay.send({ op: 'announce', s: 1, guild: await guild() });
    expect(await box.relay.closed).toMatchObject({ code: 4104 });
  });

  it.each([
    ['R-31 an event before begin or resume', [{ op: 'ready', s: 1 }]],
    ['R-31 resuming an unknown session', [{ op: 'resume', session: 'lost' }]],
    [
      'R-30 a number that is left out',
      [
        { op: 'begin', session: 'one' },
        { op: 'ready', s: 2 },
      ],
    ],
    [
      'R-30 a number that is repeated',
      [
        { op: 'begin', session: 'one' },
        { op: 'ready', s: 1 },
        { op: 'ready', s: 1 },
      ],
    ],
  ])('%s closes 4002', async (_rule, messages) => {
    box = await connectNewBox(server);
    for (const message of messages) box.relay.send(message);
    expect(await box.relay.closed).toMatchObject({ code: 4002 });
  });

  it('R-31 a connection continues after the last processed message, and no event is repeated or left out', async () => {
    box = await connectNewBox(server);
    const guild = guildOf(box);
    box.relay.send({ op: 'begin', session: 'mine' });
    box.relay.send({ op: 'announce', s: 1, guild });
    box.relay.send({ op: 'ready', s: 2 });
    await acknowledged(box.relay, 2);
    const told = listenTo(server, guild.id);
    for (let s = 3; s < 103; s += 1) box.relay.send({ op: 'dispatch', s, t: 'CHANNEL_PINS_UPDATE', d: pins(guild, s) });
    const again = await connectAgain(server, box);
    const { session, seq } = again.welcome.events;
    expect(session).toBe('mine');
    again.relay.send({ op: 'resume', session });
    for (let s = seq + 1; s < 103; s += 1) {
      again.relay.send({ op: 'dispatch', s, t: 'CHANNEL_PINS_UPDATE', d: pins(guild, s) });
    }
    if (seq < 102) await acknowledged(again.relay, 102);
    const times = told.rest().map(({ data }) => Date.parse(JSON.parse(data).last_pin_timestamp));
    expect(times).toEqual(Array.from({ length: 100 }, (_, index) => index + 3));
    again.relay.cut();
  });

  it('R-34 a new channel is found, and a deleted one is not, by the time of its event', async () => {
    box = await connectNewBox(server);
    const guild = guildOf(box);
    const s = await announce(box, [guild]);
    const id = String(box.nextId());
    const d = { id, guild_id: guild.id, type: 0, name: 'new', position: 5, permission_overwrites: [], parent_id: null };
    box.relay.send({ op: 'dispatch', s: s + 1, t: 'CHANNEL_CREATE', d });
    await acknowledged(box.relay, s + 1);
    expect(await routes().ofChannel(BigInt(id))).toMatchObject({ boxId: box.id });
    box.relay.send({ op: 'dispatch', s: s + 2, t: 'CHANNEL_DELETE', d });
    await acknowledged(box.relay, s + 2);
    expect(await routes().ofChannel(BigInt(id))).toBeNull();
    box.relay.cut();
  });

  it('R-34, R-35 an event of an unknown name or of another guild is left out, and the others are published', async () => {
    box = await connectNewBox(server);
    const guild = guildOf(box);
    const s = await announce(box, [guild]);
    const elsewhere = await createGuild(server.app);
    const [told, toldElsewhere] = [listenTo(server, guild.id), listenTo(server, elsewhere.id)];
    box.relay.send({ op: 'dispatch', s: s + 1, t: 'PRESENCE_UPDATE', d: { guild_id: guild.id } });
    const other = {
      guild_id: String(elsewhere.id),
      channel_id: String(elsewhere.channel.id),
      last_pin_timestamp: null,
    };
    box.relay.send({ op: 'dispatch', s: s + 2, t: 'CHANNEL_PINS_UPDATE', d: other });
    box.relay.send({ op: 'dispatch', s: s + 3, t: 'CHANNEL_PINS_UPDATE', d: pins(guild) });
    await acknowledged(box.relay, s + 3);
    expect(told.rest().map(({ type }) => type)).toEqual(['CHANNEL_PINS_UPDATE']);
    expect(toldElsewhere.rest()).toEqual([]);
    box.relay.cut();
  });

  it('R-34 an event of more than 256 KiB is left out, also if only its rendering in the cloud is that long', async () => {
    box = await connectNewBox(server);
    const bot = await createBot(server.app);
    const guild = guildOf(box, [bot.id]);
    const s = await announce(box, [guild]);
    const told = listenTo(server, guild.id);
    const ofLength = (length: number) => ({ ...pins(guild), unknown: 'x'.repeat(length) });
    const shown = Array.from({ length: 1_950 }, () => ({ user: { id: String(bot.id), username: '', bot: true } }));
    const all = [ofLength(262_144), { ...pins(guild), shown }, ofLength(261_000)];
    for (const [n, d] of all.entries()) {
      box.relay.send({ op: 'dispatch', s: s + 1 + n, t: 'CHANNEL_PINS_UPDATE', d });
    }
    await acknowledged(box.relay, s + 3);
    expect(told.rest().map(({ type, data }) => [type, data.length > 261_000])).toEqual([['CHANNEL_PINS_UPDATE', true]]);
    box.relay.cut();
  });

  function openIntake() {
    const ends: number[] = [];
    const intake = new EventsIntake({
      app: server.app,
      boxId: box.id,
      idSpace: box.welcome.id_space,
      bots: new CloudBotDirectory(server.app.db.reader, server.app.clock, server.app.applications),
      session: null,
      send() {},
      end: ({ code }) => ends.push(code),
      onBegin: async () => {},
    });
    return { intake, ends };
  }

  it('R-30 a box with more than 5,000 waiting messages closes 4003', async () => {
    box = await connectNewBox(server);
    const d = pins(guildOf(box));
    const { intake, ends } = openIntake();
    intake.take({ op: 'begin', session: 'one' }, 1);
    for (let s = 1; s <= 5_000; s += 1) intake.take({ op: 'dispatch', s, t: 'CHANNEL_PINS_UPDATE', d }, 1);
    expect(ends).toEqual([]);
    intake.take({ op: 'dispatch', s: 5_001, t: 'CHANNEL_PINS_UPDATE', d }, 1);
    expect(ends).toEqual([4003]);
    await intake.stop();
    box.relay.cut();
  });

  it('R-30 a box with more than 4 MiB of waiting messages closes 4003, however few these are', async () => {
    box = await connectNewBox(server);
    const { intake, ends } = openIntake();
    const mib = 1024 * 1024;
    // The first message is processed immediately and does not wait.
    intake.take({ op: 'begin', session: 'one' }, 1);
    for (let s = 1; s <= 4; s += 1) intake.take({ op: 'ready', s }, mib);
    expect(ends).toEqual([]);
    intake.take({ op: 'ready', s: 5 }, 1);
    expect(ends).toEqual([4003]);
    await intake.stop();
    box.relay.cut();
  });

  it('R-30 the size of waiting messages is their size on the wire', async () => {
    box = await connectNewBox(server);
    const bot = await createBot(server.app);
    const guild = guildOf(box, [bot.id]);
    const s = await announce(box, [guild]);
    await putInstallation(server, bot, guild.id);
    box.relay.send({ op: 'dispatch', s: s + 1, t: 'GUILD_MEMBER_REMOVE', d: removalOf(bot, guild) });
    // Later messages wait for the answer, which never comes.
    expect(await box.relay.next('call')).toMatchObject({ name: 'member' });
    const unknown = 'x'.repeat(1_000_000);
    for (let n = 2; n < 7; n += 1) box.relay.send({ op: 'ready', s: s + n, unknown });
    expect(await box.relay.closed).toMatchObject({ code: 4003 });
  });

  it('R-10, R-16 a question over a dead connection delays the next connection of the box no longer than its own wait', async () => {
    const own = await startServer({ clock: new ManualClock() });
    try {
      const first = await connectNewBox(own);
      const bot = await createBot(own.app);
      const guild = guildOf(first, [bot.id]);
      const s = await announce(first, [guild]);
      await putInstallation(own, bot, guild.id);
      first.relay.send({ op: 'dispatch', s: s + 1, t: 'GUILD_MEMBER_REMOVE', d: removalOf(bot, guild) });
      // The answer never comes, and the clock stands still.
      await first.relay.next('call');
      const again = await connectAgain(own, first);
      expect(again.welcome).toMatchObject({ generation: 2 });
      expect(await own.app.db.reader.installation.count({ where: { guildId: BigInt(guild.id) } })).toBe(1);
      again.relay.cut();
    } finally {
      await own.stop();
    }
  });

  it('a bot that is kicked on the box loses its installation', async () => {
    box = await connectNewBox(server);
    const bot = await createBot(server.app);
    const guild = guildOf(box, [bot.id]);
    const s = await announce(box, [guild]);
    await putInstallation(server, bot, guild.id);
    box.relay.send({ op: 'dispatch', s: s + 1, t: 'GUILD_MEMBER_REMOVE', d: removalOf(bot, guild) });
    expect(await box.relay.answer(null)).toMatchObject({ name: 'member' });
    await acknowledged(box.relay, s + 1);
    expect(await server.app.db.reader.installation.count({ where: { guildId: BigInt(guild.id) } })).toBe(0);
    box.relay.cut();
  });
});

function removalOf({ id, user: { username } }: TestBot, guild: { id: string }) {
  return { guild_id: guild.id, user: { id: String(id), username, discriminator: '0', avatar: null, bot: true } };
}

/** @param at time of the last pin, in milliseconds since the Unix epoch */
function pins(guild: { id: string; channels: string[] }, at = 0) {
  return { guild_id: guild.id, channel_id: guild.channels[0], last_pin_timestamp: new Date(at).toISOString() };
}
