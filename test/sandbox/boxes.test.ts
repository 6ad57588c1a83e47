import { Client, Events, GatewayIntentBits, type Message } from 'discord.js';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import type { Instance, World } from '../../src/testing/index.js';
import { test } from '../harness/sandbox.js';

/** A world whose second server is on a box, seen by a stock client. */
let world: World;
let client: Client<true>;

const SEED = {
  people: ['ada', 'grace'],
  guilds: [
    { name: 'Kitchen', channels: ['kitchen'] },
    { name: 'Cellar', box: true, owner: 'grace', channels: ['wine'], roles: [{ name: 'Cook', members: ['ada'] }] },
  ],
  applications: ['Chef'],
};

async function connect(instance: Instance): Promise<void> {
  world = await instance.createWorld(SEED);
  const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
  client = new Client({
    intents: [Guilds, GuildMessages, MessageContent],
    rest: { api: world.api, retries: 1 },
    waitGuildTimeout: 1_000,
  });
  const ready = next(Events.ClientReady);
  await client.login(world.bot.token);
  await ready;
}

function next(event: string, matches: (given: never) => boolean = () => true): Promise<unknown> {
  return new Promise((resolve) => {
    client.on(event as never, function listen(given: never) {
      if (!matches(given)) return;
      client.off(event as never, listen);
      resolve(given);
    });
  });
}

const post = (content: string) => {
  const [channel] = world.guilds[1]?.channels ?? [];
  return client.rest.post(`/channels/${channel?.id}/messages`, { body: { content } });
};

const statusOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    ({ status }: { status?: number }) => status,
  );

const isWine = ({ name }: { name: string }) => name === 'Cellar';

test.beforeAll(({ instance }) => connect(instance));

// A reset restarts the box.
beforeEach(() => world.reset());

afterAll(async () => {
  await client.destroy();
  await world.dispose();
});

describe('a server on the box of a world', () => {
  test('looks to a bot like any other', async ({ running }) => {
    // They would remove bots that the cloud does not know in the server.
    expect(await running.app.db.reader.job.count({ where: { kind: 'settle-box-bot' } })).toBe(0);
    const guild = client.guilds.cache.get(world.guilds[1]?.id ?? '');
    expect(guild).toMatchObject({ name: 'Cellar', available: true, memberCount: 3 });
    const heard = next(Events.MessageCreate) as Promise<Message>;
    const ada = world.person('ada');
    await ada.in('wine').send('Which one?');
    const message = await heard;
    expect(message).toMatchObject({ content: 'Which one?', author: { username: 'ada' }, guild: { name: 'Cellar' } });
    await message.reply('The red one.');
    expect(await world.channel('wine').nextMessage()).toMatchObject({ content: 'The red one.' });
    expect(world.guilds.map(({ name, isOnBox }) => [name, isOnBox])).toEqual([
      ['Kitchen', false],
      ['Cellar', true],
    ]);
  });

  test('has roles, members and channels that tests change', async () => {
    const [, cellar] = world.guilds;
    await cellar?.removeMember('ada');
    await expect(world.person('ada').in('wine').send('Hello?')).rejects.toThrow('ada is not a member of Cellar');
    await cellar?.addMember('ada');
    const heard = next(Events.ChannelCreate);
    await cellar?.createChannel({ name: 'cheese' });
    expect(await heard).toMatchObject({ name: 'cheese' });
    const returned = next(Events.GuildAvailable, isWine);
    await world.reset();
    await returned;
    const channels = client.guilds.cache.get(cellar?.id ?? '')?.channels.cache;
    expect(channels?.map(({ name }) => name)).toEqual(['wine']);
  });

  test('has no commands', async () => {
    const run = world.person('ada').in('wine').slash('taste');
    await expect(run).rejects.toThrow('do not work in a server on a box');
  });

  test('is written into the seed of the world', async () => {
    const { guilds = [] } = await world.exportSeed();
    expect(guilds[1]).toMatchObject({ name: 'Cellar', box: true, owner: 'grace', roles: [{ members: ['ada'] }] });
  });
});

describe('a fault of the box', () => {
  // Bots learn after 3 s that a box is offline.
  test('cuts its line: requests fail, the server becomes unavailable, and returns with its messages', async () => {
    const gone = next(Events.GuildUnavailable, isWine);
    const fault = await world.addFault({ box: true, effect: { type: 'offline' } });
    expect(await statusOf(post('lost'))).toBe(503);
    await gone;
    const heard: string[] = [];
    client.on(Events.MessageCreate, ({ content }) => void heard.push(content));
    await world.person('ada').in('wine').send('The internet is down.');
    const back = next(Events.GuildAvailable, isWine);
    expect(await fault.applied()).toBeGreaterThan(0);
    await fault.remove();
    await back;
    expect(heard).toEqual([]);
    await expect.poll(() => statusOf(post('back'))).toBe(200);
    const wine = client.channels.cache.get(world.guilds[1]?.channels[0]?.id ?? '');
    const listed = wine?.isTextBased() ? await wine.messages.fetch() : null;
    expect(listed?.map(({ content }) => content)).toEqual(['back', 'The internet is down.']);
  });

  test('delays its answers', async () => {
    await world.addFault({ box: true, effect: { type: 'delay', ms: 120 } });
    const began = performance.now();
    expect(await statusOf(post('slow'))).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(100);
  });

  test('loses the answer of a write, which the repetition by the library does not do again', async () => {
    const fault = await world.addFault({ box: true, nth: 1, effect: { type: 'answerLost' } });
    expect(await statusOf(post('once'))).toBe(200);
    expect(await fault.applied()).toBe(1);
    const requests = (await world.transcript()).filter(({ kind }) => kind === 'request').map(({ text }) => text);
    expect(requests.slice(-2).map((text) => text.replace(/^.*→ (\d+).*$/, '$1'))).toEqual(['504', '200']);
    const wine = world.channel('wine');
    expect(await wine.nextMessage()).toMatchObject({ content: 'once' });
    await wine.expectSilence(20);
  });

  test('is refused without a box, and for an occasion while it is offline', async ({ instance }) => {
    const other = await instance.createWorld();
    const offline = { box: true, effect: { type: 'offline' } } as const;
    await expect(other.addFault(offline)).rejects.toThrow('give a server of its seed "box: true"');
    await expect(world.addFault({ ...offline, nth: 2 })).rejects.toThrow('set only forMs');
    await other.dispose();
  });
});
