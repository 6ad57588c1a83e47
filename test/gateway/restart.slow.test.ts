import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { createServer } from '../../src/server.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { freePort } from '../harness/ports.js';
import { migratedDatabase, migratedFolder } from '../harness/server.js';
import { addMember, createBot, createGuild, type TestBot, type TestGuild } from '../harness/world.js';

const BOTS = 10;
const SESSIONS_PER_BOT = 100;
const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

let env: Record<string, string>;
let origin: string;
let cleanUp: () => Promise<void>;
let bots: TestBot[];
let guild: TestGuild;
let child: ChildProcess | undefined;

beforeAll(async () => {
  const dataDir = await migratedFolder();
  const database = await migratedDatabase();
  const port = await freePort();
  origin = `http://localhost:${port}`;
  env = {
    PORT: String(port),
    DATA_DIR: dataDir,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    ...(database ? { DATABASE_URL: database.url } : {}),
  };
  cleanUp = async () => {
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  await seed();
});
afterAll(async () => {
  if (child?.exitCode === null) child.kill('SIGKILL');
  await cleanUp();
});

async function seed(): Promise<void> {
  const { app, stop } = await createServer(readConfig({ ...env, LOG_LEVEL: 'silent' }));
  guild = await createGuild(app);
  bots = [];
  for (let count = 0; count < BOTS; count += 1) {
    const bot = await createBot(app);
    await addMember(app, guild.id, bot.user);
    bots.push(bot);
  }
  await stop();
}

async function startProgram(): Promise<ChildProcess> {
  const started = spawn(process.execPath, [PROGRAM], { env: { ...process.env, ...env }, stdio: 'inherit' });
  for (;;) {
    const answer = await fetch(`${origin}/healthz`).catch(() => null);
    if (answer?.ok) return started;
    if (started.exitCode !== null) throw new Error(`the program ended with ${started.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function forAll<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += 50) {
    results.push(...(await Promise.all(items.slice(start, start + 50).map(work))));
  }
  return results;
}

it('a restart asks 1,000 sessions to leave, and all of them are served again', async () => {
  child = await startProgram();
  const owners = bots.flatMap((bot) => Array.from({ length: SESSIONS_PER_BOT }, () => bot));
  const before = await forAll(owners, async (bot) => {
    const client = await GatewayClient.open(origin);
    return { bot, client, ready: await client.ready(bot.token) };
  });

  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await Promise.all(
    before.map(async ({ client }) => {
      await client.op(7);
      await client.close(4999);
    }),
  );
  expect(await exit).toEqual([0, null]);

  child = await startProgram();
  const after = await forAll(before, async ({ bot, client: { sequence }, ready }) => {
    const client = await GatewayClient.open(origin);
    client.send(6, { token: bot.token, session_id: ready.d.session_id, seq: sequence });
    const answer = await client.next((frame) => frame.op === 9 || frame.t === 'RESUMED');
    if (answer.op === 9) await client.ready(bot.token);
    return client;
  });
  expect(after).toHaveLength(BOTS * SESSIONS_PER_BOT);

  const answer = await fetch(`${origin}/api/v10/channels/${guild.channel.id}/messages`, {
    method: 'POST',
    headers: { authorization: `Bot ${bots[0]!.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'everybody here?' }),
  });
  expect(answer.status).toBe(200);
  const heard = await Promise.all(after.map((client) => client.event('MESSAGE_CREATE')));
  expect(new Set(heard.map((frame) => frame.d.content))).toEqual(new Set(['everybody here?']));
  await Promise.all(after.map((client) => client.close()));
}, 120_000);
