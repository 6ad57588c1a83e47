import { beforeEach, describe, expect } from 'vitest';
import { type AppContext, callContext } from '../../../src/context.js';
import { banMember, banMembers, getBan, listBans, unbanMember } from '../../../src/domain/bans/index.js';
import { joinGuild } from '../../../src/domain/guilds/index.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import { addMemberRole } from '../../../src/domain/members/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { createRole } from '../../../src/domain/roles/index.js';
import type { User } from '../../../src/infra/database/index.js';
import { hearGuild } from '../../harness/bus.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import {
  actorOf,
  addMember,
  callOf,
  createBot,
  createGuild,
  joinGuildAs,
  type TestGuild,
} from '../../harness/world.js';

let app: AppContext;
let guild: TestGuild;
let ada: User;
let mod: User;
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  guild = await createGuild(app);
  [ada, mod] = [await createPerson(app), await createPerson(app)];
  for (const user of [ada, mod]) await addMember(app, guild.id, user);
  const owner = callOf(app, guild.owner);
  const { id: roleId } = await createRole(owner, guild.id, { permissions: Permission.BanMembers });
  await addMemberRole(owner, { guildId: guild.id, userId: mod.id, roleId });
});

const ban = (user: User, by = mod) => banMember(callOf(app, by), { guildId: guild.id, userId: user.id });
const unban = (user: User, by = mod) => unbanMember(callOf(app, by), { guildId: guild.id, userId: user.id });
const isBanned = async ({ id: userId }: User) =>
  (await app.db.reader.ban.count({ where: { guildId: guild.id, userId } })) > 0;
const isMember = async ({ id: userId }: User) =>
  (await app.db.reader.member.count({ where: { guildId: guild.id, userId } })) > 0;
const join = async (user: User) => {
  const { code } = await createInvite(callOf(app, guild.owner), guild.channel.id);
  return () => joinGuild(callOf(app, user), code);
};

describe('a ban', () => {
  test('is published before the end of the membership, and keeps its reason', async () => {
    const { events } = hearGuild({ app }, guild.id);
    const call = callContext(app, actorOf(mod), { auditReason: 'spam' });
    expect(await banMember(call, { guildId: guild.id, userId: ada.id })).toBe(true);
    const told = events.map(({ type }) => type).filter((type) => type !== 'GUILD_AUDIT_LOG_ENTRY_CREATE');
    expect(told).toEqual(['GUILD_BAN_ADD', 'GUILD_MEMBER_REMOVE']);
    const found = await getBan(callOf(app, mod), { guildId: guild.id, userId: ada.id });
    expect(found).toMatchObject({ reason: 'spam', user: { id: ada.id } });
    expect(await isMember(ada)).toBe(false);
    const where = { guildId: guild.id, action: 'MEMBER_BAN_ADD' };
    expect(await app.db.reader.auditEntry.findFirst({ where })).toMatchObject({ targetId: ada.id, reason: 'spam' });
  });

  test('of a banned user changes nothing', async () => {
    await ban(ada);
    const { events } = hearGuild({ app }, guild.id);
    expect(await ban(ada)).toBe(false);
    expect(events).toEqual([]);
  });

  test('can target members and other users, but not unknown users', async () => {
    const stranger = await createPerson(app);
    const { events } = hearGuild({ app }, guild.id);
    expect(await ban(stranger)).toBe(true);
    expect(events.map(({ type }) => type)).not.toContain('GUILD_MEMBER_REMOVE');
    await expect(ban({ ...ada, id: 1n })).rejects.toMatchObject({ code: 'UNKNOWN_USER' });
  });

  test('is refused for a member of the same rank, the owner and the caller', async () => {
    for (const user of [guild.owner, mod])
      await expect(ban(user)).rejects.toMatchObject({ code: 'MISSING_PERMISSIONS' });
    await expect(ban(guild.owner, guild.owner)).rejects.toMatchObject({ code: 'MISSING_PERMISSIONS' });
    expect(await isMember(mod)).toBe(true);
  });

  test('removes the installation of a bot and prevents a new one', async () => {
    const bot = await createBot(app);
    await addMember(app, guild.id, bot.user);
    await ban(bot.user, guild.owner);
    const where = { guildId: guild.id, applicationId: bot.id };
    expect(await app.db.reader.installation.count({ where })).toBe(0);
    await expect(joinGuildAs(app, guild.id, bot.user)).rejects.toMatchObject({ code: 'BANNED' });
    expect(await app.db.reader.installation.count({ where })).toBe(0);
  });

  test('keeps a user out until it is lifted', async () => {
    const comeBack = await join(ada);
    await ban(ada);
    await expect(comeBack()).rejects.toMatchObject({ code: 'BANNED' });
    const { events } = hearGuild({ app }, guild.id);
    await unban(ada);
    expect(events.map(({ type }) => type)).toEqual(['GUILD_AUDIT_LOG_ENTRY_CREATE', 'GUILD_BAN_REMOVE']);
    await expect(unban(ada)).rejects.toMatchObject({ code: 'UNKNOWN_BAN' });
    await comeBack();
    expect(await isMember(ada)).toBe(true);
  });

  test('during a join has one outcome: no user is both banned and a member', async () => {
    for (let round = 0; round < 10; round += 1) {
      const newcomer = await createPerson(app);
      const come = await join(newcomer);
      const [joined] = await Promise.all([outcome(come()), ban(newcomer, guild.owner)]);
      expect(['ok', 'BANNED']).toContain(joined);
      expect([await isBanned(newcomer), await isMember(newcomer)]).toEqual([true, false]);
    }
  });

  test('by several callers at once happens once, and is lifted once by several at once', async () => {
    const { events } = hearGuild({ app }, guild.id);
    const made = await Promise.all([ban(ada), ban(ada, guild.owner), ban(ada)]);
    expect(made.filter(Boolean)).toHaveLength(1);
    const lifted = await Promise.all([unban(ada), unban(ada)].map(outcome));
    expect(lifted.sort()).toEqual(['UNKNOWN_BAN', 'ok']);
    const count = (name: string) => events.filter(({ type }) => type === name).length;
    expect([count('GUILD_BAN_ADD'), count('GUILD_BAN_REMOVE')]).toEqual([1, 1]);
  });
});

describe('several bans at once', () => {
  const banAll = (...users: Pick<User, 'id'>[]) =>
    banMembers(callOf(app, guild.owner), { guildId: guild.id, userIds: users.map(({ id }) => id) });

  test('return who was banned and who was not', async () => {
    const [one, two, before] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    await ban(before);
    expect(await banAll(ada, one, before, { id: 1n }, guild.owner, two)).toEqual({
      bannedIds: [ada.id, one.id, two.id],
      failedIds: [before.id, 1n, guild.owner.id],
    });
    await expect(banAll(ada, guild.owner)).rejects.toMatchObject({ code: 'NOBODY_BANNED' });
  });
});

describe('the list of bans', () => {
  test('is paginated by ascending id, and uses the upper bound if both are given', async () => {
    const people: User[] = [];
    for (let n = 0; n < 5; n += 1) people.push(await createPerson(app));
    for (const person of people) await ban(person);
    const ids = people.map(({ id }) => id);
    const page = async (more: { before?: bigint; after?: bigint; limit?: number }) =>
      (await listBans(callOf(app, mod), { guildId: guild.id, limit: 1_000, ...more })).map(({ userId }) => userId);
    expect(await page({})).toEqual(ids);
    expect(await page({ limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await page({ after: ids[1]!, limit: 2 })).toEqual(ids.slice(2, 4));
    expect(await page({ before: ids[3]!, limit: 2 })).toEqual(ids.slice(1, 3));
    expect(await page({ before: ids[2]!, after: ids[3]!, limit: 5 })).toEqual(ids.slice(0, 2));
  });

  test('can have more entries than one query reads', async () => {
    const users = Array.from({ length: 900 }, (_, n) => ({ id: app.nextId(), username: `banned ${n}` }));
    await app.db.writer.user.createMany({ data: users });
    await app.db.writer.ban.createMany({ data: users.map(({ id: userId }) => ({ guildId: guild.id, userId })) });
    const bans = await listBans(callOf(app, mod), { guildId: guild.id, limit: 1_000 });
    expect(bans.map(({ userId }) => userId)).toEqual(users.map(({ id }) => id));
    const last = await listBans(callOf(app, mod), { guildId: guild.id, limit: 850, before: users[899]?.id });
    expect(last.map(({ userId }) => userId)).toEqual(users.slice(49, 899).map(({ id }) => id));
  });
});
