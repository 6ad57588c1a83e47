import { createFilledGuilds, type FilledGuild } from '../large-world.js';
import { Load, type RequestSpec } from '../load.js';
import { type MeasuredServer, startBareRequests, startPlatform } from '../processes.js';
import { type Row, rowOf } from '../report.js';
import { type Contestant, compare, ROUNDS } from '../rounds.js';

const CALLERS = 4;
const WORKS_PER_ROUND = 80;
const AIM = '≥ 0.6';

type Ask = (method: RequestSpec['method'], path: string, body?: object) => Promise<string>;

type Work = (guild: FilledGuild, ask: Ask) => () => Promise<unknown>;

/**
 * Makes and deletes a channel: permissions, position, row, audit entry, events and response. A job removes its
 * contents. The baseline writes row and entry in one transaction each.
 */
export function createChannel(): Promise<Row[]> {
  return measure('create and delete a channel', 'pairs/s', ({ guildId }, ask) => async () => {
    const { id } = JSON.parse(await ask('POST', `/guilds/${guildId}/channels`, { name: 'tide' }));
    await ask('DELETE', `/channels/${id}`);
  });
}

const DELETED_AT_ONCE = 100;

/**
 * Deletes 100 messages together: visibility, rows, audit entry and event. The baseline deletes the rows and inserts the
 * entry in one transaction.
 */
export function bulkDelete(): Promise<Row[]> {
  return measure('delete 100 messages at once', 'times/s', ({ channelId, firstMessageId, messageStep }, ask) => {
    let next = firstMessageId;
    return () => {
      const messages = Array.from({ length: DELETED_AT_ONCE }, (_, n) => String(next + messageStep * BigInt(n)));
      next += messageStep * BigInt(DELETED_AT_ONCE);
      return ask('POST', `/channels/${channelId}/messages/bulk-delete`, { messages });
    };
  });
}

/** One additional round warms up. */
const MESSAGES = DELETED_AT_ONCE * WORKS_PER_ROUND * (ROUNDS + 1);

async function measure(name: string, unit: string, work: Work): Promise<Row[]> {
  const size = { members: 100, channels: 20, roles: 10, messages: MESSAGES };
  const { dataDir, guilds } = await createFilledGuilds({ measured: size });
  const platform = await startPlatform(dataDir);
  const bare = await startBareRequests(dataDir);
  const load = new Load(CALLERS);
  const contestant = (server: MeasuredServer, base: string): Contestant => {
    const { botToken } = guilds.measured;
    const headers = { 'content-type': 'application/json', authorization: `Bot ${botToken}` };
    const bodiless = { authorization: `Bot ${botToken}` };
    const doOnce = work(guilds.measured, (method, path, body) => {
      const said = body ? { headers, body: JSON.stringify(body) } : { headers: bodiless };
      return load.once({ method, url: `${base}${path}`, ...said });
    });
    return {
      server,
      async round() {
        const start = performance.now();
        await load.warmUpWith(doOnce, WORKS_PER_ROUND);
        const rate = (WORKS_PER_ROUND * 1_000) / (performance.now() - start);
        return { operations: WORKS_PER_ROUND, rates: [rate] };
      },
    };
  };
  try {
    const ours = contestant(platform, `${platform.origin}/api/v10`);
    const comparisons = await compare(ours, contestant(bare, bare.origin), ROUNDS);
    return comparisons.map((comparison) => rowOf(`${name}, ${CALLERS} callers`, unit, AIM, comparison));
  } finally {
    load.close();
    await Promise.all([platform.stop(), bare.stop()]);
  }
}
