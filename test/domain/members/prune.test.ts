import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AppContext, callContext } from '../../../src/context.js';
import { addMemberRole, countInactive, kickMember, pruneMembers } from '../../../src/domain/members/index.js';
import { removeInactive } from '../../../src/domain/members/prune.js';
import { PrunePayload } from '../../../src/domain/members/prune-payload.js';
import { Permission } from '../../../src/domain/permissions.js';
import { createRole } from '../../../src/domain/roles/index.js';
import type { Role, User } from '../../../src/infra/database/index.js';
import { hearGuild } from '../../harness/bus.js';
import { openContext } from '../../harness/context.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson, DAY_MS, putAccounts, putInVoice, putMembers, putPresence } from '../../harness/rows.js';
import { readingsOf } from '../../harness/statements.js';
import { actorOf, addMember, callOf, createBot, createGuild, type TestGuild } from '../../harness/world.js';

let app: AppContext;
let close: () => Promise<void>;
let guild: TestGuild;
let mod: User;
let low: Role;
let high: Role;
beforeAll(async () => {
  ({ app, close } = await openContext());
  await app.db.writer.liveProcess.create({ data: { id: app.live.id, until: new Date(app.clock.now() + DAY_MS) } });
});
beforeEach(async () => {
  guild = await createGuild(app);
  mod = await createPerson(app);
  await addMember(app, guild.id, mod);
  // A new role is placed below the others.
  high = await role('high', 0n);
  const own = await role('mod', Permission.KickMembers | Permission.ManageGuild);
  low = await role('low', 0n);
  await give(mod, own);
});
afterAll(() => close());

const owner = () => callOf(app, guild.owner);
const role = (name: string, permissions: bigint) => createRole(owner(), guild.id, { name, permissions });
const give = (user: User, { id: roleId }: Role) =>
  addMemberRole(owner(), { guildId: guild.id, userId: user.id, roleId });

/** A member who joined a year ago and was last seen this many days ago. */
async function memberAway(days: number): Promise<User> {
  const user = await createPerson(app);
  await putAccounts(app, [user], days);
  await addMember(app, guild.id, user);
  await joinedAgo(user, 365);
  return user;
}

async function joinedAgo({ id: userId }: User, days: number): Promise<void> {
  const joinedAt = new Date(app.clock.now() - days * DAY_MS);
  await app.db.writer.member.update({ where: { guildId_userId: { guildId: guild.id, userId } }, data: { joinedAt } });
}

interface Settings {
  days?: number;
  roleIds?: bigint[];
}

const input = ({ days = 7, roleIds = [] }: Settings) => ({ guildId: guild.id, days, roleIds });
const counted = (settings: Settings = {}, by = mod) => countInactive(callOf(app, by), input(settings));
const prune = (settings: Settings = {}, by = mod) =>
  pruneMembers(callContext(app, actorOf(by), { auditReason: 'spring' }), input(settings));

const isMember = async ({ id: userId }: User) =>
  (await app.db.reader.member.count({ where: { guildId: guild.id, userId } })) > 0;

async function doneLater(signal = new AbortController().signal): Promise<void> {
  const where = { key: `prune-members ${guild.id}` };
  const { payload } = await app.db.reader.job.findUniqueOrThrow({ where });
  await removeInactive(callContext(app, { kind: 'anonymous' }), PrunePayload.parse(payload), signal);
  await app.db.writer.job.delete({ where });
}

describe('a prune counts', () => {
  test('in the database, with sequential counts per server', async () => {
    const users = Array.from({ length: 60 }, (_, n) => ({ id: app.nextId(), username: `few${n}`, globalName: null }));
    await app.db.writer.user.createMany({ data: users });
    await putAccounts(app, users, 20);
    await putMembers(app, [guild.id], users, new Date(app.clock.now() - 20 * DAY_MS));
    const input = { guildId: guild.id, days: 7, roleIds: [] };
    const { result, rows, statements } = await readingsOf(() =>
      Promise.all([countInactive(owner(), input), countInactive(owner(), input)]),
    );
    expect(result).toEqual([60, 60]);
    expect(rows).toBeLessThan(20);
    const isCount = statements.filter((sql) => /Member/.test(sql)).map((sql) => /COUNT/.test(sql));
    expect(isCount).toEqual([false, true, false, true]);
  });

  test('users who were away for that many days and an hour, since the last visit may be recorded late', async () => {
    await memberAway(7.01);
    expect(await counted()).toBe(0);
    await memberAway(7.05);
    expect(await counted()).toBe(1);
    await memberAway(2);
    expect([await counted(), await counted({ days: 1 }), await counted({ days: 30 })]).toEqual([1, 3, 0]);
  });

  test('no users who joined since, or whose last visit is unknown', async () => {
    const newcomer = await memberAway(20);
    await joinedAgo(newcomer, 7);
    const unknown = await createPerson(app);
    await addMember(app, guild.id, unknown);
    await joinedAgo(unknown, 365);
    expect(await counted()).toBe(0);
  });

  test('no users who are online or in voice', async () => {
    const [online, inVoice] = [await memberAway(20), await memberAway(20)];
    expect(await counted()).toBe(2);
    await putPresence(app, online);
    await putInVoice(app, { guildId: guild.id, userId: inVoice.id });
    expect(await counted()).toBe(0);
    const gone = { id: `gone ${guild.id}`, until: new Date(app.clock.now() - 1) };
    await app.db.writer.liveProcess.create({ data: gone });
    await app.db.writer.presence.updateMany({ where: { userId: online.id }, data: { processId: gone.id } });
    await app.db.writer.voiceState.updateMany({ where: { userId: inVoice.id }, data: { processId: gone.id } });
    expect(await counted()).toBe(2);
  });

  test('neither bots nor the owner', async () => {
    await addMember(app, guild.id, (await createBot(app)).user);
    await putAccounts(app, [guild.owner], 100);
    await joinedAgo(guild.owner, 100);
    expect(await counted({}, guild.owner)).toBe(0);
  });

  test('members with roles only if the request names all their roles', async () => {
    const user = await memberAway(20);
    const other = await role('other', 0n);
    await give(user, low);
    expect([await counted(), await counted({ roleIds: [low.id] })]).toEqual([0, 1]);
    await give(user, other);
    expect([
      await counted({ roleIds: [low.id] }, guild.owner),
      await counted({ roleIds: [low.id, other.id] }, guild.owner),
    ]).toEqual([0, 1]);
  });

  test('no members of the same or a higher rank, but all of them for the owner', async () => {
    const above = await memberAway(20);
    await give(above, high);
    await putAccounts(app, [mod], 20);
    await joinedAgo(mod, 20);
    const { roleId } = await app.db.reader.memberRole.findFirstOrThrow({ where: { userId: mod.id } });
    const roleIds = [high.id, roleId];
    expect([await counted({ roleIds }), await counted({ roleIds }, guild.owner)]).toEqual([0, 2]);
  });

  test('no members for a caller without a role, even with the permissions', async () => {
    await memberAway(20);
    const plain = await createPerson(app);
    await addMember(app, guild.id, plain);
    const permissions = Permission.KickMembers | Permission.ManageGuild;
    await app.db.writer.role.update({ where: { id: guild.id }, data: { permissions } });
    app.publish({
      type: 'GUILD_ROLE_UPDATE',
      role: await app.db.reader.role.findUniqueOrThrow({ where: { id: guild.id } }),
    });
    expect([await counted({}, plain), await counted()]).toEqual([0, 1]);
  });
});

describe('a prune removes', () => {
  test('the counted members with one event each, and is audited with its days and number', async () => {
    const [one, two, three] = [await memberAway(20), await memberAway(20), await memberAway(1)];
    const { events } = hearGuild({ app }, guild.id);
    expect(await prune()).toBe(2);
    await doneLater();
    expect([await isMember(one), await isMember(two), await isMember(three)]).toEqual([false, false, true]);
    expect(events.map(({ type }) => type)).toEqual([
      'GUILD_AUDIT_LOG_ENTRY_CREATE',
      'GUILD_MEMBER_REMOVE',
      'GUILD_MEMBER_REMOVE',
    ]);
    const entries = await app.db.reader.auditEntry.findMany({ where: { guildId: guild.id, action: 'MEMBER_PRUNE' } });
    expect(entries).toMatchObject([
      { actorId: mod.id, targetId: guild.id, changes: { days: 7, count: 2 }, reason: 'spring' },
    ]);
  });

  test('no members and leaves no trace if there are none to remove', async () => {
    await memberAway(1);
    const { events } = hearGuild({ app }, guild.id);
    expect(await prune()).toBe(0);
    expect(events).toEqual([]);
    expect(await app.db.reader.job.count({ where: { key: `prune-members ${guild.id}` } })).toBe(0);
  });

  test('no members who came back or got a role in the meantime', async () => {
    const [back, promoted, gone] = [await memberAway(20), await memberAway(20), await memberAway(20)];
    expect(await prune()).toBe(3);
    await putAccounts(app, [back], 0);
    await give(promoted, low);
    await doneLater();
    expect([await isMember(back), await isMember(promoted), await isMember(gone)]).toEqual([true, true, false]);
  });

  test('once: one of several at once is accepted, and others are refused until it is done', async () => {
    await memberAway(20);
    const endings = await Promise.all([prune(), prune(), prune({}, guild.owner)].map(outcome));
    expect(endings.toSorted()).toEqual(['TOO_MANY_PRUNES', 'TOO_MANY_PRUNES', 'ok']);
    await expect(prune()).rejects.toMatchObject({ code: 'TOO_MANY_PRUNES' });
    await doneLater();
    expect(await prune()).toBe(0);
    expect(await app.db.reader.auditEntry.count({ where: { guildId: guild.id, action: 'MEMBER_PRUNE' } })).toBe(1);
  });

  test('a member who is kicked at the same moment with one event', async () => {
    const user = await memberAway(20);
    await prune();
    const { events } = hearGuild({ app }, guild.id);
    const [, kicked] = await Promise.all([
      doneLater(),
      outcome(kickMember(owner(), { guildId: guild.id, userId: user.id })),
    ]);
    expect(['ok', 'UNKNOWN_MEMBER']).toContain(kicked);
    expect(events.filter(({ type }) => type === 'GUILD_MEMBER_REMOVE')).toHaveLength(1);
  });

  test('no members from a server that is deleted in the meantime', async () => {
    const user = await memberAway(20);
    await prune();
    await app.db.writer.guild.update({ where: { id: guild.id }, data: { deletedAt: new Date(app.clock.now()) } });
    await doneLater();
    expect(await isMember(user)).toBe(true);
  });

  test('many members in batches, between which it yields and can be aborted', { tags: ['slow'] }, async () => {
    const users = Array.from({ length: 1_100 }, (_, n) => ({
      id: app.nextId(),
      username: `many${n}`,
      globalName: null,
    }));
    await app.db.writer.user.createMany({ data: users });
    await putAccounts(app, users, 20);
    const joinedAt = new Date(app.clock.now() - 20 * DAY_MS);
    await putMembers(app, [guild.id], users, joinedAt);
    expect(await prune()).toBe(1_100);
    const left = () => app.db.reader.member.count({ where: { guildId: guild.id, joinedAt } });
    const ending = new AbortController();
    const done = outcomeOf(doneLater(ending.signal));
    while ((await left()) === 1_100) await setImmediate();
    ending.abort(new Error('the process stops'));
    await expect(done).resolves.toBe('the process stops');
    expect(await left()).toBeGreaterThan(0);
    await doneLater();
    expect(await left()).toBe(0);
  });
});

const outcomeOf = (work: Promise<void>) => work.then(() => 'done').catch((error: Error) => error.message);
