import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { accessChannel } from '../../../src/domain/guilds/index.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import { addMemberRole, removeMemberRole, updateMember, updateOwnMember } from '../../../src/domain/members/index.js';
import {
  addReaction,
  deleteMessage,
  editMessage,
  removeReaction,
  sendMessage,
  startTyping,
} from '../../../src/domain/messages/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { createRole, deleteRole } from '../../../src/domain/roles/index.js';
import { joinVoice } from '../../../src/domain/voice/index.js';
import type { Role, User } from '../../../src/infra/database/index.js';
import { hearGuild } from '../../harness/bus.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import { addMember, callOf, createChannel, createGuild, say, type TestGuild, toSend } from '../../harness/world.js';
import { toEdit } from '../messages/scene.js';

let app: AppContext;
let guild: TestGuild;
let ada: User;
let mod: User;
let low: Role;
let high: Role;

const DAY_MS = 86_400_000;
const MODERATING =
  Permission.ManageNicknames | Permission.ModerateMembers | Permission.ManageRoles | Permission.MuteMembers;

test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  guild = await createGuild(app);
  [ada, mod] = [await createPerson(app), await createPerson(app)];
  for (const user of [ada, mod]) await addMember(app, guild.id, user);
  const owner = callOf(app, guild.owner);
  high = await createRole(owner, guild.id, { name: 'high', permissions: MODERATING });
  low = await createRole(owner, guild.id, { name: 'low', permissions: 0n });
  await addMemberRole(owner, { guildId: guild.id, userId: mod.id, roleId: high.id });
  await addMemberRole(owner, { guildId: guild.id, userId: ada.id, roleId: low.id });
});

type Change = Omit<Parameters<typeof updateMember>[1], 'guildId' | 'userId'>;

const update = (change: Change, { by = mod, of = ada } = {}) =>
  updateMember(callOf(app, by), { guildId: guild.id, userId: of.id, ...change });
const inDays = (days: number) => new Date(app.clock.now() + days * DAY_MS);
const refused = { code: 'MISSING_PERMISSIONS' };

describe('a change of a member', () => {
  test('is one event, with one audit entry for the member and one for the roles', async () => {
    const { events } = hearGuild({ app }, guild.id);
    const until = inDays(1);
    const change = { nick: 'Heron', roleIds: [], communicationDisabledUntil: until };
    expect(await update(change)).toMatchObject({ nick: 'Heron', roles: [], communicationDisabledUntil: until });
    expect(events.map(({ type }) => type)).toEqual([
      'GUILD_AUDIT_LOG_ENTRY_CREATE',
      'GUILD_AUDIT_LOG_ENTRY_CREATE',
      'GUILD_MEMBER_UPDATE',
    ]);
    const told = JSON.parse(events[2]?.data ?? '');
    expect(told).toMatchObject({ nick: 'Heron', roles: [], user: { id: String(ada.id) } });
    expect(Date.parse(told.communication_disabled_until)).toBe(until.getTime());
    expect(await app.guilds.member(guild.id, ada.id)).toMatchObject({ nick: 'Heron', roleIds: [] });
    const entry = await app.db.reader.auditEntry.findFirstOrThrow({
      where: { guildId: guild.id, action: 'MEMBER_UPDATE' },
    });
    expect(entry).toMatchObject({
      actorId: mod.id,
      targetId: ada.id,
      changes: {
        nick: { old: null, new: 'Heron' },
        communicationDisabledUntil: { old: null, new: until.toISOString() },
      },
    });
  });

  test('is not published if nothing changes', async () => {
    const { events } = hearGuild({ app }, guild.id);
    await update({});
    await update({ nick: null, roleIds: [low.id], communicationDisabledUntil: null });
    expect(events).toEqual([]);
  });

  test('is done as a whole, or not at all', async () => {
    expect(await outcome(update({ nick: 'Heron', roleIds: [high.id] }))).toBe('MISSING_PERMISSIONS');
    expect(await outcome(update({ nick: 'Heron', roleIds: [1n] }))).toBe('UNKNOWN_ROLE');
    expect(await outcome(update({ nick: 'Heron', mute: true }))).toBe('NOT_IN_VOICE');
    expect((await app.guilds.member(guild.id, ada.id))?.nick).toBeNull();
  });

  test('is refused for users who are not members', async () => {
    const stranger = await createPerson(app);
    await expect(update({ nick: 'x' }, { of: stranger })).rejects.toMatchObject({ code: 'UNKNOWN_MEMBER' });
  });

  test.each([
    ['nick', { nick: 'x' }],
    ['timeout', { communicationDisabledUntil: new Date(0) }],
  ] satisfies [string, Change][])(
    '%s: needs a higher role than the target, and is never allowed for the owner',
    async (_, change) => {
      await expect(update(change, { of: guild.owner })).rejects.toMatchObject(refused);
      const { id: roleId } = high;
      await addMemberRole(callOf(app, guild.owner), { guildId: guild.id, userId: ada.id, roleId });
      await expect(update(change)).rejects.toMatchObject(refused);
      expect(await outcome(update(change, { by: guild.owner }))).toBe('ok');
    },
  );
});

describe("a member's own nickname", () => {
  test('can be changed with ChangeNickname, regardless of rank', async () => {
    const own = (user: User, nick: string | null) => updateOwnMember(callOf(app, user), { guildId: guild.id, nick });
    expect(await own(ada, 'Wren')).toMatchObject({ nick: 'Wren' });
    expect(await own(ada, null)).toMatchObject({ nick: null });
    expect(await own(guild.owner, 'Boss')).toMatchObject({ nick: 'Boss' });
    expect(await update({ nick: 'Otter' }, { by: ada, of: ada })).toMatchObject({ nick: 'Otter' });
  });
});

describe('a timeout', () => {
  test('leaves only reading until it is over', async () => {
    const send = () => outcome(accessChannel(callOf(app, ada), guild.channel.id, 'sendMessage'));
    const read = () => outcome(accessChannel(callOf(app, ada), guild.channel.id, 'readMessageHistory'));
    expect(await send()).toBe('ok');
    await update({ communicationDisabledUntil: inDays(1) });
    expect([await send(), await read()]).toEqual(['MISSING_PERMISSIONS', 'ok']);
    await update({ communicationDisabledUntil: inDays(-1) });
    expect(await send()).toBe('ok');
    await update({ communicationDisabledUntil: inDays(1) });
    await update({ communicationDisabledUntil: null });
    expect(await send()).toBe('ok');
  });

  test('blocks messages, reactions, invites, voice and nicknames, regardless of permissions', async () => {
    const [call, owner] = [callOf(app, ada), callOf(app, guild.owner)];
    const channelId = guild.channel.id;
    const { id: messageId } = await say(app, guild, ada, 'mine');
    const [at, there] = [{ channelId, messageId }, { emoji: '👍' }];
    await addReaction(owner, { ...at, ...there });
    const voice = await createChannel(app, guild.id, 'voice', 2);
    const attempts: (() => Promise<unknown>)[] = [
      () => sendMessage(call, { channelId, body: toSend({ content: 'more' }) }),
      () => startTyping(call, { channelId }),
      () => addReaction(call, { ...at, emoji: '🦦' }),
      () => addReaction(call, { ...at, ...there }),
      () => createInvite(call, channelId),
      () => joinVoice(call, { channelId: voice.id }, 'a connection'),
      () => updateOwnMember(call, { guildId: guild.id, nick: 'Wren' }),
    ];
    const { id: another } = await say(app, guild, ada, 'another');
    const removeOther = () => deleteMessage(call, { channelId, messageId: another });
    const tried = async () => Promise.all(attempts.map((attempt) => outcome(attempt())));
    await update({ communicationDisabledUntil: inDays(1) });
    expect(await tried()).toEqual(attempts.map(() => 'MISSING_PERMISSIONS'));
    expect(await outcome(removeReaction(call, { ...at, ...there }))).toBe('ok');
    expect(await outcome(removeOther())).toBe('ok');
    expect(await outcome(editMessage(call, { ...at, body: toEdit({ content: 'mine still' }) }))).toBe('ok');
    await update({ communicationDisabledUntil: null });
    expect(await tried()).not.toContain('MISSING_PERMISSIONS');
  });

  test('has no effect on the owner and administrators', async () => {
    const admin = await createRole(callOf(app, guild.owner), guild.id, { permissions: Permission.Administrator });
    await addMemberRole(callOf(app, guild.owner), { guildId: guild.id, userId: ada.id, roleId: admin.id });
    const { id: messageId } = await say(app, guild, ada, 'mine');
    const users = [ada.id, guild.owner.id];
    for (const userId of users) {
      const where = { guildId: guild.id, userId };
      await app.db.writer.member.updateMany({ where, data: { communicationDisabledUntil: inDays(1) } });
    }
    const at = { channelId: guild.channel.id, messageId, emoji: '👍' };
    for (const user of [ada, guild.owner]) expect(await outcome(addReaction(callOf(app, user), at))).toBe('ok');
  });

  test('is limited to 28 days', async () => {
    await expect(update({ communicationDisabledUntil: inDays(28.001) })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ path: 'communicationDisabledUntil', code: 'INVALID_COMMUNICATION_DISABLED_TIMESTAMP' }],
    });
    expect(await outcome(update({ communicationDisabledUntil: inDays(28) }))).toBe('ok');
  });

  test('is refused for administrators and for the caller', async () => {
    const admin = await createRole(callOf(app, guild.owner), guild.id, { permissions: Permission.Administrator });
    await addMemberRole(callOf(app, guild.owner), { guildId: guild.id, userId: ada.id, roleId: admin.id });
    const change = { communicationDisabledUntil: inDays(1) };
    for (const by of [mod, guild.owner]) await expect(update(change, { by })).rejects.toMatchObject(refused);
    await expect(update(change, { of: mod })).rejects.toMatchObject(refused);
    expect(await outcome(update({ communicationDisabledUntil: null }, { by: guild.owner }))).toBe('ok');
  });
});

describe('one role of a member', () => {
  const give = (roleId: bigint, by = mod) =>
    addMemberRole(callOf(app, by), { guildId: guild.id, userId: ada.id, roleId });
  const take = (roleId: bigint, by = mod) =>
    removeMemberRole(callOf(app, by), { guildId: guild.id, userId: ada.id, roleId });
  const rolesOf = async () => (await app.guilds.member(guild.id, ada.id))?.roleIds;

  test('is added and removed, and published if it changes', async () => {
    const { events } = hearGuild({ app }, guild.id);
    await take(low.id);
    await take(low.id);
    expect(await rolesOf()).toEqual([]);
    await give(low.id);
    await give(low.id);
    expect(await rolesOf()).toEqual([low.id]);
    expect(events.filter(({ type }) => type === 'GUILD_MEMBER_UPDATE')).toHaveLength(2);
  });

  test('must be below the highest role of the caller, and in the guild', async () => {
    for (const change of [give, take]) {
      await expect(change(high.id)).rejects.toMatchObject(refused);
      await expect(change(1n)).rejects.toMatchObject({ code: 'UNKNOWN_ROLE' });
      await expect(change(guild.id, guild.owner)).rejects.toMatchObject({ code: 'UNKNOWN_ROLE' });
    }
  });

  test('that is deleted at the same moment is given to no member', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id: roleId } = await createRole(callOf(app, guild.owner), guild.id, { permissions: 0n });
      const [given] = await Promise.all([
        outcome(give(roleId, guild.owner)),
        deleteRole(callOf(app, guild.owner), { guildId: guild.id, roleId }),
      ]);
      expect(['ok', 'UNKNOWN_ROLE']).toContain(given);
      expect(await app.db.reader.memberRole.count({ where: { roleId } })).toBe(0);
    }
  });
});
