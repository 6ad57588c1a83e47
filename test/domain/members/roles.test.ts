import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { setMemberRoles } from '../../../src/domain/members/index.js';
import { createRole } from '../../../src/domain/roles/index.js';
import type { Role, User } from '../../../src/infra/database/index.js';
import { hearGuild } from '../../harness/bus.js';
import { test } from '../../harness/fixtures.js';
import { createPerson } from '../../harness/rows.js';
import { addMember, callOf, createBot, createGuild, type TestGuild } from '../../harness/world.js';

let app: AppContext;
let guild: TestGuild;
let ada: User;
let one: Role;
let two: Role;
let three: Role;
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  guild = await createGuild(app);
  ada = await createPerson(app);
  await addMember(app, guild.id, ada);
  const make = (name: string) => createRole(callOf(app, guild.owner), guild.id, { name });
  [one, two, three] = [await make('one'), await make('two'), await make('three')];
});

async function set(roles: Pick<Role, 'id'>[], user = ada): Promise<bigint[]> {
  const input = { guildId: guild.id, userId: user.id, roleIds: roles.map(({ id }) => id) };
  const member = await setMemberRoles(callOf(app, guild.owner), input);
  return member.roles.map(({ roleId }) => roleId).sort();
}

describe('the roles of a member', () => {
  test('are published, and audited as added and removed roles', async () => {
    await set([one, two]);
    const { events } = hearGuild({ app }, guild.id);
    expect(await set([two, three, three])).toEqual([two.id, three.id].sort());
    expect(events.map(({ type }) => type)).toEqual(['GUILD_AUDIT_LOG_ENTRY_CREATE', 'GUILD_MEMBER_UPDATE']);
    const { user, roles } = JSON.parse(events[1]?.data ?? '');
    expect({ user: user.id, roles: roles.sort() }).toEqual({
      user: String(ada.id),
      roles: [String(two.id), String(three.id)].sort(),
    });
    const entries = await app.db.reader.auditEntry.findMany({
      where: { guildId: guild.id, action: 'MEMBER_ROLE_UPDATE' },
      orderBy: { id: 'asc' },
    });
    const named = ({ id, name }: Role) => ({ id: String(id), name });
    expect(entries.at(-1)).toMatchObject({
      actorId: guild.owner.id,
      targetId: ada.id,
      changes: { added: [named(three)], removed: [named(one)] },
    });
  });

  test('are not published if they do not change', async () => {
    await set([one, two]);
    const { events } = hearGuild({ app }, guild.id);
    expect(await set([two, one])).toEqual([one.id, two.id].sort());
    expect(events).toEqual([]);
    const where = { guildId: guild.id, action: 'MEMBER_ROLE_UPDATE' };
    expect(await app.db.reader.auditEntry.count({ where })).toBe(1);
  });

  test('are exactly one of two sets that are set at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      await set([]);
      await Promise.all([set([one]), set([two])]);
      const member = await app.guilds.member(guild.id, ada.id);
      expect([[one.id], [two.id]]).toContainEqual(member?.roleIds);
    }
  });

  test('are removed from no other member', async () => {
    const bob = await createPerson(app);
    await addMember(app, guild.id, bob);
    await set([one, two], bob);
    await set([one]);
    expect(await set([])).toEqual([]);
    expect(await set([one, two], bob)).toEqual([one.id, two.id].sort());
    const where = { guildId: guild.id, action: 'MEMBER_ROLE_UPDATE' };
    expect(await app.db.reader.auditEntry.count({ where })).toBe(3);
  });

  test('keep managed ones, whether or not the request names them', async () => {
    const { user: bot } = await createBot(app);
    await addMember(app, guild.id, bot);
    const managed = await app.db.reader.role.findFirstOrThrow({ where: { guildId: guild.id, managed: true } });
    expect(await set([one], bot)).toEqual([managed.id, one.id].sort());
    expect(await set([managed, two], bot)).toEqual([managed.id, two.id].sort());
    await expect(set([managed])).rejects.toMatchObject({ code: 'MISSING_PERMISSIONS' });
  });

  test('need a member, and roles of the guild', async () => {
    const unknown = { id: 1n };
    await expect(set([one], await createPerson(app))).rejects.toMatchObject({ code: 'UNKNOWN_MEMBER' });
    await expect(set([one, unknown])).rejects.toMatchObject({ code: 'UNKNOWN_ROLE' });
    expect(await set([one, guild])).toEqual([one.id]);
    expect(await set([])).toEqual([]);
  });
});
