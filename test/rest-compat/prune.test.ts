import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addMemberRole } from '../../src/domain/members/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { createRole } from '../../src/domain/roles/index.js';
import type { User } from '../../src/infra/database/index.js';
import { hearGuild } from '../harness/bus.js';
import { eventually } from '../harness/jobs.js';
import { openScene, type Scene } from '../harness/rest.js';
import { createPerson, DAY_MS, putAccounts } from '../harness/rows.js';
import { startServer, type TestServer } from '../harness/server.js';
import { addMember, callOf } from '../harness/world.js';

let server: TestServer;
let scene: Scene;
let roleId: string;
beforeAll(async () => {
  server = await startServer({ jobs: true });
});
beforeEach(async () => {
  scene = await openScene(server);
  await scene.permit(Permission.KickMembers | Permission.ManageGuild);
  await give(scene.bot.bot.user, (await createRole(owner(), scene.guild.id, { permissions: 0n })).id);
  roleId = String((await createRole(owner(), scene.guild.id, { permissions: 0n })).id);
});
afterAll(() => server.stop());

const owner = () => callOf(server.app, scene.guild.owner);
const give = (user: User, id: bigint) =>
  addMemberRole(owner(), { guildId: scene.guild.id, userId: user.id, roleId: id });

async function memberAway(days: number): Promise<User> {
  const { app } = server;
  const user = await createPerson(app);
  await putAccounts(app, [user], days);
  await addMember(app, scene.guild.id, user);
  const joinedAt = new Date(app.clock.now() - 365 * DAY_MS);
  const where = { guildId_userId: { guildId: scene.guild.id, userId: user.id } };
  await app.db.writer.member.update({ where, data: { joinedAt } });
  return user;
}

const path = () => `/guilds/${scene.guildId}/prune`;
const count = async (query = '') => (await scene.bot.get(path() + query)).body;
const untilGone = ({ id: userId }: User) =>
  eventually(async () => {
    const where = { guildId: scene.guild.id, userId };
    expect(await server.app.db.reader.member.count({ where })).toBe(0);
    expect(await server.app.db.reader.job.count({ where: { key: `prune-members ${scene.guildId}` } })).toBe(0);
  });

test('a prune count includes members inactive for a week, or for the given number of days', async () => {
  await memberAway(3);
  await memberAway(10);
  expect([await count(), await count('?days=1'), await count('?days=30')]).toEqual([
    { pruned: 1 },
    { pruned: 2 },
    { pruned: 0 },
  ]);
});

test('a prune accepts roles with commas between them, and repeated ones', async () => {
  const [one, two] = [await memberAway(10), await memberAway(10)];
  for (const user of [one, two]) await give(user, BigInt(roleId));
  expect(await count()).toEqual({ pruned: 0 });
  for (const roles of [roleId, `1,${roleId}`, `1,%20${roleId},`, `1&include_roles=${roleId}`]) {
    expect(await count(`?include_roles=${roles}`)).toEqual({ pruned: 2 });
  }
});

test('a prune removes the members, publishes events, and audits the days and the number', async () => {
  const user = await memberAway(10);
  await give(user, BigInt(roleId));
  const { events } = hearGuild(server, scene.guild.id);
  const headers = { 'x-audit-log-reason': 'spring' };
  const json = { days: 8, include_roles: [roleId] };
  expect(await scene.bot.ask('POST', path(), { json, headers })).toMatchObject({ status: 200, body: { pruned: 1 } });
  await untilGone(user);
  expect(events.filter(({ type }) => type === 'GUILD_MEMBER_REMOVE').map(({ userId }) => userId)).toEqual([
    String(user.id),
  ]);
  await scene.permit(Permission.ViewAuditLog);
  const { body } = await scene.bot.get(`/guilds/${scene.guildId}/audit-logs?action_type=21`);
  expect(body.audit_log_entries).toMatchObject([
    {
      action_type: 21,
      user_id: scene.bot.id,
      target_id: null,
      reason: 'spring',
      options: { delete_member_days: '8', members_removed: '1' },
    },
  ]);
});

test('a prune returns no count if compute_prune_count is false, also as text', async () => {
  for (const unasked of [false, 'false']) {
    const user = await memberAway(10);
    await give(user, BigInt(roleId));
    const json = { compute_prune_count: unasked, include_roles: `1, ${roleId}` };
    expect((await scene.bot.post(path(), json)).body).toEqual({ pruned: null });
    await untilGone(user);
  }
  for (const asked of [true, 'true', null, undefined]) {
    expect((await scene.bot.post(path(), { compute_prune_count: asked })).body).toEqual({ pruned: 0 });
  }
});

test.each([
  [{ days: 0 }, 'days'],
  [{ days: 31 }, 'days'],
  [{ days: '7.5' }, 'days'],
  [{ compute_prune_count: 'maybe' }, 'compute_prune_count'],
  [{ include_roles: 'x' }, 'include_roles'],
  [{ include_roles: 5 }, 'include_roles'],
])('a prune refuses %j', async (json, field) => {
  const { status, body } = await scene.bot.post(path(), json);
  expect([status, body.code, Object.keys(body.errors)]).toEqual([400, 50035, [field]]);
});

test('a prune needs both permissions', async () => {
  for (const permission of [Permission.KickMembers, Permission.ManageGuild]) {
    await scene.permit(permission);
    expect((await scene.bot.get(path())).body.code).toBe(50013);
    expect((await scene.bot.post(path(), {})).body.code).toBe(50013);
  }
});
