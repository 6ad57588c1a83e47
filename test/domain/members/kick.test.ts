import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { addMemberRole, kickMember } from '../../../src/domain/members/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { createRole } from '../../../src/domain/roles/index.js';
import type { User } from '../../../src/infra/database/index.js';
import { hearGuild } from '../../harness/bus.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson } from '../../harness/rows.js';
import { addMember, callOf, createBot, createGuild, type TestGuild } from '../../harness/world.js';

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
  const { id: roleId } = await createRole(owner, guild.id, { permissions: Permission.KickMembers });
  await addMemberRole(owner, { guildId: guild.id, userId: mod.id, roleId });
});

const kick = (user: User, by = mod) => kickMember(callOf(app, by), { guildId: guild.id, userId: user.id });

describe('kicking', () => {
  test('ends the membership, and is published and audited', async () => {
    const { events } = hearGuild({ app }, guild.id);
    await kick(ada);
    expect(await app.guilds.member(guild.id, ada.id)).toBeNull();
    expect(events.map(({ type }) => type)).toEqual(['GUILD_MEMBER_REMOVE', 'GUILD_AUDIT_LOG_ENTRY_CREATE']);
    const where = { guildId: guild.id, action: 'MEMBER_KICK' };
    expect(await app.db.reader.auditEntry.findFirst({ where })).toMatchObject({ actorId: mod.id, targetId: ada.id });
    await expect(kick(ada)).rejects.toMatchObject({ code: 'UNKNOWN_MEMBER' });
  });

  test('removes the installation of a bot', async () => {
    const bot = await createBot(app);
    await addMember(app, guild.id, bot.user);
    const { events } = hearGuild({ app }, guild.id);
    await kick(bot.user, guild.owner);
    const entries = events.filter(({ type }) => type === 'GUILD_AUDIT_LOG_ENTRY_CREATE');
    expect(entries.map(({ data }) => JSON.parse(data).action_type)).toEqual([82, 20]);
    const where = { guildId: guild.id, applicationId: bot.id };
    expect(await app.db.reader.installation.count({ where })).toBe(0);
    expect(await app.db.reader.role.count({ where })).toBe(0);
    expect(await app.guilds.member(guild.id, bot.id)).toBeNull();
  });

  test('is refused for a member of the same rank, the owner and the caller', async () => {
    for (const user of [guild.owner, mod]) {
      await expect(kick(user)).rejects.toMatchObject({ code: 'MISSING_PERMISSIONS' });
    }
    await expect(kick(guild.owner, guild.owner)).rejects.toMatchObject({ code: 'MISSING_PERMISSIONS' });
    const role = await app.db.reader.memberRole.findFirstOrThrow({ where: { guildId: guild.id, userId: mod.id } });
    await addMemberRole(callOf(app, guild.owner), { guildId: guild.id, userId: ada.id, roleId: role.roleId });
    await expect(kick(ada)).rejects.toMatchObject({ code: 'MISSING_PERMISSIONS' });
  });

  test('by several callers at once happens once', async () => {
    const { events } = hearGuild({ app }, guild.id);
    const outcomes = await Promise.all([kick(ada), kick(ada), kick(ada, guild.owner)].map(outcome));
    expect(outcomes.sort()).toEqual(['UNKNOWN_MEMBER', 'UNKNOWN_MEMBER', 'ok']);
    expect(events.filter(({ type }) => type === 'GUILD_MEMBER_REMOVE')).toHaveLength(1);
  });
});
