import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import type { CallContext } from '../../../src/domain/call.js';
import {
  createChannel,
  deleteChannelOverwrite,
  NewChannel,
  setChannelOverwrite,
  updateChannel,
} from '../../../src/domain/channels/index.js';
import { setMemberRoles } from '../../../src/domain/members/index.js';
import { parseInput } from '../../../src/domain/parse-input.js';
import { Permission } from '../../../src/domain/permissions.js';
import { createRole } from '../../../src/domain/roles/index.js';
import type { Role, User } from '../../../src/infra/database/index.js';
import { hearGuild } from '../../harness/bus.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import { addMember, callOf, createGuild, type TestGuild } from '../../harness/world.js';

const { ManageChannels, ManageRoles, SendMessages, BanMembers, ViewChannel, Administrator } = Permission;

let app: AppContext;
let guild: TestGuild;
let owner: CallContext;
let role: Role;
let ada: User;
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  guild = await createGuild(app);
  owner = callOf(app, guild.owner);
  role = await createRole(owner, guild.id, { name: 'Helpers', permissions: 0n });
  ada = await createPerson(app);
  await addMember(app, guild.id, ada);
});

const ofRole = (targetId: bigint, allow: bigint, deny = 0n) => ({ targetId, targetType: 0 as const, allow, deny });
const ofMember = (targetId: bigint, allow: bigint, deny = 0n) => ({ targetId, targetType: 1 as const, allow, deny });

const stored = (channelId = guild.channel.id) =>
  app.db.reader.channelOverwrite.findMany({ where: { channelId }, orderBy: { targetId: 'asc' } });

async function memberWith(permissions: bigint): Promise<CallContext> {
  const [person, held] = [
    await createPerson(app),
    await createRole(owner, guild.id, { name: 'held', permissions: permissions | ViewChannel }),
  ];
  await addMember(app, guild.id, person);
  await setMemberRoles(owner, { guildId: guild.id, userId: person.id, roleIds: [held.id] });
  return callOf(app, person);
}

test('an overwrite is set, changed and deleted, and each change is published and audited', async () => {
  const { events } = hearGuild({ app }, guild.id);
  const channelId = guild.channel.id;
  await setChannelOverwrite(owner, channelId, ofRole(role.id, SendMessages));
  expect((await app.guilds.view(guild.id))?.channels.get(channelId)?.overwrites).toMatchObject([
    { targetId: role.id, allow: SendMessages },
  ]);
  await setChannelOverwrite(owner, channelId, ofRole(role.id, SendMessages));
  await setChannelOverwrite(owner, channelId, ofRole(role.id, 0n, SendMessages));
  await setChannelOverwrite(owner, channelId, ofMember(ada.id, SendMessages));
  await deleteChannelOverwrite(owner, channelId, ada.id);
  expect(await stored()).toEqual([{ channelId, ...ofRole(role.id, 0n, SendMessages) }]);
  const updates = events.filter(({ type }) => type === 'CHANNEL_UPDATE').map(({ data }) => JSON.parse(data));
  expect(updates.map(({ permission_overwrites: said }) => said.length)).toEqual([1, 1, 2, 1]);
  const log = await app.db.reader.auditEntry.findMany({
    where: { guildId: guild.id, targetId: channelId },
    orderBy: { id: 'asc' },
  });
  const bits = String(SendMessages);
  const helpers = { id: String(role.id), type: 0, roleName: 'Helpers' };
  const member = { id: String(ada.id), type: 1, roleName: null };
  const none = { old: null, new: null };
  expect(
    log.filter(({ action }) => action.startsWith('CHANNEL_')).map(({ action, changes }) => [action, changes]),
  ).toEqual([
    ['CHANNEL_OVERWRITE_CREATE', { ...helpers, allow: { ...none, new: bits }, deny: { ...none, new: '0' } }],
    ['CHANNEL_OVERWRITE_UPDATE', { ...helpers, allow: { old: bits, new: '0' }, deny: { old: '0', new: bits } }],
    ['CHANNEL_OVERWRITE_CREATE', { ...member, allow: { ...none, new: bits }, deny: { ...none, new: '0' } }],
    ['CHANNEL_OVERWRITE_DELETE', { ...member, allow: { ...none, old: bits }, deny: { ...none, old: '0' } }],
  ]);
});

test('a target must be a role or a member of the guild, with the matching type', async () => {
  const other = await createGuild(app);
  const [elsewhere, stranger] = [
    await createRole(callOf(app, other.owner), other.id, { name: 'x', permissions: 0n }),
    await createPerson(app),
  ];
  const wrong = [ofRole(elsewhere.id, 0n), ofRole(ada.id, 0n), ofMember(role.id, 0n), ofMember(stranger.id, 0n)];
  for (const overwrite of [...wrong, ofRole(0n, 0n)]) {
    const asList = { overwrites: [overwrite] };
    expect(await outcome(setChannelOverwrite(owner, guild.channel.id, overwrite))).toBe('UNKNOWN_OVERWRITE');
    expect(await outcome(updateChannel(owner, guild.channel.id, asList))).toBe('UNKNOWN_OVERWRITE');
    expect(await outcome(createChannel(owner, guild.id, { name: 'x', ...asList }))).toBe('UNKNOWN_OVERWRITE');
  }
  for (const id of [ada.id, 1n]) {
    expect(await outcome(deleteChannelOverwrite(owner, guild.channel.id, id))).toBe('UNKNOWN_OVERWRITE');
  }
  expect(await stored()).toEqual([]);
});

test('the overwrite of a former member stays, and can be sent again', async () => {
  await setChannelOverwrite(owner, guild.channel.id, ofMember(ada.id, SendMessages));
  await app.db.writer.member.delete({ where: { guildId_userId: { guildId: guild.id, userId: ada.id } } });
  const overwrites = [ofMember(ada.id, 0n), ofRole(role.id, SendMessages)];
  await updateChannel(owner, guild.channel.id, { overwrites });
  expect(await stored()).toHaveLength(2);
  expect(await outcome(setChannelOverwrite(owner, guild.channel.id, ofMember(ada.id, SendMessages)))).toBe('ok');
});

test('a list replaces all overwrites of a channel, and the last one of each target wins', async () => {
  await setChannelOverwrite(owner, guild.channel.id, ofMember(ada.id, SendMessages));
  const overwrites = [ofRole(role.id, 0n, SendMessages), ofRole(role.id, SendMessages)];
  const { channel } = await updateChannel(owner, guild.channel.id, { overwrites });
  expect(channel.overwrites).toMatchObject([ofRole(role.id, SendMessages)]);
  expect(await stored()).toMatchObject([ofRole(role.id, SendMessages)]);
  const [entry] = await app.db.reader.auditEntry.findMany({ where: { guildId: guild.id, action: 'CHANNEL_UPDATE' } });
  expect(entry?.changes).toEqual({
    overwrites: {
      old: [{ id: String(ada.id), type: 1, allow: String(SendMessages), deny: '0' }],
      new: [{ id: String(role.id), type: 0, allow: String(SendMessages), deny: '0' }],
    },
  });
});

test('a channel has at most 1,000 overwrites, even if two take the last place at once', async () => {
  const channelId = guild.channel.id;
  const data = Array.from({ length: 999 }, (_, n) => ({ channelId, targetId: BigInt(n + 1), targetType: 1 }));
  await app.db.writer.channelOverwrite.createMany({ data });
  const ended = await Promise.all(
    [ofRole(role.id, 0n), ofMember(ada.id, 0n)].map((one) => outcome(setChannelOverwrite(owner, channelId, one))),
  );
  expect(ended.toSorted()).toEqual(['TOO_MANY_OVERWRITES', 'ok']);
  // An existing overwrite can still be changed.
  expect(await outcome(setChannelOverwrite(owner, channelId, ofMember(1n, SendMessages)))).toBe('ok');
});

test('the channels of a server have at most 10,000 overwrites together', async () => {
  const channelIds = Array.from({ length: 10 }, () => app.nextId());
  const channels = channelIds.map((id) => ({ id, guildId: guild.id, name: 'many', type: 0 }));
  await app.db.writer.channel.createMany({ data: channels });
  for (const [n, channelId] of channelIds.entries()) {
    const data = Array.from({ length: n === 0 ? 999 : 1_000 }, (_, m) => ({
      channelId,
      targetId: BigInt(m + 1),
      targetType: 1,
    }));
    await app.db.writer.channelOverwrite.createMany({ data });
  }
  const overwrites = [ofRole(role.id, SendMessages), ofMember(ada.id, SendMessages)];
  const set = (one: (typeof overwrites)[number]) => outcome(setChannelOverwrite(owner, guild.channel.id, one));
  expect(await outcome(updateChannel(owner, guild.channel.id, { overwrites }))).toBe('TOO_MANY_OVERWRITES');
  const create = () => outcome(createChannel(owner, guild.id, { name: 'full', overwrites }));
  expect(await create()).toBe('TOO_MANY_OVERWRITES');
  expect([await set(overwrites[0] as never), await set(overwrites[1] as never)]).toEqual(['ok', 'TOO_MANY_OVERWRITES']);
  expect(await outcome(createChannel(owner, guild.id, { name: 'none' }))).toBe('ok');
  await app.db.writer.channel.deleteMany({ where: { id: channelIds[0] as bigint } });
  expect(await create()).toBe('ok');
});

describe('a member who manages permissions can newly set', () => {
  const says = (call: CallContext, overwrite: ReturnType<typeof ofRole>, channelId = guild.channel.id) =>
    outcome(setChannelOverwrite(call, channelId, overwrite));

  test('the permissions they have in the guild, except Manage Roles', async () => {
    const call = await memberWith(ManageRoles | ManageChannels);
    expect(await says(call, ofRole(role.id, SendMessages, ViewChannel))).toBe('ok');
    for (const overwrite of [
      ofRole(role.id, BanMembers),
      ofRole(role.id, 0n, BanMembers),
      ofRole(role.id, ManageRoles),
    ]) {
      expect(await says(call, overwrite)).toBe('MISSING_PERMISSIONS');
      const overwrites = [overwrite];
      expect(await outcome(updateChannel(call, guild.channel.id, { overwrites }))).toBe('MISSING_PERMISSIONS');
      expect(await outcome(createChannel(call, guild.id, { name: 'x', overwrites }))).toBe('MISSING_PERMISSIONS');
    }
  });

  test('any permission as an administrator', async () => {
    const call = await memberWith(Administrator);
    expect(await says(call, ofRole(role.id, ManageRoles | BanMembers))).toBe('ok');
    const overwrites = [ofRole(role.id, ManageRoles)];
    expect(await outcome(createChannel(call, guild.id, { name: 'x', overwrites }))).toBe('ok');
  });

  test('any permission in a channel whose overwrite lets them manage permissions', async () => {
    const { user } = (await memberWith(0n)).actor as { user: User };
    await setChannelOverwrite(owner, guild.channel.id, ofMember(user.id, ManageRoles));
    expect(await says(callOf(app, user), ofRole(role.id, BanMembers | ManageRoles))).toBe('ok');
  });

  test('the permissions they have in the category of the channel', async () => {
    const call = await memberWith(ManageRoles);
    const { id: parentId } = await createChannel(owner, guild.id, { name: 'category', type: 4 });
    const { id } = await createChannel(owner, guild.id, { name: 'child', parentId });
    const { user } = call.actor as { user: User };
    const overwrite = ofRole(role.id, Permission.ManageMessages);
    expect(await says(call, overwrite, id)).toBe('MISSING_PERMISSIONS');
    await setChannelOverwrite(owner, parentId, ofMember(user.id, Permission.ManageMessages));
    expect(await says(call, overwrite, id)).toBe('ok');
  });

  test('nothing else, but can send back and remove existing permissions', async () => {
    const call = await memberWith(ManageRoles);
    await setChannelOverwrite(owner, guild.channel.id, ofRole(role.id, BanMembers | ManageRoles));
    expect(await says(call, ofRole(role.id, BanMembers | ManageRoles | SendMessages))).toBe('ok');
    expect(await says(call, ofRole(role.id, BanMembers))).toBe('ok');
    expect(await outcome(deleteChannelOverwrite(call, guild.channel.id, role.id))).toBe('ok');
  });
});

describe('a new channel', () => {
  test('has its own overwrites, or those of its category', async () => {
    const { id: parentId } = await createChannel(owner, guild.id, {
      name: 'category',
      type: 4,
      overwrites: [ofRole(guild.id, 0n, ViewChannel)],
    });
    const made = async (input: object) => {
      const channel = await createChannel(owner, guild.id, parseInput(NewChannel, { name: 'x', ...input }));
      expect(await stored(channel.id)).toEqual(channel.overwrites);
      return channel.overwrites.map(({ targetId }) => targetId);
    };
    expect(await made({ parentId: String(parentId) })).toEqual([guild.id]);
    expect(await made({ parentId: String(parentId), overwrites: null })).toEqual([guild.id]);
    expect(await made({ parentId: String(parentId), overwrites: [] })).toEqual([]);
    expect(await made({ overwrites: [{ targetId: String(role.id), allow: '2048' }] })).toEqual([role.id]);
  });

  test('stores only permissions that exist', async () => {
    const overwrites = [{ targetId: String(role.id), targetType: null, allow: String(1n << 100n), deny: 2048 }];
    const input = parseInput(NewChannel, { name: 'x', overwrites });
    expect((await createChannel(owner, guild.id, input)).overwrites).toMatchObject([
      { targetId: role.id, targetType: 0, allow: 0n, deny: 2048n },
    ]);
  });
});
