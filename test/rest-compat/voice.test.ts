import { beforeEach, describe, expect } from 'vitest';
import { Permission } from '../../src/domain/permissions.js';
import { voiceRoutes } from '../../src/rest-compat/routes/voice.js';
import { it } from '../harness/fixtures.js';
import { RestBot } from '../harness/rest.js';
import { permitEveryone, putInVoice } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { createBotInGuild, createChannel, type TestBot, type TestGuild } from '../harness/world.js';

let server: TestServer;
let bot: TestBot;
let guild: TestGuild;
let rest: RestBot;

it.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  ({ bot, guild } = await createBotInGuild(server.app));
  rest = new RestBot(server, bot);
  const { ViewChannel, Connect, MoveMembers, MuteMembers, DeafenMembers } = Permission;
  await permitEveryone(server.app, guild.id, ViewChannel | Connect | MoveMembers | MuteMembers | DeafenMembers);
});

const path = (who: string | bigint) => `/guilds/${guild.id}/voice-states/${who}`;
const ownerId = () => guild.owner.id;
const isIn = (userId: bigint) => putInVoice(server.app, { guildId: guild.id, userId });

describe('GET voice-states', () => {
  it.each([
    ['@me', () => bot.id, () => '@me'],
    ['another', ownerId, () => String(ownerId())],
  ])('returns the voice state of %s, and 10065 for a user outside voice', async (_, userId, who) => {
    expect(await rest.get(path(who()))).toMatchObject({ status: 404, body: { code: 10065 } });
    await isIn(userId());
    expect(await rest.get(path(who()))).toMatchObject({
      status: 200,
      body: {
        guild_id: String(guild.id),
        user_id: String(userId()),
        channel_id: expect.stringMatching(/^\d+$/),
        member: { user: { id: String(userId()) } },
        self_mute: false,
        self_stream: false,
        request_to_speak_timestamp: null,
      },
    });
  });
});

describe('PATCH voice-states', () => {
  it('moves, mutes, deafens, suppresses and disconnects, with 204', async () => {
    const second = await createChannel(server.app, guild.id, 'Second', 2);
    await isIn(ownerId());
    const body = { channel_id: String(second.id), mute: true, deaf: true, suppress: true };
    expect(await rest.patch(path(ownerId()), body)).toMatchObject({ status: 204 });
    const { body: state } = await rest.get(path(ownerId()));
    expect(state).toMatchObject({ channel_id: String(second.id), mute: true, deaf: true, suppress: true });
    expect((await rest.patch(path(ownerId()), { channel_id: null })).status).toBe(204);
    expect((await rest.patch(path(ownerId()), { mute: false })).body.code).toBe(10065);
  });

  it('of @me needs no permission to leave or to be suppressed', async () => {
    await permitEveryone(server.app, guild.id, Permission.ViewChannel);
    await isIn(bot.id);
    expect((await rest.patch(path('@me'), { suppress: true, request_to_speak_timestamp: null })).status).toBe(204);
    expect((await rest.patch(path('@me'), { suppress: false })).body.code).toBe(50013);
    expect((await rest.patch(path('@me'), { channel_id: null })).status).toBe(204);
  });

  it.each([
    [{ channel_id: 'x' }, 'channel_id', 'NUMBER_TYPE_COERCE'],
    [{ channel_id: '42' }, 'channel_id', 'CHANNEL_TYPE_INVALID'],
    [{ mute: 'yes' }, 'mute', 'BOOLEAN_TYPE_CONVERT'],
    [{ deaf: 1 }, 'deaf', 'BOOLEAN_TYPE_CONVERT'],
    [{ suppress: [] }, 'suppress', 'BOOLEAN_TYPE_CONVERT'],
  ])('reports the field fault of %j', async (body, field, code) => {
    await isIn(ownerId());
    const answer = await rest.patch(path(ownerId()), body);
    expect(answer).toMatchObject({ status: 400, body: { code: 50035, errors: { [field]: { _errors: [{ code }] } } } });
  });

  it('does not move a member to a text channel or to one without Connect', async () => {
    await isIn(ownerId());
    const text = await rest.patch(path(ownerId()), { channel_id: String(guild.channel.id) });
    expect(text.body.errors.channel_id._errors[0].code).toBe('CHANNEL_TYPE_INVALID');
    const second = await createChannel(server.app, guild.id, 'Second', 2);
    await permitEveryone(server.app, guild.id, Permission.ViewChannel | Permission.MoveMembers);
    expect((await rest.patch(path(ownerId()), { channel_id: String(second.id) })).body.code).toBe(50013);
  });

  it('does not support `deaf` on a self-hosted server (service description, section 4)', () => {
    const changing = voiceRoutes.filter(({ method }) => method === 'PATCH');
    for (const { where } of changing) {
      const answer = where !== 'cloud' && typeof where.selfHosted === 'function' ? where.selfHosted : () => null;
      expect([answer({ deaf: false }), answer({ mute: true }), answer({})]).toEqual([
        'notImplemented',
        'forward',
        'forward',
      ]);
    }
  });
});

describe('PATCH members', () => {
  it('moderates voice too, and is 40032 for a user outside voice', async () => {
    const member = `/guilds/${guild.id}/members/${ownerId()}`;
    expect((await rest.patch(member, { mute: true })).body.code).toBe(40032);
    expect((await rest.patch(member, { channel_id: null })).body.code).toBe(40032);
    await isIn(ownerId());
    expect(await rest.patch(member, { mute: true, channel_id: null })).toMatchObject({
      status: 200,
      body: { mute: true },
    });
    expect((await rest.get(path(ownerId()))).body.code).toBe(10065);
  });
});
