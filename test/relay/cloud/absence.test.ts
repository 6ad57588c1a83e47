import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Heard } from '../../../src/domain/bus-message.js';
import { topics } from '../../../src/infra/streams/topics.js';
import { endConnectionsOf } from '../../../src/relay/cloud/connections/process-end.js';
import { ManualClock } from '../../harness/clock.js';
import {
  type Announced,
  announce,
  connectAgain,
  connectNewBox,
  guildOf,
  type HandBox,
  putInstallation,
} from '../../harness/hand-box.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { createBot, type TestBot } from '../../harness/world.js';

describe('a box that is away (docs/relay.md, R-42)', () => {
  let server: TestServer;
  let clock: ManualClock;
  let box: HandBox;
  let bot: TestBot;
  let guild: Announced;
  let told: string[];
  let wake: () => void;

  beforeEach(async () => {
    clock = new ManualClock();
    server = await startServer({ clock });
    box = await connectNewBox(server);
    bot = await createBot(server.app);
    guild = guildOf(box, [bot.id]);
    await announce(box, [guild]);
    await putInstallation(server, bot, guild.id);
    told = [];
    wake = () => {};
    const note = (message: Heard) => {
      if (message.type !== 'GUILD_DELETE' && message.type !== 'GUILD_JOINED') return;
      told.push(message.type);
      wake();
    };
    server.app.bus.subscribe(topics.guild(guild.id), note);
    server.app.bus.subscribe(topics.user(bot.id), note);
  });
  afterEach(() => server.stop());

  const isAway = async () =>
    (await server.app.db.reader.box.findUniqueOrThrow({ where: { id: box.id } })).holderId === null;

  async function lose({ relay }: HandBox): Promise<void> {
    const noticed = new Promise<void>((resolve) => {
      server.app.bus.subscribe(topics.box(box.id), async () => void ((await isAway()) && resolve()));
    });
    relay.cut();
    await noticed;
  }

  async function untilTold(...types: string[]): Promise<void> {
    while (told.length < types.length) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    expect(told).toEqual(types);
  }

  it('is reported to bots after 3 s, and its guilds are shown again once it is back', async () => {
    await lose(box);
    clock.advance(2_999);
    expect(told).toEqual([]);
    clock.advance(1);
    await untilTold('GUILD_DELETE');
    const again = await connectAgain(server, box);
    expect(again.welcome.events).toBeNull();
    await announce(again, [guild]);
    await untilTold('GUILD_DELETE', 'GUILD_DELETE', 'GUILD_JOINED');
  });

  it('affects only bots that got its guilds as unavailable, if it is resumed within that time', async () => {
    await lose(box);
    clock.advance(2_000);
    const again = await connectAgain(server, box);
    again.relay.send({ op: 'resume', session: again.welcome.events.session });
    again.relay.send({ op: 'ready', s: again.welcome.events.seq + 1 });
    await again.relay.next('ack');
    clock.advance(9_000);
    // Sessions that have the guild get no event for that.
    expect(told).toEqual(['GUILD_JOINED']);
  });

  it('R-31 removes its guilds from bots with begin, and shows them after ready', async () => {
    await announce({ relay: box.relay }, [guild]);
    await untilTold('GUILD_DELETE', 'GUILD_JOINED');
  });

  it('is closed with 4005 if it sends nothing after its welcome, and its absence is published', async () => {
    await lose(box);
    const again = await connectAgain(server, box);
    clock.advance(10_000);
    expect(await again.relay.closed).toMatchObject({ code: 4005 });
    while (!(await isAway())) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(3_000);
    await untilTold('GUILD_DELETE');
  });

  it('is away, with its guilds unavailable, after its process ended, which is published once', async () => {
    const processId = randomUUID();
    await lose(box);
    await server.app.db.writer.box.update({ where: { id: box.id }, data: { holderId: processId } });
    await Promise.all([endConnectionsOf(server.app, processId), endConnectionsOf(server.app, processId)]);
    await untilTold('GUILD_DELETE');
    expect(await isAway()).toBe(true);
  });
});
