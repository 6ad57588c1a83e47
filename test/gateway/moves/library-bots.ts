import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client as DiscordClient, Events, GatewayIntentBits } from 'discord.js';
import Eris from 'eris';
import { Client as OceanicClient } from 'oceanic.js';
import { noDiscordPy, PYTHON } from '../../harness/discord-py.js';

/** Where a bot connects. */
interface Target {
  origin: string;
  /** With the path. */
  gateway: string;
  token: string;
}

/** Called with `READY`, `RESUMED`, and the content of each message. */
type See = (what: string) => void;

type Stop = () => unknown;

export interface LibraryBot {
  library: string;
  /** READY, RESUMED, and the contents of messages. */
  seen: string[];
  stop: Stop;
}

const LIBRARIES: Record<string, (target: Target, see: See) => Promise<Stop>> = {
  'discord.js': startDiscordJs,
  'oceanic.js': startOceanic,
  eris: startEris,
  ...(noDiscordPy ? {} : { 'discord.py': startDiscordPy }),
};

export const LIBRARY_NAMES = Object.keys(LIBRARIES);

/** Resolves before READY. */
export async function startLibraryBot(library: string, target: Target): Promise<LibraryBot> {
  const seen: string[] = [];
  const stop = await LIBRARIES[library]?.(target, (what) => seen.push(what));
  return { library, seen, stop: stop ?? (() => {}) };
}

function seePacket(see: See, { t }: { t?: string | null }): void {
  if (t === 'READY' || t === 'RESUMED') see(t);
}

async function startDiscordJs({ origin, token }: Target, see: See): Promise<Stop> {
  const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
  const client = new DiscordClient({
    intents: [Guilds, GuildMessages, MessageContent],
    rest: { api: `${origin}/api` },
  });
  client.on(Events.Raw, (packet) => seePacket(see, packet));
  client.on(Events.MessageCreate, ({ content }) => see(content));
  client.on(Events.Error, () => {});
  await client.login(token);
  return () => client.destroy();
}

async function startOceanic({ origin, token }: Target, see: See): Promise<Stop> {
  const client = new OceanicClient({
    auth: `Bot ${token}`,
    rest: { baseURL: `${origin}/api/v10` },
    gateway: { intents: ['GUILDS', 'GUILD_MESSAGES', 'MESSAGE_CONTENT'] },
  });
  client.on('packet', (packet) => seePacket(see, packet));
  client.on('messageCreate', ({ content }) => see(content));
  client.on('error', () => {});
  await client.connect();
  return () => client.disconnect(false);
}

/** Its REST client speaks https only, so it gets the address of the gateway by configuration. */
async function startEris({ gateway, token }: Target, see: See): Promise<Stop> {
  const intents = ['guilds', 'guildMessages', 'messageContent'] as const;
  const client = Eris(`Bot ${token}`, { intents: [...intents], restMode: false });
  client.getBotGateway = async () => ({
    url: gateway,
    shards: 1,
    session_start_limit: { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 },
  });
  client.on('rawWS', (packet) => seePacket(see, packet));
  client.on('messageCreate', ({ content }) => see(content));
  client.on('error', () => {});
  await client.connect();
  return () => client.disconnect({ reconnect: false });
}

async function startDiscordPy({ origin, gateway, token }: Target, see: See): Promise<Stop> {
  const script = fileURLToPath(new URL('./discord_py_listener.py', import.meta.url));
  const child = spawn(PYTHON, [script], {
    env: { ORIGIN: origin, GATEWAY: gateway, BOT_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', see);
  return async () => {
    const exited = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await exited;
  };
}
