// `npm run demo`: the platform with seeded people, a server, an application and a stock bot that already talks. Everything
// goes through the public interface, and lives in a folder that is removed at the end.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const port = process.env.PORT || '4000';
const origin = `http://localhost:${port}`;
const PASSWORD = 'causeway-demo';

const dataDir = await mkdtemp(join(tmpdir(), 'causeway-demo-'));
const children: ChildProcess[] = [];
process.once('SIGINT', () => finish(0));
process.once('SIGTERM', () => finish(0));

try {
  console.log('Starting the platform …');
  run('dist/main.js', { PORT: port, DATA_DIR: dataDir, LOG_LEVEL: process.env.LOG_LEVEL || 'warn' });
  await until(() => fetch(`${origin}/healthz`).then((answer) => answer.ok));

  const ada = await signUp('ada');
  const grace = await signUp('grace');
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
  const bot = run('examples/hello-bot/index.js', { API_URL: `${origin}/api`, BOT_TOKEN: botToken });
  await new Promise<void>((online) => bot.stdout?.once('data', () => online()));

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
  console.error(`The demo could not start: ${error instanceof Error ? error.message : error}`);
  await finish(1);
}

interface Conversation {
  channel: { messages: { edges: { node: { author: { username: string }; content: string } }[] } };
}

function run(script: string, env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [join(root, script)], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout?.pipe(process.stdout);
  child.once('exit', (code) => {
    if (code !== null && code !== 0) finish(1);
  });
  children.push(child);
  return child;
}

type GraphQL = <T>(query: string, variables?: Record<string, unknown>) => Promise<T>;

async function signUp(name: string): Promise<GraphQL> {
  const { token } = await post<{ token: string }>('/auth/sign-up/email', {
    name,
    email: `${name}@demo.example`,
    password: PASSWORD,
  });
  return async <T>(query: string, variables = {}) => {
    const answer = await post<{ data: T; errors?: { message: string }[] }>('/graphql', { query, variables }, token);
    if (answer.errors) throw new Error(answer.errors.map(({ message }) => message).join('; '));
    return answer.data;
  };
}

async function post<T>(path: string, body: object, token?: string): Promise<T> {
  const answer = await fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
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

async function finish(code: number): Promise<never> {
  const exits = children.map((child) =>
    child.exitCode !== null || child.signalCode !== null
      ? undefined
      : new Promise((resolve) => child.once('exit', resolve) && child.kill('SIGTERM')),
  );
  await Promise.all(exits);
  await rm(dataDir, { recursive: true, force: true });
  process.exit(code);
}
