import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type FileKeeping, removeAbandonedFiles } from '../../src/domain/abandoned-files.js';
import { ManualClock } from '../harness/clock.js';
import { untilDone } from '../harness/jobs.js';
import { readableLog, readLines } from '../harness/log.js';
import { createApplication, signUp } from '../harness/people.js';
import { formOf, openScene, type Scene } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { uploadIcon } from '../harness/settings.js';
import { readingsOf } from '../harness/statements.js';
import { turnsDuring } from '../harness/turns.js';

const HOUR_MS = 60 * 60_000;
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function put(path: string, ageMs: number): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'left behind');
  return age(path, ageMs);
}

async function age(path: string, ageMs: number): Promise<string> {
  const then = new Date(Date.now() - ageMs);
  await utimes(path, then, then);
  return path;
}

describe('the search for files without a row', () => {
  let server: TestServer;
  let scene: Scene;
  let folder: string;

  beforeAll(async () => {
    server = await startServer({ jobs: true });
    scene = await openScene(server);
    folder = join(server.app.config.dataDir, 'blobs');
  });
  afterAll(() => server.stop());

  const sweep = (other: Partial<FileKeeping> = {}) =>
    removeAbandonedFiles({ ...server.app, read: server.app.db.reader, ...other });

  async function upload(): Promise<{ path: string; url: string }> {
    const form = formOf({}, { name: 'files[0]', content: 'kept', filename: 'a.txt' });
    const { body } = await scene.bot.ask('POST', scene.messages, { form });
    const [{ id, url }] = body.attachments;
    return { path: join(folder, 'attachments', scene.channelId, body.id, id), url };
  }

  const leftBehind = (id: bigint, ageMs: number) =>
    put(join(folder, `attachments/${scene.channelId}/${id}/${id}`), ageMs);

  test('removes old files without an attachment, and keeps attachments, recent files and unknown files', async () => {
    const { path, url } = await upload();
    await age(path, 48 * HOUR_MS);
    const old = await leftBehind(server.app.nextId(), 2 * HOUR_MS);
    const oldest = await leftBehind(1n, 48 * HOUR_MS);
    const noId = await leftBehind(2n ** 64n, 2 * HOUR_MS);
    const young = await leftBehind(2n, HOUR_MS / 2);
    const beside = await put(join(dirname(path), '3'), 2 * HOUR_MS);
    const unknown = await put(join(folder, 'attachments/readme.txt'), 2 * HOUR_MS);
    await sweep();
    expect([old, oldest, beside].filter(existsSync)).toEqual([]);
    expect([path, young, noId, unknown].filter((kept) => !existsSync(kept))).toEqual([]);
    expect(await (await fetch(url)).text()).toBe('kept');
  });

  test('removes old icons that no application or team uses', async () => {
    const ada = await signUp(server, 'ada');
    const { id } = await createApplication(ada);
    const answer = await uploadIcon(server, ada, id, PIXEL);
    expect(answer.errors).toEqual([]);
    const own = join(folder, 'app-icons', id);
    const shown = (await readdir(own)).map((name) => join(own, name));
    for (const path of shown) await age(path, 2 * HOUR_MS);
    const hash = '0'.repeat(32);
    const old = await put(join(own, `${hash}.png`), 2 * HOUR_MS);
    const young = await put(join(own, `${hash}.webp`), 0);
    const team = { id: server.app.nextId(), name: 'Team', ownerUserId: BigInt(ada.id), iconHash: hash };
    await server.app.db.writer.team.create({ data: team });
    const ofTeam = await put(join(folder, `team-icons/${team.id}/${hash}.png`), 2 * HOUR_MS);
    const ofNobody = await put(join(folder, `team-icons/1/${hash}.png`), 2 * HOUR_MS);
    await sweep();
    expect(shown).toHaveLength(3);
    expect([...shown, young, ofTeam].filter((path) => !existsSync(path))).toEqual([]);
    expect([old, ofNobody].filter(existsSync)).toEqual([]);
  });

  /** An old file whose row is missing until `store` is called. */
  async function unstored() {
    const { path } = await upload();
    await age(path, 2 * HOUR_MS);
    const { reader, writer } = server.app.db;
    const row = await reader.attachment.findUniqueOrThrow({ where: { id: BigInt(basename(path)) } });
    await writer.attachment.delete({ where: { id: row.id } });
    return { path, store: () => writer.attachment.create({ data: row }) };
  }

  test('keeps an old file whose row appears after it was listed', async () => {
    await upload();
    const { path, store } = await unstored();
    const { blobs } = server.app;
    const list: typeof blobs.list = async function* (below) {
      yield* blobs.list(below);
      if (below === 'attachments') await store();
    };
    await sweep({ blobs: { ...blobs, list } });
    expect(existsSync(path)).toBe(true);
  });

  test('keeps an old file whose row appears after it was queried', async () => {
    await upload();
    const [late, never] = [await unstored(), await unstored()];
    const { blobs } = server.app;
    let isStored = false;
    const writtenAt: typeof blobs.writtenAt = async (key) => {
      if (key.endsWith(basename(late.path)) && !isStored) {
        isStored = true;
        await late.store();
      }
      return blobs.writtenAt(key);
    };
    await sweep({ blobs: { ...blobs, writtenAt } });
    expect(isStored).toBe(true);
    expect([late.path, never.path].map(existsSync)).toEqual([true, false]);
  });

  test('removes empty folders only', async () => {
    const { path } = await upload();
    const old = await leftBehind(77n, 2 * HOUR_MS);
    const empty = join(folder, 'attachments/5/6');
    await mkdir(empty, { recursive: true });
    await sweep();
    expect([dirname(old), empty, dirname(empty)].filter(existsSync)).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });

  test('removes no files if most have no row, since they may belong to another database', async () => {
    const { path } = await upload();
    await age(path, 2 * HOUR_MS);
    const others = await Promise.all(Array.from({ length: 60 }, (_, n) => leftBehind(5_000n + BigInt(n), 2 * HOUR_MS)));
    const { log, lines } = readableLog();
    await sweep({ log });
    expect(others.filter((other) => !existsSync(other))).toEqual([]);
    expect(readLines(lines)).toMatchObject([{ level: 50, folder: 'attachments', without: 60 }]);
    for (const other of others.slice(0, 10)) await rm(other);
    await sweep({ log });
    expect(others.filter(existsSync)).toEqual([]);
    expect(lines).toHaveLength(1);
  });

  test('queries the rows of many files together, and yields between the queries', async () => {
    const { path } = await upload();
    const { reader, writer } = server.app.db;
    const row = await reader.attachment.findUniqueOrThrow({ where: { id: BigInt(basename(path)) } });
    const kept = Array.from({ length: 450 }, (_, n) => ({ ...row, id: 20_000n + BigInt(n) }));
    await writer.attachment.createMany({ data: kept });
    const left = Array.from({ length: 420 }, (_, n) => 10_000n + BigInt(n));
    await Promise.all([...left, ...kept.map(({ id }) => id)].map((id) => leftBehind(id, 2 * HOUR_MS)));
    const { statements, result: turns } = await readingsOf(() => turnsDuring(() => sweep()));
    expect(statements.filter((sql) => /FROM\W+(\w+\W+)?Attachment\W/.test(sql)).length).toBeLessThanOrEqual(8);
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(existsSync(join(folder, `attachments/${scene.channelId}/10400/10400`))).toBe(false);
  });
});

test('a database without any file rows keeps all files, since they may belong to another database', async () => {
  const server = await startServer({ jobs: true });
  const old = await put(join(server.app.config.dataDir, 'blobs/attachments/1/2/3'), 48 * HOUR_MS);
  await removeAbandonedFiles({ ...server.app, read: server.app.db.reader });
  expect(existsSync(old)).toBe(true);
  await server.stop();
});

test('an aborted search looks at no further files', async () => {
  const server = await startServer({ jobs: true });
  const old = await put(join(server.app.config.dataDir, 'blobs/.staging/old'), 2 * HOUR_MS);
  const stop = new AbortController();
  stop.abort(new Error('stopped'));
  const sweeping = removeAbandonedFiles({ ...server.app, read: server.app.db.reader }, stop.signal);
  await expect(sweeping).rejects.toThrow('stopped');
  expect(existsSync(old)).toBe(true);
  await server.stop();
});

test('files that a dead process had partly received are removed at a start and every six hours, unless recent', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-abandoned-'));
  const staged = (name: string) => join(dataDir, 'blobs/.staging', name);
  const old = await put(staged('old'), 2 * HOUR_MS);
  const young = await put(staged('young'), 0);
  const clock = new ManualClock();
  const server = await startServer({ jobs: true, clock, env: { DATA_DIR: dataDir } });
  const isGone = (path: string) => vi.waitFor(() => expect(existsSync(path)).toBe(false), { timeout: 20_000 });
  await isGone(old);
  expect(existsSync(young)).toBe(true);
  await untilDone(server, 'abandoned-files');
  const later = await put(staged('later'), 2 * HOUR_MS);
  clock.advance(6 * HOUR_MS);
  await isGone(later);
  await server.stop();
  await rm(dataDir, { recursive: true });
});
