import { ChannelType } from 'discord-api-types/v10';
import { describe, expect } from 'vitest';
import { test } from '../harness/fixtures.js';
import { expectReference } from '../harness/reference.js';
import { ask, openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { createChannel } from '../harness/world.js';

let server: TestServer;
let scene: Scene;

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});

describe('200', () => {
  test('GET /users/@me returns the bot with its private fields', async () => {
    const { status, headers, body } = await scene.bot.get('/users/@me');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(body).toMatchObject({ id: scene.bot.id, bot: true, discriminator: '0', email: null });
    expectReference('UserPIIResponse', body);
  });

  test.each(['/users/%40me', '/users/%40me?x=/%40me', '/applications/%40me', '/oauth2/applications/%40me'])(
    'GET %s returns the same as with a literal @',
    async (path) => {
      expect((await scene.bot.get(path)).body.id).toBe(scene.bot.id);
    },
  );

  test.each(['/applications/@me', '/oauth2/applications/@me'])("GET %s returns the bot's application", async (path) => {
    const { status, body } = await scene.bot.get(path);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: scene.bot.id,
      bot: { id: scene.bot.id },
      owner: { id: String(scene.guild.owner.id) },
    });
    expectReference('PrivateApplicationResponse', body);
    expect(JSON.stringify(body)).not.toMatch(/hash|secret|token/i);
  });

  test('GET /gateway needs no credential, and its URL has no query', async () => {
    const { status, body } = await ask(server, 'GET', '/gateway');
    expect(status).toBe(200);
    expect(body).toEqual({ url: `${server.origin.replace('http', 'ws')}/gateway` });
    expectReference('GatewayResponse', body);
  });

  test('GET /gateway/bot returns the URL, shards and session limits', async () => {
    const { status, body } = await scene.bot.get('/gateway/bot');
    expect(status).toBe(200);
    expectReference('GatewayBotResponse', body);
    expect(body).toMatchObject({ shards: 1, session_start_limit: { total: 1000, remaining: 1000 } });
  });

  test('GET /guilds/{id} returns the guild with its roles', async () => {
    const { status, body } = await scene.bot.get(`/guilds/${scene.guildId}`);
    expect(status).toBe(200);
    expectReference('GuildWithCountsResponse', body);
    expect(body.roles.map((role: { id: string }) => role.id)).toContain(scene.guildId);
    expect(body).not.toHaveProperty('approximate_member_count');
  });

  test.each([
    ['true', true],
    ['True', true],
    ['1', true],
    ['false', false],
    ['0', false],
    ['', false],
  ])('GET /guilds/{id}?with_counts=%s succeeds', async (value, isCounted) => {
    const { status, body } = await scene.bot.get(`/guilds/${scene.guildId}?with_counts=${value}`);
    expect(status).toBe(200);
    expect(body.approximate_member_count).toBe(isCounted ? 3 : undefined);
  });

  test('GET /channels/{id} returns the channel with the id of its newest message', async () => {
    const message = await scene.send();
    const { status, body } = await scene.bot.get(`/channels/${scene.channelId}`);
    expect(status).toBe(200);
    expectReference('GuildChannelResponse', body);
    expect(body).toMatchObject({ id: scene.channelId, guild_id: scene.guildId, last_message_id: message.id });
  });
});

describe('204', () => {
  test('POST /channels/{id}/typing succeeds', async () => {
    const { status, body, headers } = await scene.bot.ask('POST', `/channels/${scene.channelId}/typing`);
    expect({ status, body }).toEqual({ status: 204, body: null });
    expect(headers.get('content-type')).toBeNull();
  });
});

describe('a request is 400', () => {
  test('for with_counts that is not a boolean', async () => {
    const { status, body } = await scene.bot.get(`/guilds/${scene.guildId}?with_counts=maybe`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 50035, errors: { with_counts: { _errors: [{ code: 'BASE_TYPE_CHOICES' }] } } });
    expectReference('Error', body);
  });

  test('for typing in a channel without messages', async () => {
    const channel = await createChannel(server.app, scene.guild.id, 'category', ChannelType.GuildCategory);
    const { status, body } = await scene.bot.ask('POST', `/channels/${channel.id}/typing`);
    expect(status).toBe(400);
    expect(body.code).toBe(50008);
  });
});

describe('a request is 403', () => {
  test.each(['/guilds/{guild}', '/channels/{channel}'])(
    'for GET %s of a guild without the bot (50001)',
    async (path) => {
      const address = path.replace('{guild}', scene.guildId).replace('{channel}', scene.channelId);
      const { status, body } = await scene.stranger.get(address);
      expect(status).toBe(403);
      expect(body).toEqual({ code: 50001, message: 'Missing Access' });
    },
  );
});
