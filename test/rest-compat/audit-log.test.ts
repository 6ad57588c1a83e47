import { beforeEach, describe, expect } from 'vitest';
import { updateGuild } from '../../src/domain/guilds/index.js';
import { createInvite } from '../../src/domain/invites/index.js';
import { setMemberRoles } from '../../src/domain/members/index.js';
import { Permission } from '../../src/domain/permissions.js';
import { createRole } from '../../src/domain/roles/index.js';
import { test } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { planOf } from '../harness/plans.js';
import { expectReference } from '../harness/reference.js';
import { openScene, type Scene } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';
import { statementsOf } from '../harness/statements.js';
import { callOf } from '../harness/world.js';

let server: TestServer;
let scene: Scene;
test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  scene = await openScene(server);
  await scene.permit(Permission.ViewAuditLog | Permission.ManageGuild | Permission.ViewChannel);
});

const path = (query = '') => `/guilds/${scene.guildId}/audit-logs${query}`;
const listed = async (query = ''): Promise<Loose[]> => (await scene.bot.get(path(query))).body.audit_log_entries;
const idsOf = (entries: Loose[]) => entries.map(({ id }) => id);
const owner = () => callOf(server.app, scene.guild.owner);

async function act(): Promise<void> {
  const role = await createRole(owner(), scene.guild.id, { name: 'Helpers', permissions: 0n });
  await setMemberRoles(owner(), { guildId: scene.guild.id, userId: scene.other.bot.id, roleIds: [role.id] });
  await createInvite(owner(), scene.guild.channel.id, {});
  await updateGuild(callOf(server.app, scene.bot.bot.user), { guildId: scene.guild.id, name: 'Quay' });
}

describe('GET /guilds/{guild.id}/audit-logs', () => {
  test('returns the newest entries first, with the users and objects that they reference', async () => {
    await act();
    const { status, body } = await scene.bot.get(path());
    expect(status).toBe(200);
    expectReference('GuildAuditLogResponse', body);
    for (const entry of body.audit_log_entries) expectReference('AuditLogEntryResponse', entry);
    const types = body.audit_log_entries.map((entry: Loose) => entry.action_type);
    expect(types.slice(0, 4)).toEqual([1, 40, 25, 30]);
    expect(body.audit_log_entries[0]).toMatchObject({
      user_id: scene.bot.id,
      target_id: scene.guildId,
      changes: [{ key: 'name', old_value: 'Guild', new_value: 'Quay' }],
    });
    const users = body.users.map((user: Loose) => user.id);
    expect(users.toSorted()).toEqual([String(scene.guild.owner.id), scene.bot.id, scene.other.id].toSorted());
    for (const user of body.users) expectReference('UserResponse', user);
    expect(idsOf(body.audit_log_entries)).toEqual(idsOf(body.audit_log_entries).toSorted().reverse());
  });

  test('shows that a channel moved to another category, but not its new position', async () => {
    await scene.permit(
      Permission.ViewAuditLog | Permission.ManageChannels | Permission.ManageRoles | Permission.ViewChannel,
    );
    const channels = `/guilds/${scene.guildId}/channels`;
    const make = async (name: string, type: number) => (await scene.bot.post(channels, { name, type })).body.id;
    const [category, first, second] = [await make('category', 4), await make('first', 0), await make('second', 0)];
    const sort = async (...positions: object[]) => {
      expect((await scene.bot.ask('PATCH', channels, { json: positions })).status).toBe(204);
      return (await listed('?action_type=11')).map(({ target_id, changes }) => ({ target_id, changes }));
    };
    expect(await sort({ id: first, position: 9 }, { id: second, position: 8 })).toEqual([]);
    const entered = { target_id: first, changes: [{ key: 'parent_id', new_value: category }] };
    expect(await sort({ id: first, parent_id: category, position: 3 }, { id: second, position: 4 })).toEqual([entered]);
    const left = { target_id: first, changes: [{ key: 'parent_id', old_value: category }] };
    expect(await sort({ id: first, parent_id: null })).toEqual([left, entered]);
  });

  test('filters by user and by action type, alone and together', async () => {
    await act();
    const all = await listed();
    const ownerId = String(scene.guild.owner.id);
    const of = (matches: (entry: Loose) => boolean) => idsOf(all.filter(matches));
    expect(idsOf(await listed(`?user_id=${ownerId}`))).toEqual(of((entry) => entry.user_id === ownerId));
    expect(idsOf(await listed('?action_type=28'))).toEqual(of((entry) => entry.action_type === 28));
    expect(await listed(`?user_id=${ownerId}&action_type=25`)).toHaveLength(1);
    expect(await listed(`?user_id=${scene.bot.id}&action_type=25`)).toEqual([]);
    for (const none of ['?action_type=9999', '?action_type=-1', '?user_id=1']) expect(await listed(none)).toEqual([]);
  });

  test('pages from the newest entry with `before`, and from the oldest with `after`', async () => {
    await act();
    const ids = idsOf(await listed());
    expect(ids.length).toBeGreaterThan(4);
    expect(idsOf(await listed('?limit=2'))).toEqual(ids.slice(0, 2));
    expect(idsOf(await listed(`?limit=2&before=${ids[1]}`))).toEqual(ids.slice(2, 4));
    expect(idsOf(await listed('?after=0&limit=3'))).toEqual(ids.toReversed().slice(0, 3));
    expect(idsOf(await listed(`?after=${ids[2]}`))).toEqual([ids[1], ids[0]]);
    expect(idsOf(await listed(`?after=${ids[3]}&before=${ids[0]}`))).toEqual([ids[2], ids[1]]);
  });

  test('is 400 with the path of each fault, and 403 without ViewAuditLog', async () => {
    const faulty = ['limit=0', 'limit=101', 'limit=x', 'before=x', 'after=-1', 'user_id=x', 'action_type=x'];
    for (const query of faulty) {
      const [name = ''] = query.split('=');
      const answer = await scene.bot.get(path(`?${query}`));
      expect(answer).toMatchObject({ status: 400, body: { code: 50035, errors: { [name]: expect.anything() } } });
    }
    await scene.permit(Permission.ManageGuild);
    expect(await scene.bot.get(path())).toMatchObject({ status: 403, body: { code: 50013 } });
    expect(await scene.bot.get(path('?action_type=9999'))).toMatchObject({ status: 403 });
    expect(await scene.stranger.get(path())).toMatchObject({ status: 403, body: { code: 50001 } });
  });

  test.each([
    ['by nothing', '', 'guildId_action_id'],
    ['by what', '?action_type=1', 'guildId_action_id'],
    ['by whom', '?user_id=1', 'guildId_actorId_action_id'],
    ['by both', '?user_id=1&action_type=1', 'guildId_actorId_action_id'],
  ])('a filter %s reads no more entries than it returns', async (_by, query, index) => {
    const asked = await statementsOf(() => scene.bot.get(path(query)));
    const pages = asked.filter((sql) => /SELECT "id" FROM "AuditEntry"/.test(sql));
    expect(pages).toHaveLength(1);
    const plan = await planOf(server, pages[0] ?? '');
    expect(plan).toContain(`AuditEntry_${index}_idx`);
    expect(plan).not.toMatch(/SCAN AuditEntry|Seq Scan|AuditEntry_guildId_id_idx/);
  });
});
