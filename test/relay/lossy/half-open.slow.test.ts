import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../harness/clock.js';
import { GatewayClient } from '../../harness/gateway-client.js';
import { type Lossy, startLossy } from '../../harness/lossy.js';
import { sendMessage } from '../../harness/people.js';
import { statusOf } from '../../harness/self-hosted.js';
import { until } from '../../harness/until.js';

let all: Lossy;
let clocks: { cloud: ManualClock; box: ManualClock };
let client: GatewayClient;

beforeEach(async () => {
  clocks = { cloud: new ManualClock(), box: new ManualClock() };
  all = await startLossy({ cloud: { clock: clocks.cloud }, box: { clock: clocks.box } });
  client = await GatewayClient.open(all.cloud.origin);
  await client.ready(all.bot.botToken);
});
afterEach(async () => {
  await client.close();
  await all.stop();
});

const isConnected = async () => (await statusOf(all.owner, all.boxId)) === 'CONNECTED';
const isLostByBox = () => all.box.app.degraded().includes('cloud');

/** The box notices and connects again over the repaired connection. */
async function redial(): Promise<void> {
  clocks.box.advance(15_000);
  clocks.box.advance(15_000);
  await until(isLostByBox);
  clocks.box.advance(0);
  await until(() => !isLostByBox());
}

describe('a connection that is open at both ends and carries nothing (R-4)', () => {
  it('answers 504, is noticed by the cloud after 30 s, and its servers are unavailable for bots until it is back', async () => {
    all.line.swallow();
    const sent = all.line.nextBytes('down');
    const asked = all.post('into the void');
    await sent;
    clocks.cloud.advance(12_000);
    expect(await asked).toMatchObject({ status: 504 });
    // The first check sees that data arrived, the second sends a ping, and the third gives up.
    for (const ms of [3_000, 15_000, 15_000]) clocks.cloud.advance(ms);
    await until(async () => !(await isConnected()));
    expect(await all.post('nobody there')).toMatchObject({ status: 503 });
    clocks.cloud.advance(3_000);
    expect((await client.event('GUILD_DELETE')).d).toMatchObject({ id: all.guild.id, unavailable: true });
    await redial();
    expect((await client.event('GUILD_CREATE')).d).toMatchObject({ id: all.guild.id });
    expect(await all.post('into the void')).toMatchObject({ status: 200 });
    expect(await all.count('into the void')).toBe(1);
  });

  it('is noticed by the box only: it connects again, and events since are published once (R-16, R-31)', async () => {
    all.line.swallow();
    for (const content of ['a', 'b', 'c']) await sendMessage(all.keeper, all.guild.textChannelId, content);
    await redial();
    for (const content of ['a', 'b', 'c']) expect((await client.event('MESSAGE_CREATE')).d.content).toBe(content);
    await all.post('after');
    const heard = client.frames.filter(({ t }) => t === 'MESSAGE_CREATE' || t === 'GUILD_DELETE');
    expect((await client.event('MESSAGE_CREATE')).d.content).toBe('after');
    expect(heard.length).toBeLessThanOrEqual(4);
  });
});
