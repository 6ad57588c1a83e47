import { beforeAll, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { kickMember } from '../../../src/domain/members/index.js';
import { updateOwnUser } from '../../../src/domain/users/index.js';
import { test } from '../../harness/fixtures.js';
import { createPerson, nameMember } from '../../harness/rows.js';
import { statementsOf } from '../../harness/statements.js';
import { addMember, callOf, createBot, createGuild, type TestGuild } from '../../harness/world.js';

let app: AppContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
});

async function found(guild: Pick<TestGuild, 'id'>, prefix: string, take = 100): Promise<string[]> {
  const members = await app.guilds.searchMembers(guild.id, prefix, take);
  return members.map(({ nick, user }) => nick ?? user.username);
}

describe('members are found', () => {
  const NAMES = ['anna', 'Anton', 'ärger', 'Ärmel', 'ban', '100%', '1000', 'a_c', 'abc'];
  let guild: TestGuild;
  beforeAll(async () => {
    guild = await createGuild(app);
    // Names of bots may contain any characters.
    for (const name of NAMES) await addMember(app, guild.id, (await createBot(app, { name: name })).user);
    const heron = await createPerson(app, 'zoe');
    await addMember(app, guild.id, heron);
    await nameMember(app, guild.id, heron, 'Heron');
    const elsewhere = await createGuild(app);
    await addMember(app, elsewhere.id, (await createBot(app, { name: 'anna elsewhere' })).user);
  });

  test.each([
    ['an', ['anna', 'Anton']],
    ['AN', ['anna', 'Anton']],
    ['anna', ['anna']],
    ['annab', []],
    ['ann\u{10FFFF}', []],
    ['är', ['ärger', 'Ärmel']],
    ['ÄR', ['ärger', 'Ärmel']],
    ['100%', ['100%']],
    ['100', ['100%', '1000']],
    ['a_', ['a_c']],
    ['%', []],
    ['her', ['Heron']],
    ['zoe', ['Heron']],
    ['eron', []],
    ['', ['100%', '1000', 'abc', 'anna', 'Anton', 'a_c', 'ban', 'Heron', expect.any(String), 'ärger', 'Ärmel']],
  ])('by %j: %j', async (prefix, names) => {
    expect(await found(guild, prefix)).toEqual(names);
  });

  test('up to the limit, in the order of their names', async () => {
    expect(await found(guild, 'a', 3)).toEqual(['abc', 'anna', 'Anton']);
    expect(await found(guild, 'a', 1)).toEqual(['abc']);
  });

  test('with exact matches first, and each once even if several names match', async () => {
    const [annabel, named] = [await createPerson(app, 'annabel'), await createPerson(app, 'zora')];
    for (const user of [annabel, named]) await addMember(app, guild.id, user);
    await nameMember(app, guild.id, annabel, 'annabella');
    await nameMember(app, guild.id, named, 'annab');
    expect(await found(guild, 'annab')).toEqual(['annab', 'annabella']);
    expect(await found(guild, 'annab', 1)).toEqual(['annab']);
    await kickMember(callOf(app, guild.owner), { guildId: guild.id, userId: annabel.id });
    await kickMember(callOf(app, guild.owner), { guildId: guild.id, userId: named.id });
  });

  test('by a display name that differs from the username', async () => {
    const person = await createPerson(app, 'quentin');
    await updateOwnUser(callOf(app, person), { globalName: 'The Duke' });
    await addMember(app, guild.id, { ...person, globalName: 'The Duke' });
    expect(await found(guild, 'the d')).toEqual(['quentin']);
    await kickMember(callOf(app, guild.owner), { guildId: guild.id, userId: person.id });
  });

  test('all at once if they are few', async () => {
    expect((await statementsOf(() => found(guild, 'an'))).length).toBeLessThan(NAMES.length);
  });

  test('never by text that no name can contain', async () => {
    expect(await found(guild, '\0')).toEqual([]);
    expect(await found(guild, 'an\0na')).toEqual([]);
    expect(await found({ id: 1n }, 'a')).toEqual([]);
  });
});

test('a member is found by username, in any letter case', async () => {
  const guild = await createGuild(app);
  const { guilds } = callOf(app, guild.owner);
  const { username } = guild.owner;
  const members = await guilds.searchMembers(guild.id, username.toUpperCase(), 1);
  expect(members).toMatchObject([{ userId: guild.owner.id, user: { username }, roles: [] }]);
});
