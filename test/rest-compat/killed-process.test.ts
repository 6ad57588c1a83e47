import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { createServer } from '../../src/server.js';
import { startInstance } from '../harness/process.js';
import { RestBot } from '../harness/rest.js';
import { migratedDatabase, migratedFolder } from '../harness/server.js';
import { addMember, createBot, createGuild, type TestBot } from '../harness/world.js';

let dataDir: string;
let database: Awaited<ReturnType<typeof migratedDatabase>>;
let env: Record<string, string>;
let bot: TestBot;
let messages: string;

beforeAll(async () => {
  dataDir = await migratedFolder();
  database = await migratedDatabase();
  env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
  const seeding = await createServer(readConfig({ ...env, PORT: '0' }), { log: pino({ level: 'silent' }) });
  const guild = await createGuild(seeding.app);
  bot = await createBot(seeding.app);
  await addMember(seeding.app, guild.id, bot.user);
  messages = `/channels/${guild.channel.id}/messages`;
  await seeding.stop();
});
afterAll(async () => {
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const SENDERS = 8;
const ENOUGH = 300;

test('a process that is killed while it is sent messages loses none that it acknowledged', async () => {
  const doomed = await startInstance(env);
  const acknowledged = new Map<string, string>();
  const kill = () => doomed.process.kill('SIGKILL');
  const sender = async (name: number) => {
    const rest = new RestBot(doomed, bot);
    for (let n = 0; ; n += 1) {
      const content = `${name}:${n}`;
      const answer = await rest.post(messages, { content }).catch(() => null);
      if (answer === null) return;
      expect(answer.status).toBe(200);
      acknowledged.set(answer.body.id, content);
      if (acknowledged.size === ENOUGH) kill();
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, name) => sender(name)));
  expect(doomed.process.signalCode ?? (await doomed.end('SIGKILL'))).toBe('SIGKILL');
  expect(acknowledged.size).toBeGreaterThanOrEqual(ENOUGH);

  const reborn = await startInstance(env);
  const rest = new RestBot(reborn, bot);
  const found = new Map<string, string>();
  for (let before = ''; ; ) {
    const { body: page } = await rest.get(`${messages}?limit=100&before=${before}`);
    for (const { id, content } of page) found.set(id, content);
    if (page.length < 100) break;
    before = page.at(-1).id;
  }
  for (const [id, content] of acknowledged) expect(found.get(id)).toBe(content);
  const { status, body } = await rest.post(messages, { content: 'after' });
  expect(status).toBe(200);
  expect([...found.keys()].every((id) => BigInt(id) < BigInt(body.id))).toBe(true);
  expect(await reborn.end('SIGTERM')).toBe(0);
});
