import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { noDiscordPy, PYTHON } from '../harness/discord-py.js';
import { createApplication, createGuild, install, type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { type RunningProgram, startProgram } from './programs.js';

/** Programs that print where they find a picture, with the settings of docs/connect-a-bot.md. */
const PICTURES = {
  'discord.js': [process.execPath, 'bots/pictures/discord-js.js'],
  'oceanic.js': [process.execPath, 'bots/pictures/oceanic.js'],
  eris: [process.execPath, 'bots/pictures/eris.js'],
  'discord.py': [PYTHON, 'bots/pictures/discord_py.py'],
} as const;

let server: TestServer;
let ada: Person;
let running: RunningProgram | undefined;
beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  ada = await signUp(server, 'ada');
});
afterEach(() => running?.stop());
afterAll(() => server.stop());

describe('a stock bot gets the URLs of images from one setting', () => {
  for (const [library, [program, script]] of Object.entries(PICTURES)) {
    const missing = library === 'discord.py' ? noDiscordPy : null;
    it.skipIf(missing)(needing(missing, library), async () => {
      const { botToken } = await createApplication(ada, `Eye of ${library}`);
      const env = { API_URL: `${server.origin}/api`, CDN_URL: `${server.origin}/cdn`, BOT_TOKEN: botToken };
      running = await startProgram({ program, script, env, ready: 'picture ' });
      const address = running.ready.replace('picture ', '');
      expect(address.startsWith(`${server.origin}/cdn/`)).toBe(true);
      const picture = await fetch(address);
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    });
  }
});

const ANY_BOT = resolve(import.meta.dirname, '../../examples/any-bot');

/** Programs without a configured URL, and the modules of examples/any-bot that their libraries load first. */
const UNTOLD = {
  'discord.js': [process.execPath, 'bots/any/discord-js.js', { NODE_OPTIONS: `-r ${ANY_BOT}/discord-js.cjs` }],
  'discord.py': [PYTHON, 'bots/any/discord_py.py', { PYTHONPATH: ANY_BOT }],
} as const;

describe('a stock bot without a configured URL works with the modules of examples/any-bot', () => {
  for (const [library, [program, script, preload]] of Object.entries(UNTOLD)) {
    const missing = library === 'discord.py' ? noDiscordPy : null;
    it.skipIf(missing)(needing(missing, library), async () => {
      const { id, botToken } = await createApplication(ada, `Any ${library}`);
      const env = { API_URL: `${server.origin}/api/v10/`, BOT_TOKEN: botToken, ...preload };
      running = await startProgram({ program, script, env, ready: 'picture ' });
      expect(running.ready.startsWith(`picture ${server.origin}/cdn/`)).toBe(true);
      const { application } = await ada.graphql('query ($id: ID!) { application(id: $id) { commands { name } } }', {
        id,
      });
      const names = application.commands.map(({ name }: { name: string }) => name);
      expect(names).toEqual(library === 'discord.js' ? ['one', 'two'] : ['one']);
    });
  }

  it('if it uses discord.js, asks for the number of shards', async () => {
    const { botToken } = await createApplication(ada, 'Any fleet');
    const env = { API_URL: `${server.origin}/api`, BOT_TOKEN: botToken, ...UNTOLD['discord.js'][2] };
    const script = 'bots/any/manager.js';
    running = await startProgram({ program: process.execPath, script, env });
    expect(running.ready).toBe('1 online');
  });

  it.each(Object.entries(UNTOLD))('and a program without %s runs as usual', (library, [program, , preload]) => {
    const say = library === 'discord.js' ? ['-p', '"here"'] : ['-S', '-c', 'import sitecustomize; print("here")'];
    const options = { env: { ...process.env, ...preload }, cwd: tmpdir(), encoding: 'utf8' } as const;
    const { stdout, error } = spawnSync(program, say, options);
    // Without Python there is nothing to test.
    if (!error) expect(stdout).toBe('here\n');
  });
});

it('the ShardingManager of discord.js starts its shards if it gets their number', async () => {
  const application = await createApplication(ada, 'Fleet');
  for (const name of ['Harbour', 'Dock']) await install(ada, application, await createGuild(ada, name));
  const env = { API_URL: `${server.origin}/api`, BOT_TOKEN: application.botToken };
  running = await startProgram({
    program: process.execPath,
    script: 'bots/sharded/manager.js',
    env,
    ready: 'all online',
  });
  const seen = [];
  for (const shard of [0, 1]) seen.push(Number(await running.tells(`shard ${shard} of 2 sees `)));
  expect(seen[0]! + seen[1]!).toBe(2);
}, 120_000);
