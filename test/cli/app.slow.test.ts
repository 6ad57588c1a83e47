import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { CLI, noTerminal, type Result, runCli, SCRIPT } from '../harness/cli.js';
import { OF_ROLE, putCommand, putPermissions } from '../harness/command-rows.js';
import { it } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type Person,
  signUp,
} from '../harness/people.js';
import { ask } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { needing } from '../harness/skipping.js';

let server: TestServer;
let ada: Person;
let token: string;
let application: MadeApplication;
let folder: string;
let path: string;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  const { createPersonalToken } = await ada.graphql(
    'mutation { createPersonalToken(input: { name: "CLI" }) { token } }',
  );
  token = createPersonalToken.token;
});
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-app-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  application = await createApplication(ada, 'Otter');
  path = join(folder, `${application.id}.yaml`);
});

const environment = () => ({ CAUSEWAY_URL: server.origin, CAUSEWAY_TOKEN: token });

async function app(command: string, args: string[] = [], env: Record<string, string> = environment()): Promise<Result> {
  const result = await runCli(['app', command, '--file', path, ...args], env);
  expect(result.stdout + result.stderr).not.toContain(token);
  return result;
}

const write = (text: string) => writeFile(path, `application: "${application.id}"\n${text}`);
const fileOf = async (): Promise<Loose> =>
  (await ada.graphql('query ($id: ID!) { application(id: $id) { file } }', { id: application.id })).application.file;

const COMMANDS = `commands:
  - name: swim
    description: Stays up
    name_localizations:
      de: schwimmen
`;

describe('causeway app export', () => {
  it('writes a file for which there is no change to plan, and which its JSON Schema accepts', async () => {
    await write(`description: "Swims: well"\n${COMMANDS}`);
    expect((await app('apply', ['--yes'])).code).toBe(0);
    await rm(path);
    const exported = await app('export', ['--application', application.id]);
    expect(exported).toEqual({ code: 0, stdout: `Wrote Otter (${application.id}) to ${path}.\n`, stderr: '' });
    expect(await readFile(path, 'utf8')).toContain('description: "Swims: well"');
    expect(await app('validate')).toEqual({ code: 0, stdout: `${path} is valid.\n`, stderr: '' });
    expect(await app('plan', ['--exit-code'])).toEqual({
      code: 0,
      stdout: `No changes: Otter (${application.id}) matches ${path}.\n`,
      stderr: '',
    });
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
      JSON.parse((await runCli(['app', 'schema'])).stdout),
    );
    expect([validate(await fileOf()), validate.errors]).toEqual([true, null]);
    expect(validate({ nam: 'x' })).toBe(false);
    expect(validate({ commands: [{ name: 'a', description: 'b', typo: 1 }] })).toBe(false);
  });

  it('replaces an existing file only with --force, and takes the application from it', async () => {
    await write('name: Beaver\n');
    const refused = await app('export');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `causeway: ${path} exists; pass --force to replace it, or --file to name another\n`,
    ]);
    expect((await app('export', ['--force'])).code).toBe(0);
    expect(await readFile(path, 'utf8')).toContain('name: Otter');
  });

  it('lists the applications of the caller if none is named', async () => {
    await createApplication(ada, 'Heron');
    const { code, stderr } = await app('export');
    expect(code).toBe(1);
    expect(stderr).toContain('pass --application with one of these IDs');
    expect(stderr).toContain(`  ${application.id}  Otter`);
  });

  it('prints the file with --file -', async () => {
    const args = ['app', 'export', '--file', '-', '--application', application.id];
    expect((await runCli(args, environment())).stdout).toContain('name: Otter');
  });
});

describe('causeway app validate', () => {
  it('names the line of each fault, without a server', async () => {
    await write(
      'nam: Beaver\ncommands:\n  - name: swim\n    description: Up\n    optons: []\n  - name: Upper\n    description: x\n',
    );
    expect(await app('validate', [], {})).toEqual({
      code: 1,
      stdout: '',
      stderr: `causeway: ${path} is not valid
  ${path}:2: nam: This field is not supported.
  ${path}:6: commands.0.optons: This field is not supported.
  ${path}:7: commands.1.name: Command name is invalid: letters must be lowercase.
`,
    });
  });

  it('accepts the example of docs/app-as-code.md', async () => {
    const page = await readFile(join(import.meta.dirname, '../../docs/app-as-code.md'), 'utf8');
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    await writeFile(path, example);
    expect((await app('validate', [], {})).stdout).toBe(`${path} is valid.\n`);
  });

  it('prints faults of YAML as JSON', async () => {
    await write('name: [\n');
    const { code, stdout } = await app('validate', ['--json'], {});
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, faults: [{ line: 3, path: '' }] });
  });

  it('says which file it cannot read', async () => {
    const { code, stderr } = await app('validate', [], {});
    expect([code, stderr]).toEqual([1, expect.stringContaining(`causeway: ${path} could not be read: ENOENT`)]);
  });
});

describe('causeway app plan', () => {
  it('shows changes and lost permissions, and ends with status 3 if asked to', async () => {
    const guild = await createGuild(ada, 'Harbour');
    await install(ada, application, guild);
    const applicationId = BigInt(application.id);
    const { id: commandId } = await putCommand(server.app, applicationId, { name: 'dive', description: 'Down' });
    const key = { guildId: BigInt(guild.id), applicationId, commandId };
    await putPermissions(server.app, key, { targetType: OF_ROLE, targetId: BigInt(guild.id), allow: true });
    await write(`name: Beaver\n${COMMANDS}webhooks:\n  - name: Deploys\n    channel: ${guild.textChannelId}\n`);
    const { code, stdout } = await app('plan');
    expect([code, stdout]).toEqual([
      0,
      `Plan for Otter (${application.id}):

  ~ name: "Otter" → "Beaver"
  + command /swim
  - command /dive, which loses 1 command permissions in Harbour
  + webhook Deploys in #general

Settings: 1 changed.
Commands: 1 created, 0 changed, 1 deleted, 0 unchanged.
Webhooks: 1 created, 0 changed, 0 deleted, 0 unchanged.
`,
    ]);
    const asked = await app('plan', ['--exit-code', '--json']);
    expect(asked.code).toBe(3);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      application: { id: application.id },
      hasChanges: true,
      plan: { settings: [{ field: 'name', before: 'Otter', after: 'Beaver' }] },
    });
    expect((await fileOf()).name).toBe('Otter');
  });

  it('names the lines of what the server refuses', async () => {
    await write('webhooks:\n  - name: Deploys\n    channel: 1\n');
    const { code, stderr } = await app('plan');
    expect([code, stderr]).toEqual([
      1,
      `causeway: ${path} is not valid, and nothing was changed
  ${path}:4: webhooks.0.channel: This channel does not exist, or you cannot see it.
`,
    ]);
  });

  it.each<[what: string, env: () => Record<string, string>, code: number, stderr: RegExp]>([
    ['no token', () => ({ CAUSEWAY_URL: server.origin }), 2, /set CAUSEWAY_TOKEN to a personal token/],
    [
      'an unknown token',
      () => ({ ...environment(), CAUSEWAY_TOKEN: 'cw_pat_unknown' }),
      1,
      /refused the token; it may be expired or revoked/,
    ],
    ['no server', () => ({ ...environment(), CAUSEWAY_URL: 'http://localhost:9' }), 1, /could not be reached/],
    ['an address that is no URL', () => ({ ...environment(), CAUSEWAY_URL: 'nowhere' }), 2, /nowhere is not a URL/],
  ])('says what to do with %s', async (_what, env, expected, message) => {
    await write('name: Beaver\n');
    const { code, stderr } = await app('plan', [], env());
    expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('says that an application is missing, or that the caller has no role in it', async () => {
    const other = await createApplication(await signUp(server, `bob${application.id}`.slice(0, 30)));
    await write('name: Beaver\n');
    const { code, stderr } = await app('plan', ['--application', other.id]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('or you have no role in it')]);
  });
});

describe('causeway app apply', () => {
  it('applies the file with --yes, and a second time changes nothing', async () => {
    await write(`name: Beaver\n${COMMANDS}`);
    const { code, stdout } = await app('apply', ['--yes']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Applied to Beaver\.\n$/)]);
    expect(await fileOf()).toMatchObject({
      name: 'Beaver',
      commands: [{ name: 'swim', description: 'Stays up', name_localizations: { de: 'schwimmen' } }],
    });
    expect((await app('apply', ['--yes'])).stdout).toContain('No changes');
  });

  it('writes the URLs of new webhooks to a file for its owner, and none to a log', async () => {
    const guild = await createGuild(ada, 'Harbour');
    await write(`webhooks:\n  - name: Deploys\n    channel: "${guild.textChannelId}"\n`);
    const refused = await app('apply', ['--yes']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('pass --webhook-urls PATH')]);
    expect((await fileOf()).webhooks).toEqual([]);
    const urls = join(folder, 'urls.json');
    const done = await app('apply', ['--yes', '--webhook-urls', urls]);
    expect([done.code, done.stdout.includes('/api/webhooks/')]).toEqual([0, false]);
    expect((await stat(urls)).mode & 0o777).toBe(0o600);
    const [webhook] = JSON.parse(await readFile(urls, 'utf8'));
    expect(webhook.name).toBe('Deploys');
    expect((await ask(server, 'POST', webhook.url, { json: { content: 'hi' } })).status).toBe(200);

    const again = await app('apply', ['--yes', '--webhook-urls', urls]);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('No changes')]);
    const described = `description: Announces\nwebhooks:\n  - name: Deploys\n    channel: "${guild.textChannelId}"\n`;
    await write(described);
    expect((await app('apply', ['--yes', '--webhook-urls', urls])).code).toBe(0);
    await write(`${described}  - name: Alerts\n    channel: "${guild.textChannelId}"\n`);
    const exists = await app('apply', ['--yes', '--webhook-urls', urls]);
    expect([exists.code, exists.stderr]).toEqual([1, expect.stringContaining('nothing was applied')]);
    expect(JSON.parse(await readFile(urls, 'utf8'))).toEqual([webhook]);
  });

  it('prints the result as JSON, which needs --yes', async () => {
    await write('name: Beaver\n');
    expect((await app('apply', ['--json'])).code).toBe(2);
    const { stdout } = await app('apply', ['--json', '--yes']);
    expect(JSON.parse(stdout)).toMatchObject({ applied: true, application: { name: 'Beaver' }, createdWebhooks: [] });
  });

  it('needs --yes without a terminal, and changes nothing', async () => {
    await write('name: Beaver\n');
    const { code, stderr } = await app('apply');
    expect([code, stderr]).toEqual([2, 'causeway: there is no terminal to confirm the plan; pass --yes\n']);
    expect((await fileOf()).name).toBe('Otter');
  });

  /** Answers the question in a terminal, after `before`. */
  async function answer(text: string, before: () => Promise<unknown> = async () => {}): Promise<Result> {
    const command = `${process.execPath} ${CLI} app apply --file ${path}`;
    const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
      env: { PATH: process.env.PATH, TERM: 'dumb', ...environment() },
    });
    child.stdout.on('data', async (chunk: Buffer) => {
      if (!chunk.toString().includes('[y/N]')) return;
      await before();
      child.stdin.write(`${text}\n`);
    });
    const [stdout, [code]] = await Promise.all([
      new Response(child.stdout as unknown as ReadableStream).text(),
      new Promise<[number | null]>((resolve) => void child.on('close', (ended) => resolve([ended]))),
    ]);
    return { code, stdout, stderr: '' };
  }

  it.skipIf(noTerminal !== null)(needing(noTerminal, 'asks in a terminal, and applies after “y” only'), async () => {
    await write('name: Beaver\n');
    expect((await answer('n')).code).toBe(1);
    expect((await fileOf()).name).toBe('Otter');
    const applied = await answer('y');
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining('Applied to Beaver.')]);
    expect((await fileOf()).name).toBe('Beaver');
  });

  it.skipIf(noTerminal !== null)(
    needing(noTerminal, 'is refused as a whole if the application changed after the plan was shown'),
    async () => {
      await write(`name: Beaver\n${COMMANDS}`);
      const { code, stdout } = await answer('y', () =>
        update(ada, application.id, { description: 'x', name: 'Heron' }),
      );
      expect([code, stdout]).toEqual([1, expect.stringContaining('The application changed after this plan was made')]);
      expect(await fileOf()).toMatchObject({ name: 'Heron', commands: [] });
    },
  );
});
