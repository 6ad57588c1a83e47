import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import nacl from 'tweetnacl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announce, connectAgain, connectNewBox, guildOf, putInstallation } from '../../harness/hand-box.js';
import { greet, type RawRelay } from '../../harness/raw-relay.js';
import { RestBot } from '../../harness/rest.js';
import { type SelfHosted, startSelfHosted } from '../../harness/self-hosted.js';
import { createBot } from '../../harness/world.js';

let all: SelfHosted;
beforeAll(async () => {
  all = await startSelfHosted();
});
afterAll(() => all.stop());

describe('R-16: several connections with one key', () => {
  it('that come at once: the newest serves, and all others close 4103', async () => {
    const { keys, relay: first } = await connectNewBox(all.cloud);
    const opened = await Promise.allSettled(Array.from({ length: 8 }, () => greet(all.cloud.origin, { keys })));
    const greeted = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const generations = greeted.map(({ welcome }) => welcome.generation);
    expect(new Set(generations).size).toBe(generations.length);
    const newest = greeted.find(({ welcome }) => welcome.generation === Math.max(...generations));
    const others = [first, ...greeted.filter((one) => one !== newest).map(({ relay }) => relay)];
    for (const relay of others) expect((await relay.closed).code).toBe(4103);
    newest?.relay.send({ op: 'ping', t: 7 });
    expect(await newest?.relay.next('pong')).toMatchObject({ t: 7 });
    newest?.relay.cut();
  });

  it('never serve together: a request while one follows the other goes to one of them', async () => {
    const box = await connectNewBox(all.cloud);
    const bot = new RestBot(all.cloud, await createBot(all.cloud.app));
    const guild = guildOf(box, [bot.id]);
    await announce(box, [guild]);
    await putInstallation(all.cloud, bot.bot, guild.id);
    const keysAt = new Map<RawRelay, string[]>();
    const serve = (relay: RawRelay) => {
      const seen: string[] = [];
      keysAt.set(relay, seen);
      relay.socket.on('message', (data: Buffer, isBinary) => {
        const message = isBinary ? null : JSON.parse(String(data));
        if (message?.op !== 'request') return;
        seen.push(message.key);
        relay.send({ op: 'response', id: message.id, status: 204, headers: {}, body: 0 });
      });
    };
    serve(box.relay);
    const type = () => bot.post(`/channels/${guild.channels[0]}/typing`, {});
    const asked = Array.from({ length: 10 }, type);
    const next = await connectAgain(all.cloud, box);
    serve(next.relay);
    next.relay.send({ op: 'resume', session: next.welcome.events.session });
    const after = Array.from({ length: 10 }, type);
    for (const { status } of await Promise.all([...asked, ...after])) expect([204, 504]).toContain(status);
    await box.relay.closed;
    const [old = [], fresh = []] = keysAt.values();
    const { length } = old;
    expect(await type()).toMatchObject({ status: 204 });
    expect([old.length, fresh.length > 0]).toEqual([length, true]);
    next.relay.cut();
  });

  it('share one repetition over the newest connection of a write that several callers wait for', async () => {
    const box = await connectNewBox(all.cloud);
    const bot = new RestBot(all.cloud, await createBot(all.cloud.app));
    const guild = guildOf(box, [bot.id]);
    await announce(box, [guild]);
    await putInstallation(all.cloud, bot.bot, guild.id);
    const asked = Array.from({ length: 3 }, () => bot.post(`/channels/${guild.channels[0]}/typing`, {}));
    const { key } = await box.relay.next('request');
    // Sent after all of them.
    const read = bot.get(`/guilds/${guild.id}`);
    await box.relay.next('request');
    const next = await connectAgain(all.cloud, box);
    const again = await next.relay.next('request');
    expect(again.key).toBe(key);
    next.relay.send({ op: 'response', id: again.id, status: 204, headers: {}, body: 0 });
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 204, 504]);
    expect(await read).toMatchObject({ status: 504 });
    next.relay.cut();
  });

  it('ignore an answer over the earlier one', async () => {
    const box = await connectNewBox(all.cloud);
    const bot = new RestBot(all.cloud, await createBot(all.cloud.app));
    const guild = guildOf(box, [bot.id]);
    await announce(box, [guild]);
    await putInstallation(all.cloud, bot.bot, guild.id);
    const asked = bot.get(`/guilds/${guild.id}`);
    const { id } = await box.relay.next('request');
    // The frozen box answers too late.
    box.relay.socket.pause();
    const next = await connectAgain(all.cloud, box);
    box.relay.send({ op: 'response', id, status: 200, headers: {}, body: 0 });
    box.relay.socket.resume();
    expect((await box.relay.closed).code).toBe(4103);
    expect(await asked).toMatchObject({ status: 504 });
    next.relay.cut();
  });

  it('from a copy of its folder: the box stops and logs that another one runs', async () => {
    const { privateKey } = JSON.parse(await readFile(join(all.box.dataDir, 'box.json'), 'utf8'));
    const keys = nacl.sign.keyPair.fromSeed(Buffer.from(privateKey, 'hex'));
    const copy = await greet(all.cloud.origin, { keys });
    expect((await all.box.refused).message).toMatch(/another box is running with a copy of this data folder/);
    copy.relay.send({ op: 'ping', t: 1 });
    await copy.relay.next('pong');
    copy.relay.cut();
  });
});
