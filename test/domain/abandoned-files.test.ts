import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { removeAbandonedFiles } from '../../src/domain/abandoned-files.js';
import { ManualClock } from '../harness/clock.js';
import { untilDone } from '../harness/jobs.js';
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

/** A file that was written so long ago. */
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

describe('looking for files without a row', () => {
  let server: TestServer;
  let scene: Scene;
  let folder: string;

  beforeAll(async () => {
    server = await startServer({ jobs: true });
    scene = await openScene(server);
    folder = join(server.app.config.dataDir, 'blobs');
  });
  afterAll(() => server.stop());

  const sweep = () => removeAbandonedFiles({ ...server.app, read: server.app.db.reader });

  async function upload(): Promise<{ path: string; url: string }> {
    const form = formOf({}, { name: 'files[0]', content: 'kept', filename: 'a.txt' });
    const { body } = await scene.bot.ask('POST', scene.messages, { form });
    const [{ id, url }] = body.attachments;
    return { path: join(folder, 'attachments', scene.channelId, body.id, id), url };
  }

  const leftBehind = (id: bigint, ageMs: number) =>
    put(join(folder, `attachments/${scene.channelId}/${id}/${id}`), ageMs);

  test('removes old files of no attachment, keeps those of one, those that are young, and what it does not know', async () => {
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

  test('removes old icons that nobody shows, of applications and of teams', async () => {
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

  test('never takes a file of a message that is sent meanwhile', async () => {
    const sweeping = (async () => {
      for (let round = 0; round < 20; round += 1) await sweep();
    })();
    const uploads: Awaited<ReturnType<typeof upload>>[] = [];
    for (let round = 0; round < 4; round += 1) {
      uploads.push(...(await Promise.all(Array.from({ length: 5 }, upload))));
    }
    await sweeping;
    expect(uploads.filter(({ path }) => !existsSync(path))).toEqual([]);
  });

  test('asks for the rows of many files at a time, and lets others have a turn between', async () => {
    await upload();
    for (let id = 10_000n; id < 10_900n; id += 1n) await leftBehind(id, 2 * HOUR_MS);
    const { statements, result: turns } = await readingsOf(() => turnsDuring(sweep));
    expect(statements.filter((sql) => /FROM\W+(\w+\W+)?Attachment\W/.test(sql)).length).toBeLessThanOrEqual(4);
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(existsSync(join(folder, `attachments/${scene.channelId}/10500/10500`))).toBe(false);
  });
});

test('a database that knows no file leaves all files alone: they may be those of another', async () => {
  const server = await startServer({ jobs: true });
  const old = await put(join(server.app.config.dataDir, 'blobs/attachments/1/2/3'), 48 * HOUR_MS);
  await removeAbandonedFiles({ ...server.app, read: server.app.db.reader });
  expect(existsSync(old)).toBe(true);
  await server.stop();
});

test('whoever has stopped looks at no files any more', async () => {
  const server = await startServer({ jobs: true });
  const old = await put(join(server.app.config.dataDir, 'blobs/.staging/old'), 2 * HOUR_MS);
  const stop = new AbortController();
  stop.abort(new Error('stopped'));
  const sweeping = removeAbandonedFiles({ ...server.app, read: server.app.db.reader }, stop.signal);
  await expect(sweeping).rejects.toThrow('stopped');
  expect(existsSync(old)).toBe(true);
  await server.stop();
});

test('what a process that died had half received goes at a start and every six hours, and what is received now does not', async () => {
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
