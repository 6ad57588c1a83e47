import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { readZip } from '../harness/archives.js';
import { CLI, noTerminal, type Result, resultOf, runCli, SCRIPT } from '../harness/cli.js';
import { it } from '../harness/fixtures.js';
import { codeOf, type Loose } from '../harness/graphql.js';
import { instanceLog, makeOperator } from '../harness/operators.js';
import { createApplication, createGuild, invite, type MadeGuild, type Person, signUp } from '../harness/people.js';
import { startInstance } from '../harness/process.js';
import { makeBox } from '../harness/self-hosted.js';
import type { TestServer } from '../harness/server.js';
import { needing, noSqlite } from '../harness/skipping.js';

let server: TestServer;
let olga: Person;
let ada: Person;
let bob: Person;
let guild: MadeGuild;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [olga, ada, bob] = [await signUp(server, 'olga'), await signUp(server, 'ada'), await signUp(server, 'bob')];
  await makeOperator(server, olga);
  guild = await createGuild(ada, 'Harbour');
  await invite(ada, guild, bob);
  await createApplication(ada, 'Otter');
  await makeBox(ada, 'Attic');
});

const onMachine = () => ({ DATA_DIR: server.app.config.dataDir });
const admin = (args: string[], env: Record<string, string> = onMachine()): Promise<Result> =>
  runCli(['admin', ...args], env);

/** The JSON that a command prints. */
async function json(...args: string[]): Promise<Loose> {
  const { code, stdout, stderr } = await admin([...args, '--json']);
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const REASON = ['--reason', 'test'];
const logged = async (count: number) => (await instanceLog(olga)).slice(0, count);

describe('causeway admin on the machine of the instance', () => {
  it('lists, shows, suspends and restores people, whom it finds by ID, username and email address', async () => {
    const list = await json('people', 'list', '--search', 'ADA');
    expect(list).toMatchObject({ edges: [{ node: { id: ada.id, user: { username: 'ada' } } }], pageInfo: {} });
    for (const given of [ada.id, 'Ada', ada.email]) expect((await json('people', 'show', given)).id).toBe(ada.id);
    const suspended = await json('people', 'suspend', 'ada', '--text', 'Stop.', ...REASON, '--yes');
    expect(suspended.person).toMatchObject({ id: ada.id, suspensionText: 'Stop.' });
    expect((await json('people', 'list', '--suspended')).edges).toHaveLength(1);
    expect((await json('people', 'restore', ada.email, ...REASON)).person.suspendedAt).toBeNull();
    expect(await logged(2)).toEqual(['PERSON_RESTORE |  | ada | test', 'PERSON_SUSPEND |  | ada | test']);
  });

  it('signs people out, creates password links, and gives and takes roles', async () => {
    const eva = await signUp(server, 'eva');
    expect((await json('people', 'sign-out', 'eva', ...REASON, '--yes')).person.id).toBe(eva.id);
    expect((await json('people', 'password-link', 'eva', ...REASON)).url).toContain('/oauth2/password?token=');
    expect((await json('people', 'role', 'eva', 'moderator', ...REASON)).person.operatorRole).toBe('MODERATOR');
    expect((await json('people', 'role', 'eva', 'none', ...REASON)).person.operatorRole).toBeNull();
    expect(await logged(2)).toEqual(['OPERATOR_UPDATE |  | eva | test', 'OPERATOR_UPDATE |  | eva | test']);
  });

  it('takes the role of the last operator, and says what follows', async () => {
    const { code, stderr } = await admin(['people', 'role', 'olga', 'none', ...REASON]);
    expect([code, stderr]).toEqual([0, 'This instance has no operator now. Its next start prints a set-up link.\n']);
    await makeOperator(server, olga);
  });

  it('lists, shows, hands over and deletes servers', async () => {
    expect((await json('servers', 'list', '--owner', 'ada')).edges).toMatchObject([{ node: { name: 'Harbour' } }]);
    expect(await json('servers', 'show', 'harbour')).toMatchObject({ id: guild.id, figures: { messages: 0 } });
    const { server: moved } = await json('servers', 'transfer', guild.id, '--to', 'bob', ...REASON, '--yes');
    expect(moved.owner.username).toBe('bob');
    expect(await json('servers', 'delete', 'Harbour', ...REASON, '--yes')).toEqual({ id: guild.id });
    expect(await logged(2)).toEqual(['SERVER_DELETE |  | Harbour | test', 'SERVER_TRANSFER |  | Harbour | test']);
  });

  it('lists, shows, suspends and restores applications', async () => {
    expect((await json('applications', 'list', '--search', 'otter')).edges).toHaveLength(1);
    expect(await json('applications', 'show', 'Otter')).toMatchObject({ ownerUser: { username: 'ada' } });
    const { application } = await json('applications', 'suspend', 'Otter', ...REASON, '--yes');
    expect(application.suspendedAt).not.toBeNull();
    expect((await json('applications', 'restore', 'Otter', ...REASON)).application.suspendedAt).toBeNull();
  });

  it('lists and disconnects boxes', async () => {
    expect((await json('boxes', 'list')).edges).toMatchObject([{ node: { name: 'Attic' } }]);
    const { box } = await json('boxes', 'disconnect', 'Attic', ...REASON, '--yes');
    expect(box).toMatchObject({ name: 'Attic' });
  });

  it('creates, lists and revokes invitations', async () => {
    const made = await json('invites', 'create', '--uses', 'any', '--days', 'never', '--note', 'course');
    expect(made.url).toContain('/portal/sign-up#');
    const [first] = await json('invites', 'list');
    expect(first).toMatchObject({ note: 'course', maxUses: null, expiresAt: null, createdBy: null });
    expect(await json('invites', 'revoke', first.id, '--yes')).toEqual({ id: first.id });
    expect(await json('invites', 'list')).toEqual([]);
  });

  it('shows, sets and unsets limits, for everyone and for one person', async () => {
    expect(await json('limits', 'set', 'guilds', '7', ...REASON)).toEqual({ kind: 'GUILDS', subject: '', value: 7 });
    await json('limits', 'set', 'guilds', '2', '--for', bob.id, ...REASON);
    const guilds = (await json('limits', 'show')).find(({ kind }: Loose) => kind === 'GUILDS');
    expect(guilds).toMatchObject({ value: 7, perSubject: [{ subject: bob.id, value: 2 }] });
    expect((await admin(['limits', 'show'])).stdout).toMatch(new RegExp(`guilds +bob \\(${bob.id}\\) +2 +200`));
    expect((await admin(['limits', 'unset', 'guilds', '--for', bob.id, ...REASON])).stdout).toBe(
      `The limit guilds for ${bob.id} has the value for everyone again.\n`,
    );
    await json('limits', 'unset', 'guilds', ...REASON);
    expect((await logged(1))[0]).toMatch(/^LIMIT_UPDATE/);
    const { code, stderr } = await admin(['limits', 'set', 'sandwiches', '1', ...REASON]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('SANDWICHES')]);
  });

  it('exports a person to a new archive, which only its owner can read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'export-'));
    const file = join(folder, 'bob.zip');
    expect(await json('people', 'export', 'bob', '--output', file, ...REASON)).toEqual({ personId: bob.id, file });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse((await readZip(await readFile(file))).get('profile.json')?.toString() ?? '')).toMatchObject({
      id: bob.id,
      username: 'bob',
    });
    const again = await admin(['people', 'export', 'bob', '--output', file, ...REASON]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`${file} exists`)]);
    await rm(folder, { recursive: true });
  });

  it('deletes a person with everything they own and posted', async () => {
    const mia = await signUp(server, 'mia');
    await createGuild(mia, 'Spam');
    const refused = await admin(['people', 'delete', 'mia', ...REASON, '--yes']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('mia owns 1 server; hand them over first'),
    ]);
    const everything = ['--with-messages', '--with-owned', '--yes', ...REASON];
    expect(await json('people', 'delete', 'mia', ...everything)).toEqual({ personId: mia.id });
    expect((await admin(['people', 'show', mia.id])).code).toBe(1);
    expect((await logged(1))[0]).toMatch(/^PERSON_DELETE/);
  });

  it('shows the audit log, filtered by action and target', async () => {
    await json('people', 'sign-out', 'bob', ...REASON, '--yes');
    const log = await json('audit', '--action', 'PERSON_SIGN_OUT', '--target', bob.id, '--limit', '1');
    expect(log.edges).toMatchObject([{ node: { actor: null, targetName: 'bob', reason: 'test' } }]);
    expect((await json('audit', '--actor', 'bob')).edges).toEqual([]);
    expect((await admin(['audit'])).stdout).toMatch(/command line +PERSON_SIGN_OUT +bob +test\n$/);
  });

  it('prints a table, and how to get the next page', async () => {
    const { stdout, stderr } = await admin(['people', 'list', '--limit', '1']);
    expect(stdout).toMatch(/^ID +USERNAME +EMAIL +SIGNED UP +STATE\n\d+ +olga +\S+ +\S+ \S+ UTC +operator\n$/);
    const [, cursor = ''] = /^There are more: pass --after (\d+)\n$/.exec(stderr) ?? [];
    expect((await json('people', 'list', '--limit', '1', '--after', cursor)).edges[0].node.id).toBe(ada.id);
  });
});

describe('causeway admin', () => {
  it('needs --yes without a terminal for what removes something, and changes nothing', async () => {
    const { code, stderr } = await admin(['people', 'suspend', 'bob', ...REASON]);
    expect([code, stderr]).toEqual([2, 'causeway: there is no terminal to confirm this; pass --yes\n']);
    expect((await json('people', 'show', 'bob')).suspendedAt).toBeNull();
  });

  it.skipIf(noTerminal !== null)(needing(noTerminal, 'asks in a terminal, and acts after “y” only'), async () => {
    const answer = async (given: string) => {
      const command = `${process.execPath} ${CLI} admin applications suspend Otter --reason test`;
      const env = { PATH: process.env.PATH, TERM: 'dumb', ...onMachine() };
      const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { env });
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('[y/N]')) child.stdin.write(`${given}\n`);
      });
      const [shown, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
      return [code, shown];
    };
    expect(await answer('n')).toEqual([1, expect.stringContaining('It stops at once, in 0 servers.')]);
    expect((await json('applications', 'show', 'Otter')).suspendedAt).toBeNull();
    expect(await answer('y')).toEqual([0, expect.stringContaining('Suspended Otter')]);
    await json('applications', 'restore', 'Otter', ...REASON);
  });

  it.each([
    [['people', 'suspend', 'bob', '--yes'], 2, "required option '--reason <text>' not specified"],
    [['people', 'list', '--limit', '0'], 2, 'Write a number from 1 to 100.'],
    [['people', 'list', '--token', 'cw_pat_x'], 2, 'set CAUSEWAY_URL to act with the token'],
    [['people', 'show', 'ghost'], 1, 'there is no person ghost; `causeway admin people list` shows all'],
    [['people', 'suspend', 'olga', ...REASON, '--yes'], 1, 'olga is an operator of this instance.'],
    [['people', 'sign-out', 'bob', '--reason', ' ', '--yes'], 1, 'causeway: reason: '],
    [['people', 'delete', 'ada', ...REASON, '--yes'], 1, 'hand them over first, or pass --with-owned'],
    [
      ['people', 'export', 'bob', ...REASON, '--output', '/dev/null'],
      1,
      '/dev/null exists; remove it, or pass --output',
    ],
    [['limits', 'set', 'messages', '1', '--for', 'ghost', ...REASON], 1, 'causeway: subject: Not found.'],
    [['invites', 'revoke', '1', '--yes'], 1, 'This invitation does not exist or was revoked.'],
  ])('ends %j with status %i and says why', async (args, status, complaint) => {
    const { code, stdout, stderr } = await admin(args);
    expect({ code, stdout }).toEqual({ code: status, stdout: '' });
    expect(stderr).toContain(complaint);
  });

  it('changes a limit for a person, and shows limits and refusals with names', async () => {
    const kim = await signUp(server, 'kim');
    await json('limits', 'set', 'guilds', '0', '--for', kim.email, ...REASON);
    const shown = new RegExp(`^guilds +kim \\(${kim.id}\\) +0 `, 'm');
    expect((await admin(['limits', 'show'])).stdout).toMatch(shown);
    await kim.ask('mutation { createGuild(input: { name: "Quay" }) { guild { id } } }');
    const limited = { kind: 'GUILDS', subjectName: 'kim', refusals: 1 };
    expect(await json('limits', 'limited')).toContainEqual(expect.objectContaining(limited));
    expect((await admin(['limits', 'limited'])).stdout).toContain(`guilds  kim (${kim.id})  1 `);
    await json('limits', 'unset', 'guilds', '--for', kim.email, ...REASON);
  });

  it('asks for an ID if several have the name', async () => {
    const made = [await createApplication(bob, 'Twin'), await createApplication(bob, 'Twin')];
    const { code, stderr } = await admin(['applications', 'show', 'Twin']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('2 applications are called Twin; pass an ID:')]);
    for (const { id } of made) expect(stderr).toContain(id);
  });

  it('says what to do if no instance runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-admin-'));
    const { code, stderr } = await admin(['people', 'list'], { DATA_DIR: folder });
    await rm(folder, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toContain(`no instance runs with this data folder (${join(folder, 'admin.sock')})`);
    expect(stderr).toContain('set DATA_DIR or --data-dir');
  });
});

describe('causeway admin with a personal token', () => {
  const CREATE = `mutation ($forOperator: Boolean!) {
    createPersonalToken(input: { name: "CLI", forOperator: $forOperator }) { token }
  }`;
  const tokenOf = async (person: Person, forOperator: boolean) => ({
    CAUSEWAY_URL: server.origin,
    CAUSEWAY_TOKEN: (await person.graphql(CREATE, { forOperator })).createPersonalToken.token,
  });

  it('acts as its owner, who has a role, but gives no roles', async () => {
    const env = await tokenOf(olga, true);
    expect((await admin(['people', 'sign-out', 'bob', ...REASON, '--yes'], env)).code).toBe(0);
    expect(await logged(1)).toEqual(['PERSON_SIGN_OUT | olga | bob | test']);
    const { code, stderr } = await admin(['people', 'role', 'bob', 'operator', ...REASON], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('run this on the machine of the instance')]);
  });

  it('is refused for everyone else, and with other tokens', async () => {
    for (const env of [await tokenOf(olga, false), await tokenOf(await signUp(server, 'zoe'), false)]) {
      const { code, stdout, stderr } = await admin(['people', 'list', '--json'], env);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('or you have no role in it');
    }
  });

  it('needs a token', async () => {
    const { code, stderr } = await admin(['people', 'list'], { CAUSEWAY_URL: server.origin });
    expect([code, stderr]).toEqual([2, expect.stringContaining('set CAUSEWAY_TOKEN to a personal token')]);
  });
});

describe('the socket', () => {
  /** Status and body. */
  function send(
    method: string,
    path: string,
    query = '{ me { id } instance { operators { id } } }',
    headers: Record<string, string> = {},
  ): Promise<[status: number | undefined, body: Loose]> {
    const socketPath = join(server.app.config.dataDir, 'admin.sock');
    return new Promise((resolve, reject) => {
      request(
        { socketPath, method, path, headers: { 'content-type': 'application/json', ...headers } },
        async (response) => {
          const body = await text(response);
          resolve([response.statusCode, body.startsWith('{') ? JSON.parse(body) : body]);
        },
      )
        .once('error', reject)
        .end(method === 'POST' ? JSON.stringify({ query }) : undefined);
    });
  }

  it('is for its owner only', async () => {
    expect((await stat(join(server.app.config.dataDir, 'admin.sock'))).mode & 0o777).toBe(0o600);
  });

  it('ignores cookies and tokens, and always acts as the machine', async () => {
    const headers = { authorization: `Bearer ${bob.token}`, cookie: 'causeway.session_token=x' };
    const [status, { data }] = await send('POST', '/graphql', undefined, headers);
    expect([status, data.me]).toEqual([200, null]);
    expect(data.instance.operators).toEqual([{ id: olga.id }]);
  });

  it('refuses everything that needs a person', async () => {
    const refused = [
      '{ guilds { id } }',
      '{ applications { id } }',
      'mutation { createGuild(input: { name: "Harbour" }) { guild { id } } }',
      'mutation { claimInstance(input: { token: "x" }) { role } }',
      'mutation { createPersonalToken(input: { name: "x" }) { token } }',
    ];
    for (const query of refused) expect(codeOf((await send('POST', '/graphql', query))[1]), query).toBe('FORBIDDEN');
  });

  it('serves nothing else', async () => {
    for (const [method, path] of [
      ['GET', '/graphql?query={me{id}}'],
      ['GET', '/portal'],
      ['POST', '/auth/sign-in/email'],
      ['POST', '/graphql?x=1'],
      ['DELETE', '/graphql'],
    ] as const) {
      expect((await send(method, path))[0], `${method} ${path}`).toBe(404);
    }
  });

  it('has no counterpart at the port, which knows no machine', async () => {
    const response = await fetch(`${server.origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', host: 'localhost' },
      body: JSON.stringify({ query: '{ instance { operators { id } } }' }),
    });
    expect(codeOf((await response.json()) as Loose)).toBe('UNAUTHENTICATED');
  });

  const noRoot = process.getuid?.() === 0 ? noSqlite : 'needs root, to become another user';

  it.skipIf(noRoot)(needing(noRoot, 'refuses other users, and is replaced after a crash'), async () => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-admin-'));
    const instance = await startInstance({ DATA_DIR: folder });
    await chmod(folder, 0o755);
    const env = { PATH: process.env.PATH, DATA_DIR: folder };
    const child = spawn(process.execPath, [CLI, 'admin', 'people', 'list'], { env, uid: 65_534, gid: 65_534 });
    const { code, stderr } = await resultOf(child);
    expect([code, stderr]).toEqual([1, expect.stringContaining('belongs to another user')]);
    await instance.end('SIGKILL');
    expect((await admin(['people', 'list'], { DATA_DIR: folder })).stderr).toContain('no instance runs');
    const restarted = await startInstance({ DATA_DIR: folder });
    expect(await admin(['people', 'list'], { DATA_DIR: folder })).toEqual({ code: 0, stdout: 'None.\n', stderr: '' });
    await restarted.end('SIGTERM');
    await rm(folder, { recursive: true });
  });
});
