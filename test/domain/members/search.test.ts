import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { openContext } from '../../harness/context.js';
import { createPerson } from '../../harness/rows.js';
import { statementsOf } from '../../harness/statements.js';
import { turnsDuring } from '../../harness/turns.js';
import { addMember, callOf, createBot, createGuild, type TestGuild } from '../../harness/world.js';

let app: AppContext;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ app, close } = await openContext());
});
afterAll(() => close());

/** What those are called who are found, by their nicknames where they have one. */
async function found(guild: Pick<TestGuild, 'id'>, prefix: string, take = 100): Promise<string[]> {
  const members = await app.guilds.searchMembers(guild.id, prefix, take);
  const ids = members.map(({ userId }) => userId);
  expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
  return members.map(({ nick, user }) => nick ?? user.username);
}

describe('members are found', () => {
  const NAMES = ['anna', 'Anton', 'ärger', 'Ärmel', 'ban', '100%', '1000', 'a_c', 'abc'];
  let guild: TestGuild;
  beforeAll(async () => {
    guild = await createGuild(app);
    // Bots, whose names may hold anything.
    for (const name of NAMES) await addMember(app, guild.id, (await createBot(app, { name: name })).user);
    const heron = await createPerson(app, 'zoe');
    await addMember(app, guild.id, heron);
    await app.db.writer.member.update({
      where: { guildId_userId: { guildId: guild.id, userId: heron.id } },
      data: { nick: 'Heron' },
    });
    const elsewhere = await createGuild(app);
    await addMember(app, elsewhere.id, (await createBot(app, { name: 'anna elsewhere' })).user);
  });

  test.each([
    ['an', ['anna', 'Anton']],
    ['AN', ['anna', 'Anton']],
    ['anna', ['anna']],
    ['annab', []],
    ['är', ['ärger', 'Ärmel']],
    ['ÄR', ['ärger', 'Ärmel']],
    ['100%', ['100%']],
    ['100', ['100%', '1000']],
    ['a_', ['a_c']],
    ['%', []],
    ['her', ['Heron']],
    ['zoe', ['Heron']],
    ['eron', []],
    ['', [expect.any(String), ...NAMES, 'Heron']],
  ])('by %j: %j', async (prefix, names) => {
    expect(await found(guild, prefix)).toEqual(names);
  });

  test('as many as are asked for, those of the lowest ids', async () => {
    expect(await found(guild, 'a', 3)).toEqual(['anna', 'Anton', 'a_c']);
    expect(await found(guild, 'a', 1)).toEqual(['anna']);
  });

  test('all at once where they are few', async () => {
    expect((await statementsOf(() => found(guild, 'an'))).length).toBeLessThan(NAMES.length);
  });

  test('never by text that no name holds', async () => {
    expect(await found(guild, '\0')).toEqual([]);
    expect(await found(guild, 'an\0na')).toEqual([]);
    expect(await found({ id: 1n }, 'a')).toEqual([]);
  });
});

test('all members of a large server are looked through, each once', async () => {
  const guild = await createGuild(app);
  const before = await found(guild, '');
  // Of the 2,000 that are compared at a time the last, and those beside; and the very last.
  const named = [1_999, 2_000, 2_001, 2_005];
  const names = Array.from({ length: 2_005 }, (_, n) => `${named.includes(n + 1) ? 'edge' : 'other'} ${n + 1}`);
  const users = names.slice(before.length).map((username) => ({ id: app.nextId(), username }));
  await app.db.writer.user.createMany({ data: users });
  const member = { guildId: guild.id, joinedAt: new Date(app.clock.now()) };
  await app.db.writer.member.createMany({ data: users.map(({ id: userId }) => ({ ...member, userId })) });
  for (const take of [1, 2, 3, 4, 5]) {
    expect(await found(guild, 'edge', take)).toEqual(named.slice(0, take).map((number) => `edge ${number}`));
  }
  expect((await found(guild, 'other', 400)).at(-1)).toBe('other 401');
  expect((await found(guild, 'other', 1_000)).at(-1)).toBe('other 1001');
  // Before each piece others have a turn.
  expect(await turnsDuring(() => found(guild, 'nobody'))).toBeGreaterThanOrEqual(2);
});

test('a member is found by either name, whoever calls', async () => {
  const guild = await createGuild(app);
  const { guilds } = callOf(app, guild.owner);
  const { username } = guild.owner;
  const members = await guilds.searchMembers(guild.id, username.toUpperCase(), 1);
  expect(members).toMatchObject([{ userId: guild.owner.id, user: { username }, roles: [] }]);
});
