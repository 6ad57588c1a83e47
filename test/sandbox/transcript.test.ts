import { REST } from 'discord.js';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import type { World } from '../../src/testing/index.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { test } from '../harness/sandbox.js';

let world: World;
let rest: REST;

test.beforeAll(async ({ instance }) => {
  world = await instance.createWorld({ guilds: [{ name: 'Kitchen', channels: ['kitchen'] }] });
  rest = new REST({ api: world.api, retries: 0 }).setToken(world.bot.token);
});

beforeEach(() => world.reset());

afterAll(() => world.dispose());

function post(content: string): Promise<unknown> {
  return rest.post(`/channels/${world.guild.channels[0]?.id}/messages`, { body: { content } });
}

describe('the transcript', () => {
  test('shows in order what the person, the platform and the bot did', async ({ running }) => {
    const gateway = await GatewayClient.open(running.origin);
    gateway.send(2, { token: world.bot.token, intents: 1 | 512, properties: {} });
    await gateway.next(({ t }) => t === 'GUILD_CREATE');
    const before = (await world.transcript()).length;
    await world.person('ada').in('kitchen').send('ping');
    await gateway.next(({ t }) => t === 'MESSAGE_CREATE');
    await post('pong');
    const lines = (await world.transcript()).slice(before).map(({ kind, text }) => `${kind}: ${text}`);
    const channel = world.guild.channels[0]?.id;
    expect(lines).toEqual([
      'person: ada writes in kitchen: ping',
      'event: Test bot ← MESSAGE_CREATE',
      'event: Test bot ← MESSAGE_CREATE',
      expect.stringMatching(`^request: Test bot POST /channels/${channel}/messages → 200 \\(\\d of \\d left\\)$`),
    ]);
    gateway.socket.close();
    await gateway.closed;
  });

  test('contains no token, also not in the address of a webhook', async ({ instance }) => {
    const other = await instance.createWorld({ applications: [{ name: 'Lunch bot', permissions: ['ManageGuild'] }] });
    const bot = new REST({ api: other.api, retries: 0 }).setToken(other.bot.token);
    const path = `/channels/${other.guild.channels[0]?.id}` as const;
    const made = await bot.post(`${path}/webhooks`, { body: { name: 'Waiter' } });
    const { id, token, url } = made as { id: string; token: string; url: string };
    expect(url).toContain(token);
    await bot.post(`${path}/messages`, { body: { content: `Post to ${url}?wait=true` } });
    await bot.post(`/webhooks/${id}/${token}`, { body: { content: 'Served.' }, auth: false });
    const text = JSON.stringify(await other.transcript());
    for (const secret of [other.bot.token, token]) expect(text).not.toContain(secret);
    expect(text).toContain(`Post to ${url.replace(token, '…')}?wait=true`);
    await other.dispose();
  });

  test('has an entry in each line as JSONL, and a line for each entry as text', async () => {
    await post('pong');
    const entries = await world.transcript();
    const jsonl = await world.transcript('jsonl');
    expect(
      jsonl
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(entries);
    const lines = (await world.transcript('text')).trimEnd().split('\n');
    expect(lines).toHaveLength(entries.length);
    expect(lines.at(-1)).toMatch(/^[\d:.]{12} {2}request {3}Test bot POST .* → 200/);
  });
});

describe('the calls to routes that do not exist', () => {
  test('are counted by method and route, without those to unknown resources', async ({ instance, running }) => {
    const other = await instance.createWorld();
    const bot = new REST({ api: other.api, retries: 0 }).setToken(other.bot.token);
    const { id } = other.guild;
    const attempts = [
      bot.get(`/guilds/${id}/horoscope`),
      bot.get(`/guilds/${other.bot.id}/horoscope`),
      bot.put(`/guilds/${id}`),
      bot.get('/channels/123456789012345678'),
      new REST({ api: other.api, version: '6', retries: 0 }).setToken(other.bot.token).get('/gateway/bot'),
    ];
    for (const { status } of await Promise.allSettled(attempts)) expect(status).toBe('rejected');
    const warning = `4 calls went to routes that do not exist here:
  2 × GET /guilds/:id/horoscope
  1 × PUT /guilds/:id
  1 × GET /api/v6/gateway/bot
`;
    const text = await other.transcript('text');
    expect(text.endsWith(`\n\n${warning}`)).toBe(true);
    expect(text).toContain(`GET /guilds/${id}/horoscope → 404 (no such route)`);
    expect(running.unknownRoutes()).toContain('2 × GET /guilds/:id/horoscope');
    const removed = await fetch(`${running.url}/worlds/${other.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${running.token}` },
    });
    expect(await removed.json()).toEqual({ warning });
  });
});
