import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { createChannel } from '../../../src/domain/channels/index.js';
import {
  GuildUnavailable,
  getGuild,
  permissionsInChannel,
  permissionsInGuild,
} from '../../../src/domain/guilds/index.js';
import { type MemberSelection, setMemberRoles } from '../../../src/domain/members/index.js';
import { nickColumns } from '../../../src/domain/members/name-keys.js';
import { sendMessage } from '../../../src/domain/messages/index.js';
import { ALL_PERMISSIONS, DEFAULT_EVERYONE_PERMISSIONS } from '../../../src/domain/permissions.js';
import { createRole, setRolePositions } from '../../../src/domain/roles/index.js';
import { openContext } from '../../harness/context.js';
import { addNamed, createPerson, putInVoice, putMembers } from '../../harness/rows.js';
import { addMember, callOf, createGuild, type TestGuild, toSend } from '../../harness/world.js';

let app: AppContext;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ app, close } = await openContext());
});
afterAll(() => close());

async function putPresence(userId: bigint, status: string): Promise<void> {
  const said = { userId, status, processId: app.live.id, activities: [] };
  await app.db.writer.presence.create({ data: { sessionId: `session of ${userId}`, ...said } });
}

const byId = (a: bigint, b: bigint) => (a < b ? -1 : 1);

describe('the snapshot of a guild', () => {
  test('has its roles and channels in their order, its newest messages and its member count', async () => {
    const guild = await createGuild(app);
    const owner = callOf(app, guild.owner);
    await addMember(app, guild.id, await createPerson(app));
    for (const name of ['c', 'b', 'a']) await createRole(owner, guild.id, { name });
    const [first] = await app.db.reader.role.findMany({ where: { guildId: guild.id, name: 'c' } });
    await setRolePositions(owner, guild.id, [{ roleId: first?.id ?? 0n, position: 1 }]);
    await createChannel(owner, guild.id, { name: 'last' });
    await app.db.writer.channel.update({ where: { id: guild.channel.id }, data: { position: 9 } });
    const body = toSend({ content: 'x' });
    await sendMessage(owner, { channelId: guild.channel.id, body });
    const { id } = await sendMessage(owner, { channelId: guild.channel.id, body });
    const snapshot = await app.guilds.snapshot(guild.id);
    expect(snapshot?.guild).toMatchObject({ id: guild.id, ownerId: guild.owner.id });
    const order = ['@everyone', 'c', 'a', 'b'];
    expect(snapshot?.guild.roles.map(({ name }) => name)).toEqual(order);
    expect(snapshot?.channels.map(({ name, overwrites }) => [name, overwrites])).toEqual([
      ['General', []],
      ['last', []],
      ['general', []],
    ]);
    expect(snapshot?.lastMessageIds).toEqual(new Map([[guild.channel.id, id]]));
    expect(snapshot?.memberCount).toBe(2);
    const shown = await getGuild(owner, { guildId: guild.id, withCounts: true });
    expect(shown.guild.roles.map(({ name }) => name)).toEqual(order);
    expect(shown.memberCount).toBe(2);
    expect((await getGuild(owner, { guildId: guild.id })).memberCount).toBeNull();
  });

  test('is null for an unknown guild', async () => {
    expect(await app.guilds.snapshot(1n)).toBeNull();
    expect(await app.guilds.countMembers(1n)).toBe(0);
    expect(await app.guilds.members(1n, {}, 10)).toEqual([]);
  });

  test('is unknown if the guild is deleted in the meantime', async () => {
    const guild = await createGuild(app);
    const owner = callOf(app, guild.owner);
    await getGuild(owner, { guildId: guild.id });
    await app.db.writer.guild.delete({ where: { id: guild.id } });
    await expect(getGuild(owner, { guildId: guild.id })).rejects.toMatchObject({ code: 'UNKNOWN_GUILD' });
  });
});

describe('the members of a guild are listed:', () => {
  let guild: TestGuild;
  /** The owner, a member with a role, one with a nickname, and one with neither. */
  let ids: [bigint, bigint, bigint, bigint];
  beforeAll(async () => {
    guild = await createGuild(app);
    const people = [await createPerson(app), await createPerson(app), await createPerson(app)];
    for (const user of [...people].reverse()) await addMember(app, guild.id, user);
    ids = [guild.owner.id, ...people.map(({ id }) => id)].sort(byId) as typeof ids;
    const owner = callOf(app, guild.owner);
    const { id: roleId } = await createRole(owner, guild.id, { name: 'role' });
    await setMemberRoles(owner, { guildId: guild.id, userId: ids[1], roleIds: [roleId] });
    const key = { guildId_userId: { guildId: guild.id, userId: ids[2] } };
    await app.db.writer.member.update({ where: key, data: nickColumns('heron') });
  });

  const CASES: [string, () => MemberSelection, number, number[]][] = [
    ['all', () => ({}), 100, [0, 1, 2, 3]],
    ['as many as asked for', () => ({}), 2, [0, 1]],
    ['none when none is asked for', () => ({}), 0, []],
    ['those after one', () => ({ after: ids[1] }), 100, [2, 3]],
    ['of some people those who are members', () => ({ userIds: [ids[3], ids[0], 1n] }), 100, [0, 3]],
    ['nobody of nobody', () => ({ userIds: [] }), 100, []],
    ['all conditions together', () => ({ userIds: ids.slice(0, 3), after: ids[1] }), 100, [2]],
  ];
  test.each(CASES)('%s', async (_, selection, take, expected) => {
    const members = await app.guilds.members(guild.id, selection(), take);
    expect(members.map(({ userId }) => userId)).toEqual(expected.map((index) => ids[index]));
    expect(await app.guilds.countMembers(guild.id)).toBe(4);
  });

  test('for a large guild those online, then those with a role, then those with a nickname', async () => {
    const [owner, withRole, withNick, plain] = ids;
    const notable = async (take: number) =>
      (await app.guilds.notableMembers(guild.id, take)).map(({ userId }) => userId);
    expect(await notable(100)).toEqual([withRole, withNick]);
    await app.db.writer.liveProcess.create({ data: { id: app.live.id, until: new Date(app.clock.now() + 60_000) } });
    await putInVoice(app, { guildId: guild.id, userId: plain });
    await putPresence(withNick, 'idle');
    await putPresence(owner, 'invisible');
    await putPresence((await createPerson(app)).id, 'online');
    expect(await notable(100)).toEqual([...[withNick, plain].sort(byId), withRole]);
    expect(await notable(1)).toEqual([withNick]);
    await app.db.writer.liveProcess.updateMany({ data: { until: new Date(0) } });
    expect(await notable(100)).toEqual([withRole, withNick]);
    await app.db.writer.liveProcess.deleteMany({});
  });

  test('without gaps or duplicates if there are many', async () => {
    const large = await createGuild(app);
    const names = Array.from({ length: 801 }, (_, n) => `user ${n}`);
    const all = [large.owner.id, ...(await addNamed(app, large.id, names))].sort(byId);
    for (const take of [399, 400, 401, 802, 900]) {
      const found = await app.guilds.members(large.id, {}, take);
      expect(found.map(({ userId }) => userId)).toEqual(all.slice(0, take));
    }
  });
});

test('the guilds of a user are returned in pages, each once', async () => {
  const owner = await createPerson(app);
  const ownerId = owner.id;
  const pages = async () => {
    const sizes: bigint[][] = [];
    for await (const page of app.guilds.pagesOfGuildIds(ownerId)) sizes.push(page);
    return sizes;
  };
  expect(await pages()).toEqual([[]]);
  const ids = Array.from({ length: 1_001 }, () => app.nextId());
  await app.db.writer.guild.createMany({ data: ids.map((id) => ({ id, name: 'x', ownerId })) });
  await putMembers(app, ids, [owner]);
  expect(await pages()).toEqual([ids.slice(0, 1_000), ids.slice(1_000)]);
});

test('a user who is not a member, and a channel that does not exist, have no permissions', async () => {
  const guild = await createGuild(app);
  const [member, stranger] = [await createPerson(app), await createPerson(app)];
  await addMember(app, guild.id, member);
  const inGuild = (id: bigint, guildId = guild.id) => permissionsInGuild(app.guilds, guildId, id, app.clock.now());
  expect(await inGuild(guild.owner.id)).toBe(ALL_PERMISSIONS);
  expect(await inGuild(member.id)).toBe(DEFAULT_EVERYONE_PERMISSIONS);
  expect(await inGuild(stranger.id)).toBeNull();
  expect(await inGuild(member.id, 1n)).toBeNull();
  const inChannel = (id: bigint, channelId = guild.channel.id) =>
    permissionsInChannel(app.guilds, guild.id, channelId, id, app.clock.now());
  expect(await inChannel(member.id)).toBe(DEFAULT_EVERYONE_PERMISSIONS);
  expect(await inChannel(stranger.id)).toBeNull();
  expect(await inChannel(guild.owner.id, 1n)).toBeNull();
});

test('an unavailable guild can be requested again after five seconds', () => {
  const cause = new Error('away');
  const refusal = new GuildUnavailable(7n, cause);
  expect(refusal).toMatchObject({ guildId: 7n, code: 'OVERLOADED', kind: 'overloaded', retryAfterMs: 5_000, cause });
  expect(refusal.retryAfterSeconds).toBe(5);
});
