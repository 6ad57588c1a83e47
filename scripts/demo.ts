// `npm run demo`: the platform with seeded people, a server, an application and a stock bot that already talks. Everything
// goes through the public interface, and lives in a folder that is removed at the end.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfig } from '../src/config.js';
import type { Server } from '../src/server.js';
import { describeStartFault, tryAddress } from '../src/start.js';
import { type GraphQL, signUp } from './client.js';

const PASSWORD = 'causeway-demo';

const dataDir = await mkdtemp(join(tmpdir(), 'causeway-demo-'));
let platform: Server | undefined;
let bot: ChildProcess | undefined;
/** The platform's address for this script: the very listener it opened, whatever a name may lead to. */
let api = '';
let ending: Promise<never> | undefined;
// Ctrl+C may send its signal twice, from the terminal and from npm.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));
process.once('exit', () => bot?.kill('SIGKILL'));

try {
  const origin = await startPlatform();
  const ada = await person('ada');
  const grace = await person('grace');
  const { application, botToken } = (
    await ada<{ createApplication: { application: { id: string }; botToken: string } }>(
      'mutation { createApplication(input: { name: "Hello Bot" }) { application { id } botToken } }',
    )
  ).createApplication;
  const { guild } = (
    await ada<{ createGuild: { guild: { id: string; channels: { id: string; type: number }[] } } }>(
      'mutation { createGuild(input: { name: "Demo Harbour" }) { guild { id channels { id type } } } }',
    )
  ).createGuild;
  const channel = guild.channels.find(({ type }) => type === 0)?.id;
  const { code } = (
    await ada<{ createInvite: { code: string } }>(
      'mutation ($channelId: ID!) { createInvite(input: { channelId: $channelId }) { code } }',
      { channelId: channel },
    )
  ).createInvite;
  await grace('mutation ($code: String!) { joinGuild(input: { code: $code }) { guild { id } } }', { code });
  await ada(
    `mutation ($input: InstallApplicationInput!) { installApplication(input: $input) { installation { id } } }`,
    { input: { applicationId: application.id, guildId: guild.id, scopes: ['bot'], permissions: '0' } },
  );

  console.log('Starting the bot (examples/hello-bot, stock discord.js) …');
  await startBot(botToken);

  await grace('mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }', {
    input: { channelId: channel, content: 'hello, bot' },
  });
  const conversation = `query ($id: ID!) { channel(id: $id) { messages(last: 10) { edges { node { author { username } content } } } } }`;
  const messages = await until(async () => {
    const { channel: found } = await grace<Conversation>(conversation, { id: channel });
    return found.messages.edges.length >= 2 && found.messages.edges;
  });

  console.log('\nWhat was said in #general of Demo Harbour:');
  for (const { node } of messages) console.log(`  ${node.author.username}: ${node.content}`);
  console.log(`
Where to look
  GraphiQL    ${origin}/graphql
  REST        ${origin}/api/v10      (Authorization: Bot ${botToken})
  gateway     ${origin.replace('http', 'ws')}/gateway

How to sign in
  people      ada@demo.example and grace@demo.example, password ${PASSWORD}
  a session   curl -s ${origin}/auth/sign-in/email -H 'content-type: application/json' \\
                -d '{"email":"grace@demo.example","password":"${PASSWORD}"}'
  then        send its token as "Authorization: Bearer <token>" to /graphql (GraphiQL has a Headers tab)

Say hello yourself, in GraphiQL
  mutation { sendMessage(input: { channelId: "${channel}", content: "hello again" }) { message { id } } }

Ctrl+C stops everything and removes the demo's data.`);
} catch (error) {
  // What an end in the middle breaks off is no fault.
  if (!ending) console.error(`The demo could not start: ${describeStartFault(error) ?? error}`);
  await end(1);
}

interface Conversation {
  channel: { messages: { edges: { node: { author: { username: string }; content: string } }[] } };
}

/**
 * Runs the platform within this process, so that what answers is never another instance. Of the environment only the port and
 * the log level count: a demo has data of its own.
 * @returns its origin
 */
async function startPlatform(): Promise<string> {
  const { PORT, LOG_LEVEL } = process.env;
  const config = readConfig({ PORT, DATA_DIR: dataDir, LOG_LEVEL: LOG_LEVEL || 'warn' });
  await tryAddress(config);
  console.log('Starting the platform …');
  const { createServer } = await import('../src/server.js');
  platform = await createServer(config);
  const origin = await platform.start();
  api = `http://${config.host}:${new URL(origin).port}`;
  return origin;
}

/** Resolves when the bot says that it is online. */
async function startBot(token: string): Promise<void> {
  const script = resolve(import.meta.dirname, '../examples/hello-bot/index.js');
  const env = { ...process.env, API_URL: `${api}/api`, BOT_TOKEN: token };
  const started = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  bot = started;
  started.once('exit', (code) => void end(code ?? 0));
  started.stdout.pipe(process.stdout);
  await once(started.stdout, 'data');
}

async function person(name: string): Promise<GraphQL> {
  const { graphql } = await signUp(api, { name, email: `${name}@demo.example`, password: PASSWORD });
  return graphql;
}

/** Asks until the answer is one, for at most 30 seconds. */
async function until<T>(ask: () => Promise<T>): Promise<Exclude<T, false>> {
  for (let attempt = 0; attempt < 150; attempt += 1) {
    const answer = await ask().catch(() => false as const);
    if (answer !== false) return answer as Exclude<T, false>;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('nothing answered within 30 seconds');
}

/** Stops everything, removes the demo's data and ends the process, once. */
function end(code: number): Promise<never> {
  ending ??= (async () => {
    await stopBot();
    await platform?.stop();
    await rm(dataDir, { recursive: true, force: true });
    process.exit(code);
  })();
  return ending;
}

async function stopBot(): Promise<void> {
  if (!bot || bot.exitCode !== null || bot.signalCode !== null) return;
  const exit = once(bot, 'exit');
  bot.kill();
  await exit;
}
