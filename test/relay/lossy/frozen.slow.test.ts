import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { REST } from '@discordjs/rest';
import { Client as Eris } from 'eris';
import { Client as Oceanic } from 'oceanic.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BoxProcess, startBoxProcess } from '../../harness/box-process.js';
import { noDiscordPy, PYTHON } from '../../harness/discord-py.js';

let all: BoxProcess;
beforeAll(async () => {
  all = await startBoxProcess();
}, 120_000);
afterAll(async () => {
  all.running.process.kill('SIGCONT');
  await all.stop();
}, 120_000);

const channelId = () => all.guild.textChannelId;

/** Eris speaks https only. This agent connects without TLS. */
function erisAt(origin: string): Eris {
  const { hostname, port } = new URL(origin);
  const agent = new Agent();
  agent.createConnection = () => connect(Number(port), hostname);
  return new Eris(`Bot ${all.bot.botToken}`, { intents: [], rest: { domain: hostname, agent } });
}

const SENDERS: Record<string, () => () => Promise<unknown>> = {
  'discord.js': () => {
    const rest = new REST({ api: `${all.cloud.origin}/api` }).setToken(all.bot.botToken);
    return () => rest.post(`/channels/${channelId()}/messages`, { body: { content: 'discord.js' } });
  },
  'oceanic.js': () => {
    const { rest } = new Oceanic({ auth: `Bot ${all.bot.botToken}`, rest: { baseURL: `${all.cloud.origin}/api/v10` } });
    return () => rest.channels.createMessage(channelId(), { content: 'oceanic.js' });
  },
  eris: () => {
    const client = erisAt(all.cloud.origin);
    return () => client.createMessage(channelId(), 'eris');
  },
};

/** Starts discord.py. Settles once it is about to send; `ended` has its output. */
async function startPython(): Promise<{ child: ChildProcess; ended: Promise<string> }> {
  const script = fileURLToPath(new URL('./discord_py_poster.py', import.meta.url));
  const env = { ORIGIN: all.cloud.origin, BOT_TOKEN: all.bot.botToken, CHANNEL_ID: channelId() };
  const child = spawn(PYTHON, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  return { child, ended: once(lines, 'line').then(([line]) => String(line)) };
}

describe('a box that is frozen past the deadline', () => {
  it('R-23, R-25: is 504 after 12 to 13 s, and messages that libraries repeat until it resumes are sent once', async () => {
    const senders = Object.entries(SENDERS).map(([name, make]) => [name, make()] as const);
    all.running.process.kill('SIGSTOP');
    const python = noDiscordPy === null ? await startPython() : null;
    const began = performance.now();
    const outcomes = senders.map(([, send]) =>
      send().then(
        () => null,
        (error: unknown) => error,
      ),
    );
    const { status, headers } = await all.ask('POST', all.messages, { content: 'by hand' });
    const tookMs = performance.now() - began;
    expect([status, headers.get('x-causeway-reason')]).toEqual([504, 'box-timeout']);
    expect(tookMs).toBeGreaterThanOrEqual(12_000);
    expect(tookMs).toBeLessThan(13_000);
    // Libraries with retries have retried by now.
    const again = all.ask('POST', all.messages, { content: 'by hand' });
    all.running.process.kill('SIGCONT');
    expect((await again).status).toBe(200);
    const failed = await Promise.all(outcomes);
    // Libraries that gave up send again by hand.
    for (const [at, [, send]] of senders.entries()) if (failed[at] !== null) await send();
    if (python) expect(await python.ended).toMatch(/^sent /);
    const { body } = await all.ask('GET', `${all.messages}?limit=100`);
    const contents = body
      .map(({ content }: { content: string }) => content)
      .filter((content: string) => content !== '');
    const expected = ['by hand', ...senders.map(([name]) => name), ...(python ? ['discord.py'] : [])];
    expect(contents.sort()).toEqual(expected.sort());
  }, 120_000);
});
