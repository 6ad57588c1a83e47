import { chown, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildImage, type Container, type Image, missingForImage, startContainer } from '../harness/image.js';
import { createApplication, createGuild, install, sendMessage, signUp } from '../harness/people.js';
import { freePort } from '../harness/ports.js';
import { S3_CREDENTIALS, startS3 } from '../harness/s3.js';
import { uploadIcon } from '../harness/settings.js';
import { needing, noSqlite } from '../harness/skipping.js';

/**
 * Slow, because it runs the Dockerfile. After a change of the source, this takes 90 s. It takes five minutes if the cache of
 * `test/harness/image.ts` lacks Debian, the packages and the compiled driver.
 */
const LONGEST_BUILD_MS = 900_000;

/** More than this on top of the base image deserves a look, in MB. */
const MOST_MB = 75;

const missing = noSqlite ?? (await missingForImage());

describe.skipIf(missing)(needing(missing, 'the image'), () => {
  let image: Image;
  let volume: string;
  let container: Container;
  let origin: string;

  beforeAll(async () => {
    image = await buildImage();
    volume = await mkdtemp(join(tmpdir(), 'causeway-volume-'));
    const [user, group] = image.settings.user.split(':').map(Number);
    await chown(volume, user ?? 0, group ?? 0);
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    container = startContainer(image, volume, { PORT: String(port), RATE_LIMITS: 'off' });
    await ready(container);
  }, LONGEST_BUILD_MS);
  afterAll(async () => {
    container?.process.kill('SIGKILL');
    await rm(volume, { recursive: true, force: true });
  });

  it('is healthy as its user with a read-only root', async () => {
    expect(await container.exec(image.settings.health?.command ?? [])).toEqual({ code: 0, output: '' });
    expect((await container.exec(['id', '-u'])).output).toBe('10001\n');
    const { code, output } = await container.exec(['touch', '/app/x', '/etc/x', '/home/x']);
    expect(code).toBe(1);
    expect(output.match(/Read-only file system/g)).toHaveLength(3);
    expect((await container.exec(['grep', 'CapBnd', '/proc/self/status'])).output).toMatch(/\t0+\n$/);
  });

  it('serves bots and the portal, and writes to its volume only', async () => {
    const ada = await signUp({ origin }, 'ada');
    const bot = await createApplication(ada);
    const guild = await createGuild(ada);
    await install(ada, bot, guild);
    const icon = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    await uploadIcon({ origin }, ada, bot.id, new Uint8Array(icon));
    await sendMessage(ada, guild.textChannelId, 'hello');
    const response = await fetch(`${origin}/api/v10/channels/${guild.textChannelId}/messages`, {
      headers: { authorization: `Bot ${bot.botToken}` },
    });
    expect(await response.json()).toMatchObject([{ content: 'hello' }]);
    const page = await fetch(`${origin}/portal`, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('<title>Causeway</title>');
    expect(await readdir(volume)).toEqual(expect.arrayContaining(['blobs', 'causeway.db']));
    for (const path of await readdir(volume, { recursive: true })) {
      const { uid, mode } = await stat(join(volume, path));
      expect([path, uid, mode & 0o077]).toEqual([path, 10001, 0]);
    }
    expect((await container.exec(['find', '/tmp', '-type', 'f'])).output).toBe('');
  });

  it('is backed up while it runs, as docs/operations.md says', async () => {
    const page = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    const [, script = ''] = /docker compose exec causeway node -e '\n([^']+)'/.exec(page) ?? [];
    expect(await container.exec(['node', '--no-warnings', '-e', script])).toEqual({ code: 0, output: '' });
    const copy = await stat(join(volume, 'backup.db'));
    expect([copy.uid, copy.mode & 0o077]).toEqual([10001, 0]);
  });

  it('has the other commands', async () => {
    const { output } = await container.exec([...image.settings.entrypoint, 'doctor', '--json']);
    const { checks } = JSON.parse(output) as { checks: { id: string; state: string }[] };
    expect(checks.filter(({ state }) => state === 'failure')).toEqual([]);
    expect(checks.map(({ id }) => id)).toEqual(expect.arrayContaining(['settings', 'portal']));
  });

  it('lacks what only a build needs', async () => {
    const programs = ['tsc', 'prisma', 'gcc', 'g++', 'cc', 'make', 'python3', 'git', 'curl'];
    const found = await container.exec([
      'sh',
      '-c',
      `for name in ${programs.join(' ')}; do command -v $name; done; true`,
    ]);
    expect(found).toEqual({ code: 0, output: '' });
    const find = async (...args: string[]) =>
      (await container.exec(['find', ...args])).output
        .split('\n')
        .filter((line) => line !== '')
        .toSorted();
    const namesIn = (folder: string) => find(folder, '-mindepth', '1', '-maxdepth', '1', '-printf', '%f\n');
    const list = (...conditions: string[]) => find('/app', ...conditions);
    expect(await namesIn('/app')).toEqual(['dist', 'node_modules', 'package.json', 'prisma']);
    expect(await namesIn('/app/node_modules')).toEqual(['@img', '@node-rs', 'detect-libc', 'sharp', 'tslib']);
    expect(await list('-name', '*.ts', '-not', '-name', '*.d.ts')).toEqual([]);
    expect(await list('-name', '*.map', '-o', '-name', '*.test.*', '-o', '-name', 'typescript')).toEqual([]);
    expect(await list('-not', '-user', 'root')).toEqual([]);
    expect(await list('-perm', '-o+w', '-not', '-type', 'l')).toEqual([]);
  });

  it(`adds less than ${MOST_MB} MB to the base image`, async () => {
    const { output } = await container.exec(['du', '-sm', '/app']);
    expect(Number.parseInt(output, 10)).toBeLessThan(MOST_MB);
  });

  it('drains and exits with status 0 on its stop signal', async () => {
    expect(await container.stop(image.settings.stopSignal)).toBe(0);
  });

  it('starts again with another port for its health check, and with files in a bucket', async () => {
    const s3 = await startS3();
    const metricsPort = String(await freePort());
    const again = startContainer(image, volume, {
      PORT: '0',
      METRICS_PORT: metricsPort,
      BLOB_URL: s3.blobUrl(),
      ...S3_CREDENTIALS,
    });
    expect(await ready(again)).not.toMatch(/"level":[45]0/);
    expect(await (await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).json()).toMatchObject({
      degraded: expect.not.arrayContaining(['files']),
    });
    const { command = [] } = image.settings.health ?? {};
    expect((await again.exec(command)).code).toBe(0);
    expect(await again.stop('SIGTERM')).toBe(0);
    expect((await again.exec(command)).code).toBe(1);
    await s3.remove();
  });
});

/**
 * @returns its log so far
 * @throws Error with its output if it ends first
 */
async function ready({ process: { stdout, stderr } }: Container): Promise<string> {
  if (!stdout || !stderr) throw new Error('the process has no output');
  const output: string[] = [];
  stderr.on('data', (chunk) => output.push(String(chunk)));
  for await (const line of createInterface({ input: stdout })) {
    output.push(line);
    if (line.includes('"msg":"ready')) {
      stdout.resume();
      return output.join('\n');
    }
  }
  throw new Error(`the container ended: ${output.join('\n')}`);
}
