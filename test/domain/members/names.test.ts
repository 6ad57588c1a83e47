import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { deleteApplication, updateApplication } from '../../../src/domain/applications/index.js';
import { leaveGuild } from '../../../src/domain/guilds/index.js';
import { installApplication } from '../../../src/domain/installations/index.js';
import { correctNameKeys } from '../../../src/domain/members/correct-name-keys.js';
import { kickMember, updateMember } from '../../../src/domain/members/index.js';
import { nameKey, nickColumns, userNameKeys } from '../../../src/domain/members/name-keys.js';
import { updateOwnUser } from '../../../src/domain/users/index.js';
import type { Database, Reader } from '../../../src/infra/database/index.js';
import { migrationsFolder } from '../../../src/infra/database/migrations.js';
import { test } from '../../harness/fixtures.js';
import { between, meanwhile, noPostgres } from '../../harness/interleave.js';
import { addCrowd, createPerson, putInGuilds } from '../../harness/rows.js';
import { needing } from '../../harness/skipping.js';
import { addMember, callOf, createBot, createGuild } from '../../harness/world.js';

let app: AppContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
});

/** Checks that the search keys of all members and the member counts of all guilds are correct. */
async function expectInStep(): Promise<void> {
  const members = await app.db.reader.member.findMany({ include: { user: true } });
  const keys = members.map(({ guildId, userId, usernameKey, globalNameKey, nickKey }) => ({
    guildId,
    userId,
    usernameKey,
    globalNameKey,
    nickKey,
  }));
  const expected = members.map(({ guildId, userId, user, nick }) => {
    const { nickKey } = nickColumns(nick);
    return { guildId, userId, ...userNameKeys(user), nickKey };
  });
  expect(keys).toEqual(expected);
  const guilds = await app.db.reader.guild.findMany({ include: { _count: { select: { members: true } } } });
  const counts = guilds.map(({ id, memberCount }) => [id, memberCount]);
  expect(counts).toEqual(guilds.map(({ id, _count }) => [id, _count.members]));
}

const foundBy = async (guildId: bigint, prefix: string) =>
  (await app.guilds.searchMembers(guildId, prefix, 10)).map(({ userId }) => userId);

describe('the key of a name', () => {
  test.each([
    ['Ärmel', 'äRMEL'],
    ['ΟΔΟΣ', 'οδος'],
    ['Анна', 'аННА'],
    ['straße', 'STRASSE'],
  ])('of %s equals that of %s', (one, other) => expect(nameKey(one)).toBe(nameKey(other)));

  test('starts with the key of a prefix of the name', () => {
    expect(nameKey('ΟΔΟΣΑ').startsWith(nameKey('οδος'))).toBe(true);
  });
});

describe('the search keys and counts of members are correct', () => {
  test('after members join in different ways, and after they leave', async () => {
    const guild = await createGuild(app);
    const [ada, bob, leaving] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    const bot = await createBot(app, { owner: guild.owner });
    for (const user of [ada, bob, leaving, bot.user]) await addMember(app, guild.id, user);
    await expectInStep();
    const owner = callOf(app, guild.owner);
    await kickMember(owner, { guildId: guild.id, userId: bob.id });
    await kickMember(owner, { guildId: guild.id, userId: bot.id });
    await leaveGuild(callOf(app, leaving), guild.id);
    await expectInStep();
    expect(await app.guilds.countMembers(guild.id)).toBe(2);
    await expect(kickMember(owner, { guildId: guild.id, userId: bob.id })).rejects.toMatchObject({
      code: 'UNKNOWN_MEMBER',
    });
    expect(await app.guilds.countMembers(guild.id)).toBe(2);
  });

  test('after an application is deleted, in all its guilds', async () => {
    const guilds = [await createGuild(app), await createGuild(app)];
    const bot = await createBot(app);
    for (const { id } of guilds) await addMember(app, id, bot.user);
    await deleteApplication(callOf(app, bot.owner), { applicationId: bot.id, name: bot.user.username });
    await expectInStep();
    for (const { id } of guilds) expect(await app.guilds.countMembers(id)).toBe(1);
  });

  test('after ten join and leave at once', async () => {
    const guild = await createGuild(app);
    const people = await Promise.all(Array.from({ length: 10 }, () => createPerson(app)));
    await Promise.all(people.map((person) => addMember(app, guild.id, person)));
    expect(await app.guilds.countMembers(guild.id)).toBe(11);
    const owner = callOf(app, guild.owner);
    const gone = people.slice(0, 5).flatMap(({ id: userId }) => [userId, userId]);
    await Promise.allSettled(gone.map((userId) => kickMember(owner, { guildId: guild.id, userId })));
    expect(await app.guilds.countMembers(guild.id)).toBe(6);
    await expectInStep();
  });

  test('after a member sets and clears a nickname', async () => {
    const guild = await createGuild(app);
    const owner = callOf(app, guild.owner);
    const key = { guildId: guild.id, userId: guild.owner.id };
    await updateMember(owner, { ...key, nick: 'Émile' });
    expect(await foundBy(guild.id, 'émi')).toEqual([guild.owner.id]);
    await expectInStep();
    await updateMember(owner, { ...key, nick: null });
    expect(await foundBy(guild.id, 'émi')).toEqual([]);
    await expectInStep();
  });

  test('after a user sets and clears a display name', async () => {
    const guild = await createGuild(app);
    const call = callOf(app, guild.owner);
    await updateOwnUser(call, { globalName: 'Ada of Otters' });
    expect(await foundBy(guild.id, 'ada OF')).toEqual([guild.owner.id]);
    await expectInStep();
    await updateOwnUser(call, { globalName: null });
    expect(await foundBy(guild.id, 'ada of')).toEqual([]);
    await expectInStep();
  });

  test('after a bot is renamed, alone or with its application, in all its guilds', async () => {
    const owner = await createPerson(app);
    const bot = await createBot(app, { owner });
    const ids = Array.from({ length: 401 }, () => app.nextId());
    await putInGuilds(app, ids, owner, bot.user);
    await updateOwnUser(callOf(app, bot.user), { username: 'Oberon' });
    await expectInStep();
    await updateApplication(callOf(app, owner), { applicationId: bot.id, name: 'Puck' });
    expect(await foundBy(ids[400] ?? 0n, 'puck')).toEqual([bot.id]);
    await expectInStep();
  });

  test.skipIf(noPostgres)(needing(noPostgres, 'when a bot is renamed while it joins'), async () => {
    const guild = await createGuild(app);
    const bot = await createBot(app, { owner: guild.owner });
    const rename = () => updateOwnUser(callOf(app, bot.user), { username: 'Ariel' });
    const install = () =>
      installApplication(callOf(app, guild.owner), {
        applicationId: bot.id,
        guildId: guild.id,
        scopes: ['bot'],
        permissions: 0n,
      });
    const renaming = meanwhile(app, rename);
    await between(/^INSERT INTO "public"."Member" /, renaming.begin, install);
    await renaming.done();
    expect(await foundBy(guild.id, 'ariel')).toEqual([bot.id]);
    await expectInStep();
  });
});

describe('memberships from before the migration', () => {
  /** The statements of the migration that write rows. */
  function fillings(): string[] {
    const folder = migrationsFolder(app.db.dialect);
    const name = readdirSync(folder).find((one) => one.endsWith('_member_names_and_counts'));
    const sql = readFileSync(join(folder, name ?? '', 'migration.sql'), 'utf8').replaceAll(/^--.*$/gm, '');
    return sql.split(';').filter((statement) => /^\s*(UPDATE|INSERT)/.test(statement));
  }

  test('are found by name and counted after the migration and its job', async () => {
    const guild = await createGuild(app);
    await addCrowd(app, guild.id, 401);
    const bot = await createBot(app, { name: 'Ödön Ångström', owner: guild.owner });
    await addMember(app, guild.id, bot.user);
    await updateMember(callOf(app, guild.owner), { guildId: guild.id, userId: bot.id, nick: 'ünder' });
    await app.db.writer.member.updateMany({ data: { usernameKey: '', globalNameKey: null, nickKey: null } });
    await app.db.writer.guild.updateMany({ data: { memberCount: 0 } });
    for (const statement of fillings()) await app.db.writer.$executeRawUnsafe(statement);
    expect(await app.guilds.countMembers(guild.id)).toBe(403);
    expect(await foundBy(guild.id, 'crowd400')).toHaveLength(1);
    const job = await app.db.reader.job.findUniqueOrThrow({ where: { key: 'name-keys' } });
    expect(job.dueAt?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    await correctNameKeys(app.db, new AbortController().signal);
    expect(await foundBy(guild.id, 'ödön å')).toEqual([bot.id]);
    expect(await foundBy(guild.id, 'ÜNDER')).toEqual([bot.id]);
    await expectInStep();
  });

  test.each(['usernameKey', 'globalNameKey', 'nickKey'])('are corrected if %s alone is wrong', async (column) => {
    const guild = await createGuild(app);
    const key = { guildId: guild.id, userId: guild.owner.id };
    await updateMember(callOf(app, guild.owner), { ...key, nick: 'heron' });
    await app.db.writer.member.updateMany({ where: key, data: { [column]: 'wrong' } });
    await correctNameKeys(app.db, new AbortController().signal);
    await expectInStep();
  });

  test('keep changes that are made while the job runs', async () => {
    const guild = await createGuild(app);
    const key = { guildId: guild.id, userId: guild.owner.id };
    await app.db.writer.member.updateMany({ where: key, data: { usernameKey: 'x' } });
    const findMany = async (args: Parameters<Reader['member']['findMany']>[0]) => {
      const page = await app.db.reader.member.findMany(args);
      await updateOwnUser(callOf(app, guild.owner), { globalName: 'Renamed' });
      return page;
    };
    const reader = { member: { findMany } } as unknown as Database['reader'];
    await correctNameKeys({ reader, writer: app.db.writer }, new AbortController().signal);
    expect(await foundBy(guild.id, 'renamed')).toEqual([guild.owner.id]);
    await expectInStep();
  });

  test('stay unchanged if the job is aborted', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(correctNameKeys(app.db, stopped)).rejects.toThrow('stopped');
  });
});
