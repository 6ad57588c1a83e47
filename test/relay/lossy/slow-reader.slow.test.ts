import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../harness/clock.js';
import { announce, connectNewBox, guildOf, type HandBox, putInstallation } from '../../harness/hand-box.js';
import { openRelay } from '../../harness/raw-relay.js';
import { formOf, RestBot } from '../../harness/rest.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { until } from '../../harness/until.js';
import { createBot } from '../../harness/world.js';

const MIB = 1024 * 1024;

let server: TestServer;
let clock: ManualClock;
let bot: RestBot;
beforeAll(async () => {
  clock = new ManualClock();
  server = await startServer({ clock });
  bot = new RestBot(server, await createBot(server.app));
});
afterAll(() => server.stop());

async function connectWithGuild(): Promise<{ box: HandBox; guildId: string; channelId: string }> {
  const box = await connectNewBox(server);
  const guild = guildOf(box, [bot.id]);
  await announce(box, [guild]);
  await putInstallation(server, bot.bot, guild.id);
  return { box, guildId: guild.id, channelId: guild.channels[0] ?? '' };
}

describe('a box that does not read', () => {
  it('R-6: closes 4003 when 16 MiB wait for it, has nothing more buffered, and other boxes are served in the meantime', async () => {
    const { box: slow } = await connectWithGuild();
    const { box: other, guildId } = await connectWithGuild();
    slow.relay.socket.pause();
    // The answer repeats this text with six times as many bytes as in the request.
    const op = '\u0001'.repeat(200);
    const [asked, answered] = [40_000, 1_220];
    for (let n = 0; n < asked; n += 1) slow.relay.send({ op });
    const heard = bot.get(`/guilds/${guildId}`);
    await other.relay.answer({ message: 'Missing Access', code: 50001 }, 403);
    expect((await heard).status).toBe(403);
    await until(() => slow.relay.socket.bufferedAmount === 0);
    const before = slow.relay.messages.length;
    const closing = slow.relay.closed;
    slow.relay.socket.resume();
    expect(await closing).toMatchObject({ code: 4003 });
    const got = slow.relay.messages.length - before;
    // Buffers of the process and of the operating system.
    expect(got * answered).toBeLessThan(16 * MIB + 16 * MIB);
    expect(got).toBeLessThan(asked);
    other.relay.cut();
  });

  it('R-22: gets only its credit of each body, and other requests are 504', async () => {
    const { box, channelId } = await connectWithGuild();
    const files = [0, 1, 2].map((n) => ({
      name: `files[${n}]`,
      content: new Uint8Array(5 * MIB),
      filename: `${n}.bin`,
    }));
    const asked = bot.ask('POST', `/channels/${channelId}/messages`, { form: formOf({ content: 'large' }, ...files) });
    const { id, body } = await box.relay.next('request');
    expect(body).toBeGreaterThan(15 * MIB);
    for (let left = 512 * 1024; left > 0; ) left -= (await box.relay.nextPiece(id)).length;
    clock.advance(12_000);
    expect(await asked).toMatchObject({ status: 504 });
    expect(await box.relay.next('cancel')).toMatchObject({ id });
    await expect(Promise.race([box.relay.nextPiece(id), pong(box)])).resolves.toBe('pong');
    box.relay.cut();
  });
});

/** Earlier messages have arrived by then. */
async function pong({ relay }: HandBox): Promise<string> {
  relay.send({ op: 'ping', t: 1 });
  await relay.next('pong');
  return 'pong';
}

describe('a box that sends faster than the cloud processes', () => {
  it('R-30: closes 4003 if more than 5,000 events wait, and the next connection works', async () => {
    const { box } = await connectWithGuild();
    const { session } = { session: 'again' };
    box.relay.send({ op: 'begin', session });
    for (let s = 1; s <= 20_000; s += 1) box.relay.send({ op: 'withdraw', s, guild_id: '1' });
    expect(await box.relay.closed).toMatchObject({ code: 4003 });
    const relay = await openRelay(server.origin);
    relay.send({ op: 'ping', t: 1 });
    await relay.next('pong');
    relay.cut();
  });
});
