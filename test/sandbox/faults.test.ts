import { setTimeout } from 'node:timers/promises';
import { Client, Events, GatewayIntentBits, RESTEvents } from 'discord.js';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import type { FaultSeed, Instance, World } from '../../src/testing/index.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { test } from '../harness/sandbox.js';

/** Each effect is seen by a stock client. */
let world: World;
let client: Client;

async function connect(instance: Instance): Promise<void> {
  world = await instance.createWorld({ guilds: [{ name: 'Kitchen', channels: ['kitchen'] }] });
  client = await startClient(world);
}

function newClient({ api }: World): Client {
  const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
  const made = new Client({
    intents: [Guilds, GuildMessages, MessageContent],
    rest: { api, retries: 1 },
    waitGuildTimeout: 200,
  });
  made.on(Events.Error, () => {});
  return made;
}

async function startClient(of: World): Promise<Client<true>> {
  const started = newClient(of);
  const ready = new Promise((resolve) => started.once(Events.ClientReady, resolve));
  await started.login(of.bot.token);
  await ready;
  return started as Client<true>;
}

test.beforeAll(({ instance }) => connect(instance));

beforeEach(() => world.reset());

afterAll(async () => {
  await client.destroy();
  await world.dispose();
});

function post(content = 'hello', signal?: AbortSignal): Promise<unknown> {
  return client.rest.post(`/channels/${world.guild.channels[0]?.id}/messages`, { body: { content }, signal });
}

const MESSAGES = 'POST /channels/:id/messages';

function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: Error & { status?: number }) => String(error.status ?? error.name),
  );
}

function next(event: string, from: Client = client): Promise<unknown[]> {
  return new Promise((resolve) => from.once(event as never, (...given: unknown[]) => resolve(given)));
}

describe('a fault of the REST API', () => {
  test('answers with a status', async () => {
    const fault = await world.addFault({ route: MESSAGES, effect: { type: 'status', status: 503 } });
    expect(await outcomeOf(post())).toBe('503');
    // The library repeats a request after a status of 500 or more.
    expect(await fault.applied()).toBe(2);
    await fault.remove();
    expect(await outcomeOf(post())).toBe('done');
  });

  test('applies on the chosen occasions only', async () => {
    const statuses = async (occasion: Partial<FaultSeed>) => {
      const fault = await world.addFault({
        route: MESSAGES,
        effect: { type: 'status', status: 403 },
        ...occasion,
      } as FaultSeed);
      const seen: string[] = [];
      for (let count = 0; count < 5; count += 1) seen.push((await outcomeOf(post())) === 'done' ? '-' : 'x');
      await fault.remove();
      return seen.join('');
    };
    expect(await statuses({ nth: 2 })).toBe('-x---');
    expect(await statuses({ every: 2 })).toBe('-x-x-');
    expect(await statuses({ from: 2, to: 3 })).toBe('-xx--');
    const random = await statuses({ probability: 0.5, seed: 7 });
    expect(random).toContain('x');
    expect(await statuses({ probability: 0.5, seed: 7 })).toBe(random);
  });

  test('delays an answer', async () => {
    await world.addFault({ route: MESSAGES, effect: { type: 'delay', ms: 120 } });
    const began = performance.now();
    await post();
    expect(performance.now() - began).toBeGreaterThan(100);
  });

  test('never answers, so that the client gives up', async () => {
    const fault = await world.addFault({ route: MESSAGES, effect: { type: 'hang' } });
    expect(await outcomeOf(post('hello', AbortSignal.timeout(200)))).toBe('AbortError');
    expect(await fault.applied()).toBe(1);
  });

  test('resets the connection before the request is carried out', async () => {
    await world.addFault({ route: MESSAGES, to: 2, effect: { type: 'reset' } });
    expect(await outcomeOf(post())).not.toBe('done');
    await world.channel('kitchen').expectSilence(20);
  });

  test('cuts the answer after the request was carried out', async () => {
    await world.addFault({ route: MESSAGES, nth: 1, effect: { type: 'cut' } });
    expect(await outcomeOf(post('cut'))).not.toBe('done');
    expect((await world.channel('kitchen').nextMessage()).content).toBe('cut');
  });

  test.for(['user', 'global', 'shared'] as const)(
    'answers 429 with the scope %s, which the client waits for',
    async (scope) => {
      await world.addFault({ route: MESSAGES, nth: 1, effect: { type: 'rateLimit', scope, retryAfterMs: 60 } });
      const scopes: (string | null)[] = [];
      const note = (_request: unknown, { status, headers }: Response) => {
        if (status === 429) scopes.push(headers.get('x-ratelimit-scope'));
      };
      client.rest.on(RESTEvents.Response, note as never);
      expect(await outcomeOf(post())).toBe('done');
      client.rest.off(RESTEvents.Response, note as never);
      expect(scopes).toEqual([scope]);
    },
  );
});

describe('a fault of the gateway', () => {
  test('closes the connection with a code, after which the client resumes', async () => {
    const resumed = next(Events.ShardResume);
    await world.bot.disturb({ type: 'close', code: 4000 });
    await resumed;
  });

  test('asks the client to reconnect', async () => {
    const resumed = next(Events.ShardResume);
    await world.bot.disturb({ type: 'reconnect' });
    await resumed;
  });

  test('invalidates the session, so that the client identifies again', async () => {
    const again = next(Events.ShardReady);
    await world.bot.disturb({ type: 'invalidSession', resumable: false });
    await again;
  });

  test('drops, duplicates, delays and reorders events', async () => {
    const heard: string[] = [];
    // The library itself ignores a message that it knows.
    const listen = ({ t, d }: { t: string; d: { content: string } }) =>
      void (t === 'MESSAGE_CREATE' && heard.push(d.content));
    client.on(Events.Raw, listen);
    const kitchen = world.person('ada').in('kitchen');
    await world.addFault({ event: 'MESSAGE_CREATE', nth: 1, effect: { type: 'drop' } });
    await world.addFault({ event: 'MESSAGE_CREATE', nth: 2, effect: { type: 'duplicate' } });
    await world.addFault({ event: 'MESSAGE_CREATE', nth: 3, effect: { type: 'reorder', count: 1 } });
    for (const content of ['dropped', 'twice', 'late', 'early']) await kitchen.send(content);
    await expect.poll(() => heard).toEqual(['twice', 'twice', 'early', 'late']);
    const swap = await world.addFault({ event: 'MESSAGE_CREATE', effect: { type: 'reorder', count: 1 } });
    for (const content of ['two', 'one', 'four', 'three']) await kitchen.send(content);
    await expect.poll(() => heard.slice(4)).toEqual(['one', 'two', 'three', 'four']);
    await swap.remove();
    await world.addFault({ event: 'MESSAGE_CREATE', effect: { type: 'delay', ms: 80 } });
    await kitchen.send('slow');
    await setTimeout(20);
    expect(heard).not.toContain('slow');
    await expect.poll(() => heard).toContain('slow');
    client.off(Events.Raw, listen);
  });

  test('says HELLO late', async ({ instance }) => {
    const other = await instance.createWorld();
    await other.addFault({ opcode: 10, nth: 1, effect: { type: 'delay', ms: 150 } });
    const began = performance.now();
    const late = await startClient(other);
    expect(performance.now() - began).toBeGreaterThan(150);
    await late.destroy();
    await other.dispose();
  });

  test('leaves heartbeats without an acknowledgement, after which the client resumes', async ({ instance }) => {
    const other = await instance.createWorld();
    await other.addFault({ opcode: 10, nth: 1, effect: { type: 'heartbeatInterval', ms: 100 } });
    const dropped = await other.addFault({ opcode: 11, effect: { type: 'drop' } });
    const zombie = await startClient(other);
    await next(Events.ShardResume, zombie);
    expect(await dropped.applied()).toBe(1);
    const texts = (await other.transcript()).map(({ text }) => text);
    expect(texts).toContain('Test bot HeartbeatAck: {"type":"drop"}');
    await zombie.destroy();
    await other.dispose();
  });
});

describe('an unavailable server', () => {
  test('is announced to the bots, sends them no event, and returns when the rule ends', async () => {
    const heard: string[] = [];
    const listen = ({ content }: { content: string }) => void heard.push(content);
    client.on(Events.MessageCreate, listen);
    const gone = next(Events.GuildUnavailable);
    const fault = await world.addFault({ guild: 'Kitchen', effect: { type: 'unavailable' } });
    await gone;
    expect(await fault.applied()).toBe(1);
    await world.person('ada').in('kitchen').send('unheard');
    const back = next(Events.GuildAvailable);
    await fault.remove();
    await back;
    await world.person('ada').in('kitchen').send('heard');
    await expect.poll(() => heard).toEqual(['heard']);
    client.off(Events.MessageCreate, listen);
  });

  test('returns when the world is reset', async () => {
    const gone = next(Events.GuildUnavailable);
    await world.addFault({ guild: 'Kitchen', effect: { type: 'unavailable' } });
    await gone;
    const back = next(Events.GuildAvailable);
    await world.reset();
    await back;
    const heard = next(Events.MessageCreate);
    await world.person('ada').in('kitchen').send('hello');
    await heard;
  });

  test('stays unavailable to a bot that connects, until the time of the rule is over', async ({ instance }) => {
    const other = await instance.createWorld();
    await other.addFault({ guild: other.guild.name, forMs: 1_000, effect: { type: 'unavailable' } });
    const late = await startClient(other);
    expect(late.guilds.cache.get(other.guild.id)?.available).toBe(false);
    await next(Events.GuildAvailable, late);
    expect(late.guilds.cache.get(other.guild.id)?.name).toBe(other.guild.name);
    await late.destroy();
    await other.dispose();
  });
});

describe('a used up budget of IDENTIFY', () => {
  const rule = { identify: true, effect: { type: 'budgetUsedUp' } } as const;

  test('keeps a client from connecting, which reads it first', async ({ instance }) => {
    const other = await instance.createWorld();
    const fault = await other.addFault(rule);
    await expect(newClient(other).login(other.bot.token)).rejects.toThrow('only 0 remaining');
    await fault.remove();
    await (await startClient(other)).destroy();
    await other.dispose();
  });

  test('answers IDENTIFY with opcode 9, in this world alone', async ({ instance, running }) => {
    const [other, third] = await Promise.all([instance.createWorld(), instance.createWorld()]);
    const fault = await other.addFault(rule);
    const answerTo = async ({ bot: { token } }: World) => {
      const gateway = await GatewayClient.open(running.origin);
      gateway.send(2, { token, intents: 0, properties: {} });
      const { op } = await gateway.next((frame) => frame.op === 9 || frame.op === 0);
      gateway.socket.close();
      return op;
    };
    expect(await answerTo(other)).toBe(9);
    expect(await answerTo(third)).toBe(0);
    expect(await fault.applied()).toBe(1);
    await other.dispose();
    await third.dispose();
  });
});

describe('a rule', () => {
  test('ends when its time is over, and keeps its count', async () => {
    const fault = await world.addFault({ route: MESSAGES, forMs: 300, effect: { type: 'status', status: 403 } });
    expect(await outcomeOf(post())).toBe('403');
    await expect.poll(() => outcomeOf(post())).toBe('done');
    expect(await fault.applied()).toBeGreaterThan(0);
  });

  test('affects only the bots of its world', async ({ instance }) => {
    const other = await instance.createWorld();
    await other.addFault({ route: '* /', effect: { type: 'status', status: 500 } });
    expect(await outcomeOf(post())).toBe('done');
    await other.dispose();
  });

  test('can be removed once', async () => {
    const fault = await world.addFault({ route: MESSAGES, effect: { type: 'hang' } });
    await fault.remove();
    await expect(fault.remove()).rejects.toMatchObject({ code: 'UNKNOWN_FAULT', status: 404 });
  });

  test('is refused if it names an unknown application, or no occasion', async () => {
    const effect = { type: 'drop' } as const;
    await expect(world.addFault({ application: 'Tea bot', event: 'READY', effect })).rejects.toThrow(
      'no application "Tea bot"',
    );
    await expect(world.addFault({ guild: 'Cellar', effect: { type: 'unavailable' } })).rejects.toThrow(
      'no server "Cellar"',
    );
    await expect(world.addFault({ opcode: 11, effect: { type: 'heartbeatInterval', ms: 100 } })).rejects.toThrow(
      'Only HELLO has a heartbeat interval: set opcode to 10.',
    );
    await expect(world.addFault({ effect })).rejects.toThrow('Set either event or opcode.');
  });
});
