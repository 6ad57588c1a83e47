import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ActivityType, Client, Events, GatewayIntentBits, Options, Partials } from 'discord.js';
import { OverwriteType } from 'discord-api-types/v10';
import { installApplication } from '../../../src/domain/installations/index.js';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import type { OpenSocket } from '../../harness/live.js';
import { createGuild, invite, type MadeGuild, type Person, signUp } from '../../harness/people.js';
import { REDIS_URL } from '../../harness/redis.js';
import { RestBot } from '../../harness/rest.js';
import { migratedDatabase, startServer, type TestServer } from '../../harness/server.js';
import { callOf, createBot, userOf } from '../../harness/world.js';
import { Dispatches } from './dispatches.js';

export interface ClientBot {
  name: string;
  rest: RestBot;
  client: Client<true>;
  dispatches: Dispatches;
  /** Number of presence updates. The server delays updates beyond a limit. */
  statements: number;
  resumed: Promise<unknown>;
}

export interface Cast {
  /** The first process. */
  server: TestServer;
  /** Two, or the only one twice. */
  processes: readonly [TestServer, TestServer];
  guild: MadeGuild;
  owner: Person;
  /** All users except the owner. Their memberships change. */
  people: Person[];
  sockets: Map<Person, OpenSocket[]>;
  /** Has every permission and is never disconnected. */
  administrator: ClientBot;
  /** Has every permission, and its connection breaks from time to time. */
  roamer: ClientBot;
  /** Has limited permissions. */
  watcher: ClientBot;
  worker: RestBot;
  /** A channel that the watcher always sees. Its overwrites stay as they are. */
  steadyId: string;
  /** A channel that the watcher never sees. */
  secretId: string;
  stop(): Promise<void>;
}

const PEOPLE = ['grace', 'alan', 'edsger', 'barbara', 'donald', 'frances', 'john'];

/** Number of {@link PEOPLE} that are members from the beginning. */
const FIRST_MEMBERS = 4;

/**
 * With two processes, each request goes to the other process than the one before. The administrator is connected to the
 * first, the other clients to the second.
 */
export async function openCast(processCount: 1 | 2 = 1): Promise<Cast> {
  const { processes, stopProcesses } = await startProcesses(processCount);
  const [server, last] = processes;
  const any = inTurn(processes);
  const owner = await signUp(any, 'ada');
  const guild = await createGuild(owner, 'Harbour');
  const people = await Promise.all(PEOPLE.map((name) => signUp(any, name)));
  for (const person of people.slice(0, FIRST_MEMBERS)) await invite(owner, guild, person);
  const names = ['administrator', 'roamer', 'watcher', 'worker'] as const;
  const [administrator, roamer, watcher, worker] = await Promise.all([
    addBot(any, owner, guild, names[0], ALL_PERMISSIONS),
    addBot(any, owner, guild, names[1], ALL_PERMISSIONS),
    addBot(any, owner, guild, names[2], 0n),
    addBot(any, owner, guild, names[3], ALL_PERMISSIONS & ~Permission.Administrator),
  ]);
  const { steadyId, secretId } = await channelsFor(administrator, watcher, guild);
  // Clients know only the invites that were created after their login.
  await server.app.db.writer.invite.deleteMany({});
  const clients = await Promise.all([
    openClient(server, 'administrator', administrator),
    openClient(last, 'roamer', roamer),
    openClient(last, 'watcher', watcher),
  ]);
  const sockets = new Map<Person, OpenSocket[]>();
  return {
    ...{ server, processes, guild, owner, people, sockets, worker, steadyId, secretId },
    ...{ administrator: clients[0], roamer: clients[1], watcher: clients[2] },
    async stop() {
      for (const open of sockets.values()) for (const socket of open) await socket.close();
      for (const { client } of clients) await client.destroy();
      await stopProcesses();
    },
  };
}

async function startProcesses(count: 1 | 2) {
  if (count === 1) {
    const server = await startServer({ jobs: true });
    return { processes: [server, server] as const, stopProcesses: () => server.stop() };
  }
  const database = await migratedDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-caches-'));
  const env = { DATABASE_URL: database?.url ?? '', REDIS_URL, DATA_DIR: dataDir };
  const processes = [await startServer({ jobs: true, env }), await startServer({ jobs: true, env })] as const;
  return {
    processes,
    async stopProcesses() {
      await Promise.all(processes.map((process) => process.stop()));
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Has the origin of the next process each time. */
function inTurn([first, second]: readonly [TestServer, TestServer]): Pick<TestServer, 'app' | 'origin'> {
  let reads = 0;
  return {
    app: first.app,
    get origin() {
      reads += 1;
      return (reads % 2 ? first : second).origin;
    },
  };
}

async function addBot(
  server: Pick<TestServer, 'app' | 'origin'>,
  owner: Person,
  guild: MadeGuild,
  name: string,
  permissions: bigint,
): Promise<RestBot> {
  const { app } = server;
  const user = await userOf(app, owner);
  const bot = await createBot(app, { owner: user, name });
  const guildId = BigInt(guild.id);
  await installApplication(callOf(app, user), { applicationId: bot.id, guildId, scopes: ['bot'], permissions });
  return new RestBot(server, bot);
}

async function channelsFor(administrator: RestBot, watcher: RestBot, guild: MadeGuild) {
  const make = async (name: string, bits: object) => {
    const overwrite = { id: watcher.id, type: OverwriteType.Member, ...bits };
    const { status, body } = await administrator.post(`/guilds/${guild.id}/channels`, {
      name,
      permission_overwrites: [overwrite],
    });
    if (status !== 201) throw new Error(`making ${name} was answered ${status}: ${JSON.stringify(body)}`);
    return body.id as string;
  };
  const view = String(Permission.ViewChannel);
  return { steadyId: await make('steady', { allow: view }), secretId: await make('secret', { deny: view }) };
}

/** Logs in a stock client with all intents that caches every message. */
export async function openClient(server: TestServer, name: string, rest: RestBot): Promise<ClientBot> {
  const client: Client<true> = new Client({
    intents: Object.values(GatewayIntentBits).filter((bit) => typeof bit === 'number'),
    partials: [Partials.Channel],
    rest: { api: `${server.origin}/api`, retries: 0 },
    makeCache: Options.cacheWithLimits({ ...Options.DefaultMakeCacheSettings, MessageManager: 2_000 }),
  });
  const dispatches = new Dispatches(client);
  const ready = once(client, Events.ClientReady);
  await client.login(rest.bot.token);
  await ready;
  return { name, rest, client, dispatches, statements: 0, resumed: Promise.resolve() };
}

/** Breaks a client's connection without a close, so that the library resumes. */
export function breakConnection(bot: ClientBot): void {
  const { client, dispatches } = bot;
  bot.resumed = dispatches.find(({ type }) => type === 'RESUMED', dispatches.all.length);
  // `resumed` reports the failure to its awaiter.
  bot.resumed.catch(() => {});
  const shards = Reflect.get(Reflect.get(Reflect.get(client.ws, '_ws'), 'strategy'), 'shards');
  for (const shard of shards.values()) Reflect.get(shard, 'connection')?.terminate();
}

/** Sends a payload for which the library has no method. */
export function sendPayload({ client }: ClientBot, op: number, d: object): void {
  client.ws.shards.first()?.send({ op, d });
}

export const ACTIVITY_TYPES = [ActivityType.Playing, ActivityType.Listening, ActivityType.Watching] as const;
