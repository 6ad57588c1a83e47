import { afterEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/infra/clock.js';
import { snowflakeTime } from '../../../src/infra/ids/ids.js';
import { GatewayClient } from '../../harness/gateway-client.js';
import { type Lossy, startLossy } from '../../harness/lossy.js';
import { sendMessage } from '../../harness/people.js';
import { until } from '../../harness/until.js';

const HOUR_MS = 3_600_000;

const offBy = (ms: number): Clock => ({
  now: () => systemClock.now() + ms,
  after: (delay, task) => systemClock.after(delay, task),
});

let all: Lossy;
afterEach(() => all.stop());

describe.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])("R-5: a box whose clock is an hour %s of the cloud's", (_which, ms) => {
  it('gets requests, runs them within their budget, and continues after a lost connection, with its own times and ids', async () => {
    all = await startLossy({ box: { clock: offBy(ms) } });
    const client = await GatewayClient.open(all.cloud.origin);
    await client.ready(all.bot.botToken);
    const { status, body } = await all.post('by the clock');
    expect(status).toBe(200);
    const isAboutNow = (time: number) => Math.abs(time - ms - Date.now()) < HOUR_MS / 2;
    expect(isAboutNow(Date.parse(body.timestamp))).toBe(true);
    expect(isAboutNow(snowflakeTime(BigInt(body.id)))).toBe(true);
    expect((await client.event('MESSAGE_CREATE')).d).toMatchObject({ id: body.id, timestamp: body.timestamp });
    const { connections } = all.line;
    all.line.cut();
    await sendMessage(all.keeper, all.guild.textChannelId, 'while it was lost');
    await until(() => all.line.connections > connections);
    expect((await client.event('MESSAGE_CREATE')).d.content).toBe('while it was lost');
    expect(client.frames.filter(({ t }) => t === 'GUILD_DELETE')).toEqual([]);
    const { body: listed } = await all.ask('GET', `/channels/${all.guild.textChannelId}/messages?after=${body.id}`);
    expect(listed.map(({ content }: { content: string }) => content)).toEqual(['while it was lost']);
    const messages = (await all.ask('GET', `/channels/${all.guild.textChannelId}/messages`)).body;
    const ids = messages.slice(0, 2).map(({ id }: { id: string }) => id);
    const path = `/channels/${all.guild.textChannelId}/messages/bulk-delete`;
    expect(await all.ask('POST', path, { messages: ids })).toMatchObject({ status: 204 });
    await client.close();
  });
});
