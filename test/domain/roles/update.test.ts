import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { addMemberRole } from '../../../src/domain/members/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import {
  countRoleMembers,
  createRole,
  deleteRole,
  getRole,
  listRoles,
  setRolePositions,
  updateRole,
} from '../../../src/domain/roles/index.js';
import type { Role, User } from '../../../src/infra/database/index.js';
import { hearGuild } from '../../harness/bus.js';
import { toldBy } from '../../harness/calls.js';
import { entry, OF_ROLE, putCommand, putPermissions } from '../../harness/command-rows.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { addCrowd, createPerson } from '../../harness/rows.js';
import { addMember, callOf, createBot, createGuild, type TestGuild } from '../../harness/world.js';

let app: AppContext;
let guild: TestGuild;
let mod: User;
let top: Role;
let low: Role;
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  guild = await createGuild(app);
  mod = await createPerson(app);
  await addMember(app, guild.id, mod);
  top = await make({ name: 'top', permissions: Permission.ManageRoles | Permission.KickMembers });
  low = await make({ name: 'low', permissions: Permission.BanMembers });
  await addMemberRole(callOf(app, guild.owner), { guildId: guild.id, userId: mod.id, roleId: top.id });
});

const make = (fields: Parameters<typeof createRole>[2]) => createRole(callOf(app, guild.owner), guild.id, fields);
const update = (role: { id: bigint }, fields: Parameters<typeof createRole>[2], by = mod) =>
  updateRole(callOf(app, by), { guildId: guild.id, roleId: role.id, ...fields });
const remove = (role: { id: bigint }, by = mod) => deleteRole(callOf(app, by), { guildId: guild.id, roleId: role.id });

test('a role without a name and a colour has the documented defaults', async () => {
  const everyone = await getRole(callOf(app, mod), { guildId: guild.id, roleId: guild.id });
  expect(await make({})).toMatchObject({
    name: 'new role',
    permissions: everyone.permissions,
    color: 0,
    hoist: false,
    mentionable: false,
    position: 1,
  });
  expect(await make({ color: 255, hoist: true, mentionable: true })).toMatchObject({ color: 255, hoist: true });
});

describe('a change of a role', () => {
  test('is published, and audited with the old values', async () => {
    const { events } = hearGuild({ app }, guild.id);
    expect(await update(low, { name: 'lower', color: 5, hoist: true, mentionable: true })).toMatchObject({
      name: 'lower',
      color: 5,
      permissions: Permission.BanMembers,
    });
    expect(events.map(({ type }) => type)).toEqual(['GUILD_AUDIT_LOG_ENTRY_CREATE', 'GUILD_ROLE_UPDATE']);
    const where = { guildId: guild.id, action: 'ROLE_UPDATE' };
    expect(await app.db.reader.auditEntry.findFirst({ where })).toMatchObject({
      targetId: low.id,
      changes: { name: { old: 'low', new: 'lower' }, color: { old: 0, new: 5 } },
    });
  });

  test('is not published if it changes nothing', async () => {
    const { events } = hearGuild({ app }, guild.id);
    await update(low, {});
    await update(low, { name: null, permissions: null, color: 0, hoist: false });
    expect(events).toEqual([]);
  });

  test('grants only permissions of the caller, and keeps those that the role had', async () => {
    expect(await outcome(update(low, { permissions: Permission.ManageGuild }))).toBe('MISSING_PERMISSIONS');
    const both = Permission.BanMembers | Permission.KickMembers;
    expect(await update(low, { permissions: both })).toMatchObject({ permissions: both });
    expect(await update(low, { permissions: 0n })).toMatchObject({ permissions: 0n });
  });

  test("requires a role of the guild below the caller's highest", async () => {
    const elsewhere = await createGuild(app);
    expect(await outcome(update(top, { name: 'x' }))).toBe('MISSING_PERMISSIONS');
    for (const id of [1n, elsewhere.id]) expect(await outcome(update({ id }, { name: 'x' }))).toBe('UNKNOWN_ROLE');
  });

  test('of `@everyone` is limited to its permissions', async () => {
    expect(await outcome(update(guild, { name: 'all' }))).toBe('INVALID_ROLE');
    expect(await update(guild, { name: '@everyone', permissions: 0n })).toMatchObject({ permissions: 0n });
  });

  test('during its removal has one outcome', async () => {
    for (let round = 0; round < 5; round += 1) {
      const role = await make({ permissions: 0n });
      const [changed] = await Promise.all([outcome(update(role, { name: 'x' })), remove(role, guild.owner)]);
      expect(['ok', 'UNKNOWN_ROLE']).toContain(changed);
    }
  });
});

describe('the removal of a role', () => {
  test('removes it from members, channels and command permissions', async () => {
    const owner = callOf(app, guild.owner);
    const ada = await createPerson(app);
    await addMember(app, guild.id, ada);
    await addMemberRole(owner, { guildId: guild.id, userId: ada.id, roleId: low.id });
    const overwrite = { channelId: guild.channel.id, targetId: low.id, targetType: 0 };
    await app.db.writer.channelOverwrite.create({ data: { ...overwrite, deny: Permission.SendMessages } });
    const { id: applicationId } = await createBot(app, { owner: guild.owner });
    const { id: commandId } = await putCommand(app, applicationId);
    const key = { guildId: guild.id, applicationId, commandId };
    await putPermissions(app, key, entry(OF_ROLE, low.id), entry(OF_ROLE, guild.id));
    const { events } = hearGuild({ app }, guild.id);
    await remove(low);
    expect(events.map(({ type }) => type)).toEqual([
      'GUILD_AUDIT_LOG_ENTRY_CREATE',
      'GUILD_ROLE_DELETE',
      'CHANNEL_UPDATE',
    ]);
    expect(JSON.parse(events[2]?.data ?? '')).toMatchObject({
      id: String(guild.channel.id),
      permission_overwrites: [],
    });
    expect(await app.guilds.member(guild.id, ada.id)).toMatchObject({ roleIds: [] });
    expect((await app.guilds.view(guild.id))?.channels.get(guild.channel.id)?.overwrites).toEqual([]);
    const said = await app.db.reader.commandPermission.findMany({ where: key });
    expect(said.map(({ targetId }) => targetId)).toEqual([guild.id]);
    const where = { guildId: guild.id, action: 'ROLE_DELETE' };
    expect(await app.db.reader.auditEntry.findFirst({ where })).toMatchObject({
      targetId: low.id,
      changes: { name: 'low', permissions: String(Permission.BanMembers) },
    });
  });

  test('removes it from emojis, which all members can use if it was the only role', async () => {
    const picture = { guildId: guild.id, animated: false, creatorId: guild.owner.id };
    const makeEmoji = (...roles: { id: bigint }[]) => {
      const [id, roleIds] = [app.nextId(), roles.map((role) => String(role.id))];
      return app.db.writer.emoji.create({ data: { ...picture, id, name: 'otter', roleIds } });
    };
    const emojis = [await makeEmoji(top), await makeEmoji(low), await makeEmoji(top, low), await makeEmoji()];
    const { events } = hearGuild({ app }, guild.id);
    await remove(low);
    const left = [[String(top.id)], [], [String(top.id)], []];
    const told = events.filter(({ type }) => type === 'GUILD_EMOJIS_UPDATE').map(({ data }) => JSON.parse(data).emojis);
    expect(told).toEqual([
      emojis.map(({ id }, index) => expect.objectContaining({ id: String(id), roles: left[index] })),
    ]);
    const rows = await app.db.reader.emoji.findMany({ where: { guildId: guild.id }, orderBy: { id: 'asc' } });
    expect(rows.map(({ roleIds }) => roleIds)).toEqual(left);
    const other = await make({});
    events.length = 0;
    await remove(other);
    expect(events.map(({ type }) => type)).not.toContain('GUILD_EMOJIS_UPDATE');
  });

  test('is refused for `@everyone` and for managed roles', async () => {
    const { user: bot } = await createBot(app);
    await addMember(app, guild.id, bot);
    const managed = await app.db.reader.role.findFirstOrThrow({ where: { guildId: guild.id, managed: true } });
    for (const role of [guild, managed]) expect(await outcome(remove(role, guild.owner))).toBe('INVALID_ROLE');
    expect(await outcome(remove(top))).toBe('MISSING_PERMISSIONS');
  });

  test('works for any number of members, in transactions of up to 400', async () => {
    await addCrowd(app, guild.id, 900);
    const members = await app.db.reader.member.findMany({ where: { guildId: guild.id } });
    const data = members.map(({ userId }) => ({ guildId: guild.id, userId, roleId: low.id }));
    await app.db.writer.memberRole.createMany({ data });
    expect((await countRoleMembers(callOf(app, mod), guild.id)).get(low.id)).toBe(members.length);
    const told = await toldBy(callOf(app, mod), (call) => deleteRole(call, { guildId: guild.id, roleId: low.id }));
    expect(told.locking).toEqual([true, true, true]);
    expect(told.events).toEqual([{ type: 'GUILD_ROLE_DELETE', guildId: guild.id, roleId: low.id }]);
    expect(await app.db.reader.memberRole.count({ where: { guildId: guild.id } })).toBe(1);
  });

  test('by several callers at once happens once, and a sorting during it succeeds or is refused', async () => {
    const outcomes = await Promise.all([remove(low), remove(low), remove(low)].map(outcome));
    expect(outcomes.sort()).toEqual(['UNKNOWN_ROLE', 'UNKNOWN_ROLE', 'ok']);
    for (let round = 0; round < 5; round += 1) {
      const [one] = [await make({ permissions: 0n }), await make({ permissions: 0n })];
      const sort = setRolePositions(callOf(app, guild.owner), guild.id, [{ roleId: one.id, position: 1 }]);
      const [sorted] = await Promise.all([outcome(sort), remove(one, guild.owner)]);
      expect(['ok', 'UNKNOWN_ROLE']).toContain(sorted);
      const roles = await listRoles(callOf(app, mod), guild.id);
      expect(new Set(roles.map(({ position }) => position)).size).toBe(roles.length);
    }
  });
});

test('ten new roles near the limit: as many are created as there is room for', async () => {
  const count = await app.db.reader.role.count({ where: { guildId: guild.id } });
  const data = Array.from({ length: 247 - count }, (_, n) => ({ id: app.nextId(), guildId: guild.id, name: `${n}` }));
  await app.db.writer.role.createMany({ data });
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcome(make({ permissions: 0n }))));
  expect(outcomes.sort()).toEqual([...Array(7).fill('LIMIT_EXCEEDED'), 'ok', 'ok', 'ok']);
  expect(await app.db.reader.role.count({ where: { guildId: guild.id } })).toBe(250);
});

test('the roles of a guild are listed lowest first, with their member counts', async () => {
  const roles = await listRoles(callOf(app, mod), guild.id);
  expect(roles.map(({ name }) => name)).toEqual(['@everyone', 'low', 'top']);
  expect(await countRoleMembers(callOf(app, mod), guild.id)).toEqual(
    new Map([
      [low.id, 0],
      [top.id, 1],
    ]),
  );
});
