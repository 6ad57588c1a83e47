import { GatewayDispatchEvents } from 'discord-api-types/v10';
import { describe, expect } from 'vitest';
import type { Seed } from '../../src/testing/index.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { test } from '../harness/sandbox.js';

describe('a world', () => {
  test('has two people, a server and a bot without a seed', async ({ instance }) => {
    const world = await instance.createWorld();
    expect(world.guilds.map(({ name }) => name)).toEqual(['Test server']);
    expect(world.bot.name).toBe('Test bot');
    await world.person('grace').in('general').send('hello');
    await world.dispose();
  });

  test('cannot see another world', async ({ instance }) => {
    const [one, other] = await Promise.all([instance.createWorld(), instance.createWorld()]);
    expect(one.person('ada').id).not.toBe(other.person('ada').id);
    const general = other.guild.channels[0]?.id ?? '';
    await expect(one.person('ada').in(general).send('hello')).rejects.toMatchObject({ code: 'UNKNOWN_CHANNEL' });
    await expect(fetch(`${one.api}/v10/guilds/${other.guild.id}`, asBot(one.bot.token))).resolves.toMatchObject({
      status: 403,
    });
  });

  test('can be exported as a seed, from which a world like it can be made', async ({ instance, running }) => {
    const seed: Seed = {
      name: 'Lunch',
      people: ['ada', { name: 'grace', displayName: 'Grace' }, 'bob'],
      guilds: [
        {
          name: 'Kitchen',
          owner: 'grace',
          members: ['ada', 'grace'],
          channels: [
            { name: 'Rooms', type: 'category' },
            {
              name: 'office',
              topic: 'Plans',
              slowMode: 5,
              category: 'Rooms',
              overwrites: [
                { role: '@everyone', deny: ['ViewChannel'] },
                { person: 'ada', allow: ['ViewChannel'] },
                { application: 'Lunch bot', allow: ['ViewChannel', 'SendMessages'] },
              ],
            },
            { name: 'Table', type: 'voice' },
          ],
          roles: [{ name: 'Chef', permissions: ['ManageMessages'], color: 255, hoist: true, members: ['ada'] }],
          everyone: ['ViewChannel', 'SendMessages'],
        },
        { name: 'Hall', owner: 'ada', members: ['ada'], channels: [] },
      ],
      applications: [
        {
          name: 'Lunch bot',
          description: 'Lunch',
          owner: 'grace',
          guilds: ['Kitchen'],
          permissions: ['ManageRoles'],
          privilegedIntents: ['MESSAGE_CONTENT'],
          public: false,
          redirectUris: ['http://localhost/back'],
          commands: [{ name: 'lunch', description: 'Suggests a dish' }],
          commandsFor: 'owner',
        },
      ],
      rateLimits: 'real',
    };
    const world = await instance.createWorld(seed);
    expect(await world.exportSeed()).toEqual(seed);
    await world.guild.createChannel('menu');
    await world.guild.addRole('grace', 'Chef');
    // Seeds give roles to people only.
    await world.guild.addRole('Lunch bot', 'Chef');
    const response = await fetch(`${running.url}/worlds/${world.id}/seed?format=yaml`, {
      headers: { authorization: `Bearer ${running.token}` },
    });
    expect(response.headers.get('content-type')).toContain('yaml');
    const copy = await instance.createWorld(await response.text());
    expect(copy.guild.channels.map(({ name }) => name)).toEqual(['Rooms', 'office', 'Table', 'menu']);
    const exported = await copy.exportSeed();
    expect(exported).toEqual(await world.exportSeed());
    expect(exported.guilds?.[0]).toMatchObject({ roles: [{ members: ['ada', 'grace'] }] });
  });

  test('has nothing but names in its seed where everything else is the default', async ({ instance }) => {
    const world = await instance.createWorld();
    const { guilds, applications } = await world.exportSeed();
    expect([guilds, applications]).toEqual([
      [{ name: 'Test server', owner: 'ada', members: ['ada', 'grace'], channels: [{ name: 'general' }] }],
      [{ name: 'Test bot', owner: 'ada' }],
    ]);
  });

  test('returns to its seed with the same ids', async ({ instance }) => {
    const world = await instance.createWorld({ guilds: [{ name: 'Kitchen', channels: ['kitchen'], roles: ['Chef'] }] });
    const kitchen = world.person('ada').in('kitchen');
    const { id } = await kitchen.send('hello');
    await world.guild.createChannel('office');
    await world.guild.addRole('grace', 'Chef');
    const bob = await world.addPerson('bob');
    await world.guild.addMember('bob');
    await bob.in('kitchen').send('hello');

    await world.reset();

    const channels = await read<{ name: string; id: string }[]>(world, `/guilds/${world.guild.id}/channels`);
    expect(channels.map(({ name, id: channelId }) => [name, channelId])).toEqual([
      ['kitchen', world.guild.channels[0]?.id],
    ]);
    const members = await read<{ roles: string[]; user: { username: string } }[]>(
      world,
      `/guilds/${world.guild.id}/members?limit=100`,
    );
    expect(members.map(({ user }) => user.username)).toEqual(['ada', 'grace', 'Test bot']);
    expect(members.find(({ user }) => user.username === 'grace')?.roles).toEqual([]);
    await expect(kitchen.delete(id)).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
    await kitchen.send('hello again');
  });

  test('keeps the session of a bot through a reset', async ({ instance, running }) => {
    const world = await instance.createWorld();
    const client = await GatewayClient.open(running.origin);
    await client.ready(world.bot.token);
    await world.reset();
    expect((await client.event(GatewayDispatchEvents.GuildDelete)).d).toEqual({
      id: world.guild.id,
      unavailable: true,
    });
    expect((await client.event(GatewayDispatchEvents.GuildCreate)).d).toMatchObject({ id: world.guild.id });
    await world.person('ada').send('hello');
    expect((await client.event(GatewayDispatchEvents.MessageCreate)).d).toMatchObject({ content: 'hello' });
    await client.close();
  });

  test('keeps the commands that a bot registered through a reset', async ({ instance }) => {
    const world = await instance.createWorld({
      applications: [{ name: 'Lunch bot', commands: [{ name: 'lunch', description: 'Suggests a dish' }] }],
    });
    await world.reset();
    const commands = await read<{ name: string }[]>(world, `/applications/${world.bot.id}/commands`);
    expect(commands.map(({ name }) => name)).toEqual(['lunch']);
  });

  test('ends the sessions of its bots and removes everything when it is disposed', async ({ instance, running }) => {
    const world = await instance.createWorld({ guilds: [{ name: 'Kitchen', channels: ['kitchen'] }] });
    const client = await GatewayClient.open(running.origin);
    await client.ready(world.bot.token);
    await world.person('ada').send('hello');
    const closed = client.closed;
    await world.dispose();
    expect((await closed).code).toBe(4004);
    await expect(world.person('ada').send('hello')).rejects.toMatchObject({ code: 'UNKNOWN_WORLD' });
    const ids = [...world.applications, world.person('ada')].map(({ id }) => BigInt(id));
    expect(await running.app.db.reader.user.count({ where: { id: { in: ids } } })).toBe(0);
    expect(await running.app.db.reader.message.count({ where: { authorId: { in: ids } } })).toBe(0);
  });

  test('applies rate limits only if its seed asks for them, also to people who are added', async ({ instance }) => {
    const [free, limited] = await Promise.all([instance.createWorld(), instance.createWorld({ rateLimits: 'real' })]);
    const statuses = async (world: typeof free) => {
      const path = `${world.api}/v10/channels/${world.guild.channels[0]?.id}/messages`;
      const send = () =>
        fetch(path, { ...asBot(world.bot.token), method: 'POST', body: JSON.stringify({ content: 'x' }) });
      return (await Promise.all(Array.from({ length: 8 }, send))).map(({ status }) => status);
    };
    expect(await statuses(free)).not.toContain(429);
    expect(await statuses(limited)).toContain(429);
    const bob = await limited.addPerson('bob');
    const { token } = await bob.signIn();
    const query = 'mutation { sendMessage(input: { channelId: "1", content: "x" }) { message { id } } }';
    const send = async () => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const address = limited.portal.replace('/portal', '/graphql');
      return (await fetch(address, { method: 'POST', headers, body: JSON.stringify({ query }) })).text();
    };
    const answers = await Promise.all(Array.from({ length: 8 }, send));
    expect(answers.join()).toContain('RATE_LIMITED');
  });
});

function asBot(token: string) {
  return { headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' } };
}

async function read<Result>({ api, bot }: { api: string; bot: { token: string } }, path: string): Promise<Result> {
  const response = await fetch(`${api}/v10${path}`, asBot(bot.token));
  return (await response.json()) as Result;
}
