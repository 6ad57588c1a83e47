import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { throwAwayDatabase } from './harness/databases.js';
import { dataUri, PIXEL } from './harness/images.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from './harness/people.js';
import { type RunningInstance, startInstance } from './harness/process.js';
import { ask, formOf, type RestAnswer } from './harness/rest.js';
import { uploadIcon } from './harness/settings.js';
import { needing } from './harness/skipping.js';

const run = promisify(execFile);

// Processes and programs start while the machine is busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const CHECKOUT = resolve(import.meta.dirname, '..');
const PAGE = readFileSync(join(CHECKOUT, 'docs/operations.md'), 'utf8');

const onPostgres = process.env.TEST_DATABASE_URL !== undefined;
const missing = onPostgres && !existsSync('/usr/bin/pg_dump') ? 'no /usr/bin/pg_dump' : null;

/** The commands in a chapter of docs/operations.md for the database of this run. */
function linesOf(chapter: 'Backup' | 'Restore'): string {
  const [, text = ''] = new RegExp(`^## ${chapter}\n(.*?)^## `, 'ms').exec(PAGE) ?? [];
  const sections = [`The database: ${onPostgres ? 'PostgreSQL' : 'SQLite'}`, 'The files'];
  return sections.map((section) => blockOf(text, section)).join('\n');
}

function blockOf(chapter: string, section: string): string {
  const [, text] = new RegExp(`^### ${section}\n.*?^\`\`\`sh\n(.*?)^\`\`\``, 'ms').exec(chapter) ?? [];
  if (!text) throw new Error(`docs/operations.md has no lines under ${section}`);
  return text;
}

const paste = (lines: string, env: Record<string, string>) =>
  run('bash', ['-euo', 'pipefail', '-c', lines], { cwd: CHECKOUT, env: { PATH: process.env.PATH, ...env } });

type Place = Awaited<ReturnType<typeof newPlace>>;

async function newPlace(folder: string) {
  const database = await throwAwayDatabase();
  const env: Record<string, string> = {
    DATA_DIR: folder,
    ...(database ? { DATABASE_URL: database.url } : {}),
  };
  return { env, drop: () => database?.drop() };
}

/** The server's origin, the signatures of file URLs, and the last message. */
const PASSING = /http:\/\/localhost:\d+|\?ex=[^"]*|(?<="last_message_id":")\d+/g;

const PNG = new Uint8Array(PIXEL);

describe.skipIf(missing)(needing(missing, 'a backup and its restore, with the commands of docs/operations.md,'), () => {
  let folder: string;
  let places: [Place, Place];
  let source: RunningInstance;
  let restored: RunningInstance;
  let ada: Person;
  let guild: MadeGuild;
  let application: MadeApplication;
  let webhook: { id: string; token: string };
  let emojiId: string;
  let fileUrl: string;
  let before: Awaited<ReturnType<typeof show>>;
  /** The contents of messages that were sent around the backup, in order. */
  const sent: string[] = [];
  /** Their number when the backup began, and when it ended. */
  const sentBy = { start: 0, end: 0 };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-backup-'));
    places = [await newPlace(join(folder, 'source')), await newPlace(join(folder, 'restored'))];
    source = await startInstance(places[0].env);
    await fill();
    before = await show(source);
    await send(3);
    sentBy.start = sent.length;
    await sendUntil(back(places[0]));
    sentBy.end = sent.length;
    await send(3);
    await source.end('SIGTERM');
    await paste(linesOf('Restore'), { ...places[1].env, BACKUP: join(folder, 'backup') });
    restored = await startInstance(places[1].env);
  });
  afterAll(async () => {
    await restored?.end('SIGTERM');
    source?.process.kill('SIGKILL');
    for (const place of places ?? []) await place.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const back = ({ env }: Place) => paste(linesOf('Backup'), { ...env, BACKUP: join(folder, 'backup') });
  const headers = () => ({ authorization: `Bot ${application.botToken}` });
  const asBot = (at: RunningInstance, method: string, path: string, json?: object) =>
    ask(at, method, path, { headers: headers(), ...(json && { json }) });
  const messages = () => `/channels/${guild.textChannelId}/messages`;
  const postFile = (at: RunningInstance, content: string) =>
    ask(at, 'POST', messages(), {
      headers: headers(),
      form: formOf({ content }, { name: 'files[0]', content: Buffer.from(`file of ${content}`), filename: 'log.txt' }),
    });

  async function fill(): Promise<void> {
    ada = await signUp(source, 'ada');
    guild = await createGuild(ada, 'Harbour');
    application = await createApplication(ada, 'Lamplighter');
    await install(ada, application, guild, { permissions: '8' });
    expect((await uploadIcon(source, ada, application.id, PNG)).errors).toEqual([]);
    await sendMessage(ada, guild.textChannelId, 'hello');
    fileUrl = (await postFile(source, 'with a file')).body.attachments[0].url;
    const image = dataUri(PIXEL);
    emojiId = (await asBot(source, 'POST', `/guilds/${guild.id}/emojis`, { name: 'wave', image })).body.id;
    webhook = (await asBot(source, 'POST', `/channels/${guild.textChannelId}/webhooks`, { name: 'Builds' })).body;
  }

  /** The responses to a bot, without parts that depend on the server. */
  async function show(at: RunningInstance) {
    const answers: [string, RestAnswer['body']][] = [];
    for (const path of ['', '/channels', '/roles', '/emojis', '/members?limit=10', '/webhooks']) {
      answers.push([path, (await asBot(at, 'GET', `/guilds/${guild.id}${path}`)).body]);
    }
    answers.push(['application', (await asBot(at, 'GET', '/applications/@me')).body]);
    answers.push(['messages', (await asBot(at, 'GET', `${messages()}?after=0&limit=2`)).body]);
    const text = JSON.stringify(answers).replaceAll(PASSING, '');
    return JSON.parse(text) as typeof answers;
  }

  async function send(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const content = `around ${sent.length}`;
      expect((await postFile(source, content)).status).toBe(200);
      sent.push(content);
    }
  }

  async function sendUntil(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    do await send(1);
    while (!isDone);
    await done;
  }

  async function listMessages(at: RunningInstance): Promise<RestAnswer['body'][]> {
    const listed: RestAnswer['body'][] = [];
    for (;;) {
      const { body: page } = await asBot(at, 'GET', `${messages()}?after=${listed.at(-1)?.id ?? 0}&limit=100`);
      listed.push(...page.reverse());
      if (page.length < 100) return listed;
    }
  }

  it('contain all data', async () => {
    expect(before.map(([name]) => name)).toContain('messages');
    expect(await show(restored)).toEqual(before);
  });

  it('contain files, at new signed URLs and at old ones', async () => {
    const { body } = await asBot(restored, 'GET', `${messages()}?after=0&limit=2`);
    const [{ url }] = body.flatMap(({ attachments }: { attachments: { url: string }[] }) => attachments);
    expect(await (await fetch(url)).text()).toBe('file of with a file');
    const signedBefore = fileUrl.replace(source.origin, restored.origin);
    expect(signedBefore).toContain(restored.origin);
    expect((await fetch(signedBefore)).status).toBe(200);
    const icon = (await asBot(restored, 'GET', '/applications/@me')).body.icon;
    for (const path of [`app-icons/${application.id}/${icon}.png`, `emojis/${emojiId}.png`]) {
      const answer = await fetch(`${restored.origin}/cdn/${path}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    }
  });

  it('contain all messages before it, and those during it up to some message, each with its file, and no later ones', async () => {
    const kept = (await listMessages(restored)).filter(({ content }) => content.startsWith('around'));
    expect(kept.map(({ content }) => content)).toEqual(sent.slice(0, kept.length));
    expect(sentBy.start).toBeGreaterThan(0);
    expect(sentBy.end).toBeLessThan(sent.length);
    expect(kept.length).toBeGreaterThanOrEqual(sentBy.start);
    expect(kept.length).toBeLessThanOrEqual(sentBy.end);
    for (const { content, attachments } of kept) {
      expect(await (await fetch(attachments[0].url)).text()).toBe(`file of ${content}`);
    }
  });

  it('keep passwords, sessions, cookies and tokens valid', async () => {
    const signIn = await fetch(`${restored.origin}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: ada.email, password: ada.password }),
    });
    expect(signIn.status).toBe(200);
    const credentials: [string, string][] = [
      ['authorization', `Bearer ${ada.token}`],
      ['cookie', ada.cookie],
    ];
    for (const credential of credentials) {
      const asked = await fetch(`${restored.origin}/auth/get-session`, { headers: [credential] });
      expect(await asked.json()).toMatchObject({ user: { id: ada.id } });
    }
    expect((await asBot(restored, 'POST', messages(), { content: 'back' })).status).toBe(200);
    const posted = await ask(restored, 'POST', `/webhooks/${webhook.id}/${webhook.token}?wait=true`, {
      json: { content: 'Build 7 is green.' },
    });
    expect(posted).toMatchObject({ status: 200, body: { webhook_id: webhook.id } });
  });

  it('are readable by the owner only, and without data of a running process', async () => {
    const backup = join(folder, 'backup');
    const { stdout } = await run('stat', [
      '-c',
      '%a',
      backup,
      ...(await readdir(backup)).map((name) => join(backup, name)),
    ]);
    expect(new Set(stdout.trim().split('\n'))).toEqual(new Set(['700', '600']));
    const { stdout: files } = await run('tar', ['--list', '--file', join(backup, 'files.tar')]);
    expect(files).toMatch(/^\.\/blobs\/attachments\//m);
    expect(files).not.toMatch(/causeway\.|\.staging\//);
  });

  it('are refused if there is a backup already', async () => {
    const again = join(folder, 'again');
    await mkdir(again);
    await expect(paste(linesOf('Backup'), { ...places[1].env, BACKUP: again })).rejects.toThrow(/File exists/);
  });
});
