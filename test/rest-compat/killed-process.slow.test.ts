import { randomInt } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { removeAbandonedFiles } from '../../src/domain/abandoned-files.js';
import { createServer } from '../../src/server.js';
import { ManualClock } from '../harness/clock.js';
import type { Loose } from '../harness/graphql.js';
import { type RunningInstance, startInstance } from '../harness/process.js';
import { ask, formOf, RestBot } from '../harness/rest.js';
import { migratedDatabase, migratedFolder } from '../harness/server.js';
import { createBotInGuild, createWebhook, type TestBot } from '../harness/world.js';

let dataDir: string;
let database: Awaited<ReturnType<typeof migratedDatabase>>;
let env: Record<string, string>;
let bot: TestBot;
let messages: string;
let webhook: string;

beforeAll(async () => {
  dataDir = await migratedFolder();
  database = await migratedDatabase();
  env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
  const seeding = await createServer(readConfig({ ...env, PORT: '0' }), { log: pino({ level: 'silent' }) });
  const made = await createBotInGuild(seeding.app);
  const { guild } = made;
  bot = made.bot;
  const { id, token } = await createWebhook(seeding.app, guild, bot);
  webhook = `/webhooks/${id}/${token}`;
  messages = `/channels/${guild.channel.id}/messages`;
  await seeding.stop();
});
afterAll(async () => {
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function allMessages(instance: RunningInstance): Promise<Loose[]> {
  const rest = new RestBot(instance, bot);
  const all: Loose[] = [];
  for (let before = ''; ; ) {
    const { body: page } = await rest.get(`${messages}?limit=100&before=${before}`);
    all.push(...page);
    if (page.length < 100) return all;
    before = page.at(-1).id;
  }
}

const SENDERS = 8;
/** The maximum of concurrent uploads of one webhook. */
const UPLOADERS = 5;
const ENOUGH = 300;

test('a process that is killed while it receives messages loses none that it acknowledged', async () => {
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
  const found = new Map((await allMessages(reborn)).map(({ id, content }) => [id, content]));
  for (const [id, content] of acknowledged) expect(found.get(id)).toBe(content);
  const { status, body } = await rest.post(messages, { content: 'after' });
  expect(status).toBe(200);
  expect([...found.keys()].every((id) => BigInt(id) < BigInt(body.id))).toBe(true);
  expect(await reborn.end('SIGTERM')).toBe(0);
});

const ROUNDS = 3;

/** Returns a content that is derived from the file name. */
const contentOf = (name: string) => `${name} `.repeat(10_000 * (1 + (name.length % 3)));

/** Sends files by webhook until the process is killed. @returns ids of the acknowledged messages */
async function killedDuringUploads(round: number): Promise<string[]> {
  const doomed = await startInstance(env);
  const acknowledged: string[] = [];
  const killAfter = randomInt(1, 30);
  const uploader = async (name: number) => {
    for (let n = 0; ; n += 1) {
      const filename = `${round}-${name}-${n}.txt`;
      const form = formOf({ content: filename }, { name: 'files[0]', content: contentOf(filename), filename });
      const answer = await ask(doomed, 'POST', webhook, { form }).catch(() => null);
      if (answer === null) return;
      expect(answer.status).toBe(200);
      acknowledged.push(answer.body.id);
      if (acknowledged.length === killAfter) setTimeout(() => doomed.process.kill('SIGKILL'), randomInt(0, 20));
    }
  };
  await Promise.all(Array.from({ length: UPLOADERS }, (_, name) => uploader(name)));
  expect(doomed.process.signalCode ?? (await doomed.end('SIGKILL'))).toBe('SIGKILL');
  return acknowledged;
}

async function filesAndRows(server: Awaited<ReturnType<typeof createServer>>) {
  const entries = await readdir(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const rows = await server.app.db.reader.attachment.findMany({ select: { id: true } });
  return { files: files.sort(), rows: rows.map(({ id }) => String(id)).sort() };
}

test('a process that is killed while a webhook uploads leaves no message without its files and no orphan files', async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) acknowledged.push(...(await killedDuringUploads(round)));
  const reborn = await startInstance(env);
  const sent = (await allMessages(reborn)).filter((message) => message.webhook_id !== undefined);
  expect(sent.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
  for (const { content, attachments } of sent) {
    expect(attachments).toHaveLength(1);
    const served = await fetch(attachments[0].url);
    expect([served.status, attachments[0].filename]).toEqual([200, content]);
    expect((await served.text()) === contentOf(content)).toBe(true);
  }
  expect(await reborn.end('SIGTERM')).toBe(0);

  const clock = new ManualClock(Date.now() + 2 * 60 * 60_000);
  const log = pino({ level: 'silent' });
  const server = await createServer(readConfig({ ...env, PORT: '0' }), { log, clock });
  await removeAbandonedFiles({ ...server.app, read: server.app.db.reader });
  const { files, rows } = await filesAndRows(server);
  await server.stop();
  expect(rows).toHaveLength(sent.length);
  expect(files).toEqual(rows);
}, 120_000);
