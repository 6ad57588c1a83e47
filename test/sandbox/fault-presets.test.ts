import { Client, Events, GatewayIntentBits, REST } from 'discord.js';
import { afterAll, beforeEach, expect } from 'vitest';
import type { Instance, World } from '../../src/testing/index.js';
import { test } from '../harness/sandbox.js';

let world: World;
let client: Client;

async function connect(instance: Instance): Promise<void> {
  world = await instance.createWorld({ guilds: [{ name: 'Kitchen', channels: ['kitchen'] }] });
  client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: world.api } });
  const ready = next(Events.ClientReady);
  await client.login(world.bot.token);
  await ready;
}

test.beforeAll(({ instance }) => connect(instance));

beforeEach(() => world.reset());

afterAll(async () => {
  await client.destroy();
  await world.dispose();
});

function next(event: string): Promise<unknown> {
  return new Promise((resolve) => client.once(event as never, resolve as never));
}

/** The outcomes of requests of a library without retries, one after the other. */
async function outcomes(count: number): Promise<string[]> {
  const rest = new REST({ api: world.api, retries: 0 }).setToken(world.bot.token);
  const seen: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const outcome = rest.post(`/channels/${world.guild.channels[0]?.id}/messages`, { body: { content: `${at}` } });
    seen.push(
      await outcome.then(
        () => 'done',
        (error: Error & { status?: number }) => String(error.status ?? error.name),
      ),
    );
  }
  return seen;
}

// Delays of the preset add up to 2 s.
test('flakyNetwork breaks some requests, and the same with the same seed', async () => {
  const fault = await world.addPreset('flakyNetwork', { seed: 7 });
  const first = await outcomes(12);
  expect(await fault.applied()).toBeGreaterThan(0);
  expect(new Set(first).size).toBeGreaterThan(1);
  await fault.remove();
  await world.addPreset('flakyNetwork', { seed: 7 });
  expect(await outcomes(12)).toEqual(first);
  await world.reset();
  await world.addPreset('flakyNetwork', { seed: 8 });
  expect(await outcomes(12)).not.toEqual(first);
});

test('rateLimited answers every third request with 429, which the client waits for', async () => {
  const fault = await world.addPreset('rateLimited');
  expect(await outcomes(3)).toEqual(['done', 'done', 'done']);
  expect(await fault.applied()).toBe(1);
});

// The client waits before it reconnects, and for 1 to 5 s after a refused RESUME.
test('rollingRestart asks to reconnect, and refuses every second RESUME', async () => {
  const resumed = next(Events.ShardResume);
  await world.addPreset('rollingRestart');
  await resumed;
  const again = next(Events.ShardReady);
  await world.bot.disturb({ type: 'reconnect' });
  await again;
});

// The client waits for half a second before each attempt.
test('outage refuses requests and connections, after which the client returns', async () => {
  const resumed = next(Events.ShardResume);
  const fault = await world.addPreset('outage', { forMs: 700 });
  expect(await outcomes(1)).toEqual(['503']);
  await resumed;
  expect(await outcomes(1)).toEqual(['done']);
  expect(await fault.applied()).toBeGreaterThan(1);
});

test('a preset disturbs only the application that it names', async () => {
  await expect(world.addPreset('outage', { application: 'Tea bot' })).rejects.toThrow('no application "Tea bot"');
  await world.addPreset('outage', { application: world.bot.name });
  expect(await outcomes(1)).toEqual(['503']);
});
