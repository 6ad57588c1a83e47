import { rm } from 'node:fs/promises';
import { emptyFolder } from './box.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from './people.js';
import { type RunningInstance, startInstance } from './process.js';
import { ask, type RestAnswer } from './rest.js';
import { makeBox, untilBox } from './self-hosted.js';
import { migratedDatabase, startServer, type TestServer } from './server.js';

/** A cloud in this process, and a box of it in a child process. The box has a server with a bot of the cloud. */
export interface BoxProcess {
  cloud: TestServer;
  /** The current or last process of the box. */
  running: RunningInstance;
  keeper: Person;
  guild: MadeGuild;
  bot: MadeApplication;
  /** `/channels/{the server's}/messages` */
  messages: string;
  start(): Promise<void>;
  /** Settles once the cloud has a newer connection of the box than at the last call. */
  connected(): Promise<void>;
  ask(method: string, path: string, json?: unknown): Promise<RestAnswer>;
  stop(): Promise<void>;
}

export async function startBoxProcess(): Promise<BoxProcess> {
  const cloud = await startServer();
  const owner = await signUp(cloud, 'owner');
  const { box, token } = await makeBox(owner);
  const dataDir = await emptyFolder();
  const database = await migratedDatabase();
  const env = { DATA_DIR: dataDir, CLOUD_URL: cloud.origin, ...(database ? { DATABASE_URL: database.url } : {}) };
  let generation = 0;
  const connected = () =>
    untilBox(cloud, box.id, async () => {
      const row = await cloud.app.db.reader.box.findUniqueOrThrow({ where: { id: BigInt(box.id) } });
      if (row.holderId === null || row.generation <= generation) return false;
      generation = row.generation;
      return true;
    });
  const first = await startInstance({ ...env, BOX_TOKEN: token }, 'box');
  await connected();
  const keeper = await signUp(first, 'keeper');
  const guild = await createGuild(keeper, 'Attic');
  await untilBox(cloud, box.id, async () => (await cloud.app.boxRoutes.ofGuild(BigInt(guild.id))) !== null);
  const bot = await createApplication(owner, 'Lamplighter');
  await install(owner, bot, guild, { permissions: '8' });
  const made: BoxProcess = {
    cloud,
    running: first,
    keeper,
    guild,
    bot,
    messages: `/channels/${guild.textChannelId}/messages`,
    async start() {
      made.running = await startInstance(env, 'box');
    },
    connected,
    ask: (method, path, json) =>
      ask(cloud, method, path, { headers: { authorization: `Bot ${bot.botToken}` }, ...(json ? { json } : {}) }),
    async stop() {
      await made.running.end('SIGKILL');
      await cloud.stop();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return made;
}
