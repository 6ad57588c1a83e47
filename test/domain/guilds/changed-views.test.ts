import { beforeEach, describe, expect } from 'vitest';
import type { CallContext } from '../../../src/domain/call.js';
import {
  createChannel,
  deleteChannel,
  deleteChannelOverwrite,
  OverwriteTarget,
  setChannelOverwrite,
  setChannelPositions,
  updateChannel,
} from '../../../src/domain/channels/index.js';
import { DatabaseGuildStore, permissionsInChannel, updateGuild } from '../../../src/domain/guilds/index.js';
import { addMemberRole, removeMemberRole } from '../../../src/domain/members/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { createRole, deleteRole, setRolePositions, updateRole } from '../../../src/domain/roles/index.js';
import type { User } from '../../../src/infra/database/index.js';
import { test } from '../../harness/fixtures.js';
import { createPerson } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { statementsOf } from '../../harness/statements.js';
import { roundsDuring } from '../../harness/turns.js';
import { addMember, callOf, createGuild, type TestGuild } from '../../harness/world.js';

let server: TestServer;
let guild: TestGuild;
let owner: CallContext;
let member: User;
test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  const { app } = server;
  guild = await createGuild(app);
  owner = callOf(app, guild.owner);
  member = await createPerson(app);
  await addMember(app, guild.id, member);
});

const freshStore = () => new DatabaseGuildStore(server.app.db.reader, server.app.bus, server.app.clock);

describe('a cached view', () => {
  test('is not read again after changes that decide no access, and the channel is', async () => {
    const { guilds } = server.app;
    const { id: roleId } = await createRole(owner, guild.id, {});
    const { id: channelId } = guild.channel;
    const readAll = () => Promise.all([guilds.view(guild.id), guilds.member(guild.id, member.id)]);
    await guilds.channel(guild.id, channelId);
    const changes = [
      () => updateRole(owner, { guildId: guild.id, roleId, color: 7, name: 'red', hoist: true }),
      () => setRolePositions(owner, guild.id, [{ roleId, position: 1 }]),
      () => updateChannel(owner, channelId, { topic: 'tea', name: 'tea', position: 4 }),
      () => setChannelPositions(owner, guild.id, [{ channelId, position: 9 }]),
      () => updateGuild(owner, { guildId: guild.id, name: 'renamed' }),
    ];
    const before = await readAll();
    for (const change of changes) {
      await change();
      expect(await statementsOf(readAll)).toEqual([]);
    }
    expect(await readAll()).toEqual(before);
    expect(await guilds.channel(guild.id, channelId)).toMatchObject({ topic: 'tea', name: 'tea', position: 9 });
  });

  test('reads only its roles again after a change of a role, or its deletion', async () => {
    const { guilds } = server.app;
    const { id: roleId } = await createRole(owner, guild.id, {});
    await guilds.view(guild.id);
    const read = () => statementsOf(() => guilds.view(guild.id));
    await updateRole(owner, { guildId: guild.id, roleId, permissions: 8n });
    expect((await read()).join()).not.toContain('ChannelOverwrite');
    await deleteRole(owner, { guildId: guild.id, roleId });
    expect((await read()).join()).not.toContain('ChannelOverwrite');
    expect((await guilds.view(guild.id))?.rolePermissions.has(roleId)).toBe(false);
  });

  test('of a guild with many overwrites is read in pages between which others have their turn', async () => {
    const { app } = server;
    const rows = [];
    for (let count = 0; count < 12; count += 1) {
      const { id: channelId } = await createChannel(owner, guild.id, { name: `full-${count}` });
      for (let target = 1n; target <= 333n; target += 1n)
        rows.push({ channelId, targetId: target, targetType: 0, allow: target, deny: 0n });
    }
    await app.db.writer.channelOverwrite.createMany({ data: rows });
    let view: Awaited<ReturnType<typeof app.guilds.view>> = null;
    const rounds = await roundsDuring(async () => {
      view = await freshStore().view(guild.id);
    });
    expect(rounds).toBeGreaterThanOrEqual(3);
    const read = [...view!.channels.values()].flatMap(({ id, overwrites }) =>
      overwrites.map((overwrite) => ({ channelId: id, targetType: 0, ...overwrite })),
    );
    expect(read).toHaveLength(rows.length);
    expect(new Set(read.map(({ channelId, targetId }) => `${channelId} ${targetId}`)).size).toBe(rows.length);
  });
});

/** A linear congruential generator with a fixed seed. */
function pickFrom(seed: number): <Item>(items: readonly Item[]) => Item {
  let state = seed;
  return (items) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return items[Math.floor((state / 2 ** 32) * items.length)]!;
  };
}

const BITS = [0n, Permission.ViewChannel, Permission.SendMessages, Permission.ViewChannel | Permission.Connect];

test('permissions by the cached view are those of the database after any changes', async () => {
  const { app } = server;
  const { guilds } = app;
  const pick = pickFrom(20_261_129);
  const roles = [(await createRole(owner, guild.id, {})).id, (await createRole(owner, guild.id, {})).id];
  const category = (await createChannel(owner, guild.id, { name: 'category', type: 4 })).id;
  const channels = [guild.channel.id, category, (await createChannel(owner, guild.id, { name: 'other' })).id];
  const guildId = guild.id;
  const roleOf = () => ({ guildId, roleId: pick(roles) });
  const overwrite = () => ({
    targetId: pick([guildId, ...roles]),
    targetType: OverwriteTarget.Role,
    allow: pick(BITS),
    deny: pick(BITS),
  });
  const changes: (() => Promise<unknown>)[] = [
    async () => roles.push((await createRole(owner, guildId, { permissions: pick(BITS) })).id),
    async () => roles.length > 1 && deleteRole(owner, { guildId, roleId: roles.splice(0, 1)[0]! }),
    () => updateRole(owner, { ...roleOf(), permissions: pick(BITS) }),
    () => updateRole(owner, { guildId, roleId: guildId, permissions: pick(BITS) }),
    () => updateRole(owner, { ...roleOf(), color: pick([1, 2, 3]) }),
    () => setRolePositions(owner, guildId, [{ roleId: pick(roles), position: pick([1, 2]) }]),
    () => addMemberRole(owner, { ...roleOf(), userId: member.id }),
    () => removeMemberRole(owner, { ...roleOf(), userId: member.id }),
    async () => channels.push((await createChannel(owner, guildId, { name: 'new', overwrites: [overwrite()] })).id),
    async () => channels.length > 3 && deleteChannel(owner, channels.splice(2, 1)[0]!),
    () => setChannelOverwrite(owner, pick(channels), overwrite()),
    () =>
      setChannelOverwrite(owner, pick(channels), {
        ...overwrite(),
        targetId: member.id,
        targetType: OverwriteTarget.Member,
      }),
    () => deleteChannelOverwrite(owner, pick(channels), pick([guildId, member.id, ...roles])).catch(() => {}),
    () => updateChannel(owner, pick(channels), { overwrites: [overwrite()], topic: pick(['a', 'b']) }),
    () => updateChannel(owner, guild.channel.id, { nsfw: pick([true, false]), rateLimitPerUser: pick([0, 5]) }),
    () => updateChannel(owner, channels[0]!, { topic: pick(['a', 'b', 'c']) }),
    () => setChannelPositions(owner, guildId, [{ channelId: channels[0]!, position: pick([1, 2, 3]) }]),
    async () => {
      const channelId = channels[2]!;
      await setChannelPositions(owner, guildId, [{ channelId, parentId: null }]);
      await setChannelPositions(owner, guildId, [{ channelId, parentId: category, lockPermissions: true }]);
    },
    () => updateGuild(owner, { guildId, name: pick(['one', 'two', 'three']) }),
  ];
  const before = app.clock.now();
  for (let step = 0; step < 150; step += 1) {
    const change = pick(changes);
    await change();
    const store = freshStore();
    const permissionsBy = (of: typeof guilds) =>
      Promise.all(channels.map((id) => permissionsInChannel(of, guildId, id, member.id, before)));
    expect(await permissionsBy(guilds), `after step ${step}, ${change}`).toEqual(await permissionsBy(store));
    const sorted = async (of: typeof guilds) => {
      const view = await of.view(guildId);
      return { ...view, channels: new Map([...view!.channels].sort(([a], [b]) => (a < b ? -1 : 1))) };
    };
    expect(await sorted(guilds), `after step ${step}, ${change}`).toEqual(await sorted(store));
  }
});
