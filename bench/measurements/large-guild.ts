import { GatewayIntentBits } from 'discord-api-types/v10';
import { startGatewayClients } from '../gateway-clients/index.js';
import { createFilledGuilds, type FilledGuild } from '../large-world.js';
import { Load, type RequestSpec } from '../load.js';
import { type MeasuredServer, startPlatform } from '../processes.js';
import { type Row, rowOf } from '../report.js';
import { type Contestant, compare, ROUNDS } from '../rounds.js';

const LARGE = { members: 20_000, channels: 500, roles: 250, messages: 1_000_000 };
const SMALL = { members: 200, channels: 10, roles: 10, messages: 200 };
const CALLERS = 4;
const SECONDS_PER_ROUND = 0.5;
const WARM_UP = 100;

const ALL_INTENTS = Object.values(GatewayIntentBits)
  .filter((bit) => typeof bit === 'number')
  .reduce((sum, bit) => sum | bit, 0);

type Work = () => Promise<unknown>;

class Asker {
  constructor(
    readonly guild: FilledGuild,
    private readonly server: MeasuredServer,
    private readonly load: Load,
  ) {}

  async ask(method: RequestSpec['method'], path: string, body?: object): Promise<string> {
    const headers = { authorization: `Bot ${this.guild.botToken}`, 'content-type': 'application/json' };
    const url = `${this.server.origin}/api/v10${path}`;
    return this.load.once({ method, url, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  ofGuild(path: string): Promise<string> {
    return this.ask('GET', `/guilds/${this.guild.guildId}${path}`);
  }

  messages(query: string): Promise<string> {
    return this.ask('GET', `/channels/${this.guild.channelId}/messages?limit=50${query}`);
  }

  /** The id of the message at a position from the first (0) to the last (1). */
  messageAt(place: number): bigint {
    const { firstMessageId, messageStep, messages } = this.guild;
    return firstMessageId + messageStep * BigInt(Math.floor(place * (messages - 1)));
  }
}

/** Each is a page of the same length in both guilds, unless its name says otherwise. */
const ROUTES: Record<string, (asker: Asker) => Work> = {
  'a channel': (one) => () => one.ask('GET', `/channels/${one.guild.channelId}`),
  'the server with its counts': (one) => () => one.ofGuild('?with_counts=true'),
  'all channels': (one) => () => one.ofGuild('/channels'),
  'page of 100 members': (one) => () => one.ofGuild('/members?limit=100'),
  'search that finds ten members': (one) => () => one.ofGuild(`/members/search?query=${one.guild.usernames}1&limit=10`),
  'search that finds no member': (one) => () => one.ofGuild('/members/search?query=nobody&limit=10'),
  'one member': (one) => () => one.ofGuild(`/members/${one.guild.personId}`),
  'newest 50 messages': (one) => () => one.messages(''),
  '50 messages around the middle': (one) => () => one.messages(`&around=${one.messageAt(0.5)}`),
  'oldest 50 messages': (one) => () => one.messages('&after=0'),
  'page of the audit log': (one) => () => one.ofGuild('/audit-logs?limit=50'),
  'send a message': (one) => () => one.ask('POST', `/channels/${one.guild.channelId}/messages`, { content: 'noon' }),
  'create and delete a channel': (one) => async () => {
    const { id } = JSON.parse(await one.ask('POST', `/guilds/${one.guild.guildId}/channels`, { name: 'tide' }));
    await one.ask('DELETE', `/channels/${id}`);
  },
};

/**
 * The same requests in a large guild and in a small one on the same server. The baseline is the small guild, so the
 * ratio shows the cost of size.
 */
export async function largeGuild(): Promise<Row[]> {
  const room = { ...LARGE, channels: LARGE.channels - CALLERS };
  const { dataDir, guilds } = await createFilledGuilds({ large: room, small: SMALL });
  const server = await startPlatform(dataDir);
  const load = new Load(CALLERS);
  const rows: Row[] = [];
  try {
    for (const [name, route] of Object.entries(ROUTES)) {
      const contestant = (guild: FilledGuild) => repeated(server, load, route(new Asker(guild, server, load)));
      const [large, small] = [await contestant(guilds.large), await contestant(guilds.small)];
      rows.push(...rowsOf(name, 'requests/s', await compare(large, small, ROUNDS)));
    }
    rows.push(...(await introductions(server, guilds)));
    return rows;
  } finally {
    load.close();
    await server.stop();
  }
}

function rowsOf(name: string, unit: string, comparisons: Awaited<ReturnType<typeof compare>>): Row[] {
  return comparisons.map((comparison) => {
    const row = rowOf(`large server: ${name}`, unit, '', comparison);
    console.log(`${name}: ${row.ratio?.median.toFixed(2)}, by CPU time ${row.cpuRatio?.median.toFixed(2)}`);
    return row;
  });
}

async function repeated(server: MeasuredServer, load: Load, work: Work): Promise<Contestant> {
  await load.warmUpWith(work, WARM_UP);
  return {
    server,
    async round() {
      const { answered, rate } = await load.repeat(work, SECONDS_PER_ROUND);
      return { operations: answered, rates: [rate] };
    },
  };
}

const SESSIONS_PER_ROUND = 5;

/** From IDENTIFY with all intents to GUILD_CREATE, after a change that invalidates its cache. */
async function introductions(
  server: MeasuredServer,
  guilds: { large: FilledGuild; small: FilledGuild },
): Promise<Row[]> {
  const clients = startGatewayClients();
  const load = new Load(1);
  const url = `${server.origin}/gateway?v=10&encoding=json`;
  let nicks = 0;
  const introduced = async (asker: Asker) => {
    nicks += 1;
    await asker.ask('PATCH', `/guilds/${asker.guild.guildId}/members/@me`, { nick: `nick ${nicks}` });
    const properties = { os: 'linux', browser: 'bench', device: 'bench' };
    const identify = { op: 2, d: { token: asker.guild.botToken, intents: ALL_INTENTS, properties } };
    await clients.run({ task: 'identify', url, identifies: [JSON.stringify(identify)] });
    await clients.run({ task: 'close' });
  };
  const contestant = (guild: FilledGuild): Contestant => ({
    server,
    async round() {
      const start = performance.now();
      for (let count = 0; count < SESSIONS_PER_ROUND; count += 1) await introduced(new Asker(guild, server, load));
      const rate = (SESSIONS_PER_ROUND * 1_000) / (performance.now() - start);
      return { operations: SESSIONS_PER_ROUND, rates: [rate] };
    },
  });
  const comparisons = await compare(contestant(guilds.large), contestant(guilds.small), ROUNDS);
  load.close();
  await clients.stop();
  return rowsOf('IDENTIFY to GUILD_CREATE, after a change', 'sessions/s', comparisons);
}
