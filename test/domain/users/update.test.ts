import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getUser, getUserByName, updateOwnUser } from '../../../src/domain/users/index.js';
import { topics } from '../../../src/infra/streams/topics.js';
import { hearGuild } from '../../harness/bus.js';
import { eventually } from '../../harness/jobs.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { addMember, callOf, createBot, createBotInGuild, createGuild } from '../../harness/world.js';

let server: TestServer;
let picture: Buffer;

beforeAll(async () => {
  server = await startServer({ jobs: true, env: { RATE_LIMITS: 'on' } });
  picture = await sharp({ create: { width: 16, height: 16, channels: 4, background: '#08f' } })
    .png()
    .toBuffer();
});
afterAll(() => server.stop());

const avatarOf = (id: bigint, hash: string | null) => fetch(`${server.origin}/cdn/avatars/${id}/${hash}.png`);

describe('a bot', () => {
  test('can set a username and an avatar, which are published to its sessions and its servers', async () => {
    const { bot, guild } = await createBotInGuild(server.app);
    const other = await createGuild(server.app);
    await addMember(server.app, other.id, bot.user);
    const heard = [guild, other].map(({ id }) => hearGuild(server, id));
    const told: string[] = [];
    server.app.bus.subscribe(topics.user(bot.id), ({ type }) => told.push(type));
    const user = await updateOwnUser(callOf(server.app, bot.user), { username: 'Free Text', avatar: picture });
    expect(user).toMatchObject({ username: 'Free Text', avatarHash: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect((await avatarOf(bot.id, user.avatarHash)).status).toBe(200);
    expect(told).toEqual(['USER_UPDATE']);
    await eventually(() =>
      expect(heard.map(({ events }) => events.map(({ type }) => type))).toEqual(Array(2).fill(['GUILD_MEMBER_UPDATE'])),
    );
    expect(JSON.parse(heard[0]?.events[0]?.data ?? '').user.username).toBe('Free Text');
    const cleared = await updateOwnUser(callOf(server.app, user), { avatar: null });
    expect([cleared.avatarHash, (await avatarOf(bot.id, user.avatarHash)).status]).toEqual([null, 404]);
  });

  test('can change its username twice an hour', async () => {
    const { user } = await createBot(server.app);
    const call = callOf(server.app, user);
    const results = await Promise.all(
      ['one', 'two', 'three'].map((username) => outcome(updateOwnUser(call, { username }))),
    );
    expect(results.toSorted()).toEqual(['INVALID_INPUT', 'ok', 'ok']);
    expect(await outcome(updateOwnUser(call, { username: user.username }))).toBe('ok');
  });

  test('can be found by its id, but not by its name', async () => {
    const { user } = await createBot(server.app, { name: 'Findable' });
    expect((await getUser(callOf(server.app, user), user.id)).username).toBe('Findable');
    expect(await outcome(getUserByName(callOf(server.app, user), 'Findable'))).toBe('UNKNOWN_USER');
  });
});

describe('a person', () => {
  test('can set a display name and an avatar, and keeps the username', async () => {
    const person = await createPerson(server.app);
    const call = callOf(server.app, person);
    const user = await updateOwnUser(call, { username: 'other', globalName: 'Ada L.', avatar: picture });
    expect(user).toMatchObject({ username: person.username, handle: person.handle, globalName: 'Ada L.' });
    expect((await avatarOf(person.id, user.avatarHash)).status).toBe(200);
    expect(await updateOwnUser(call, { globalName: null })).toMatchObject({
      globalName: null,
      avatarHash: user.avatarHash,
    });
    expect(await outcome(updateOwnUser(call, { avatar: Buffer.from('no image') }))).toBe('INVALID_INPUT');
  });

  test('can be found by id and by username', async () => {
    const person = await createPerson(server.app, 'grace.h');
    const call = callOf(server.app, person);
    expect(await getUserByName(call, 'grace.h')).toEqual(person);
    for (const name of ['grace', '', 'grace.h\0', '\ud800'])
      expect(await outcome(getUserByName(call, name))).toBe('UNKNOWN_USER');
    expect(await outcome(getUser(call, 5n))).toBe('UNKNOWN_USER');
  });
});
