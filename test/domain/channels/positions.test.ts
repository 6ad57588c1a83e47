import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import type { CallContext } from '../../../src/domain/call.js';
import { createChannel, setChannelPositions } from '../../../src/domain/channels/index.js';
import { sendMessage } from '../../../src/domain/messages/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import { hearGuild } from '../../harness/bus.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createChannels } from '../../harness/rows.js';
import { statementsOf } from '../../harness/statements.js';
import { callOf, createGuild, type TestGuild, toSend } from '../../harness/world.js';

let app: AppContext;
let guild: TestGuild;
let owner: CallContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  guild = await createGuild(app);
  owner = callOf(app, guild.owner);
});

const make = async (name: string, type = 0) => (await createChannel(owner, guild.id, { name, type })).id;

async function order(): Promise<[string, number][]> {
  const where = { guildId: guild.id };
  const rows = await app.db.reader.channel.findMany({ where, orderBy: [{ position: 'asc' }, { id: 'asc' }] });
  return rows.map(({ name, position }) => [name, position]);
}

test('channels get the given positions, even equal ones, and the others stay', async () => {
  const [a, b] = [await make('a'), await make('b')];
  expect(await order()).toEqual([
    ['general', 0],
    ['General', 1],
    ['a', 2],
    ['b', 3],
  ]);
  await setChannelPositions(owner, guild.id, [
    { channelId: b, position: 0 },
    { channelId: a, position: 7 },
    { channelId: guild.channel.id, position: null },
  ]);
  expect(await order()).toEqual([
    ['general', 0],
    ['b', 0],
    ['General', 1],
    ['a', 7],
  ]);
});

test('each moved channel is published with its newest message, and no other', async () => {
  const [a, b] = [await make('a'), await make('b')];
  const { id } = await sendMessage(owner, { channelId: a, body: toSend({ content: 'x' }) });
  const { events } = hearGuild({ app }, guild.id);
  const positions = [
    { channelId: a, position: 5 },
    { channelId: b, position: 3 },
  ];
  await setChannelPositions(owner, guild.id, positions);
  await setChannelPositions(owner, guild.id, positions);
  await setChannelPositions(owner, guild.id, []);
  const told = events.map(({ type, data }) => ({ event: type, ...JSON.parse(data) }));
  expect(told).toMatchObject([{ event: 'CHANNEL_UPDATE', id: String(a), position: 5, last_message_id: String(id) }]);
  const where = { guildId: guild.id, action: 'CHANNEL_POSITIONS_UPDATE' };
  expect((await app.db.reader.auditEntry.findMany({ where })).map(({ changes }) => changes)).toEqual([
    { channels: [{ id: String(a), name: 'a', position: { old: 2, new: 5 }, parentId: { old: null, new: null } }] },
  ]);
});

test('sorting 500 channels takes fewer than 20 statements', async () => {
  await createChannels(app, guild.id, 498);
  const rows = await app.db.reader.channel.findMany({ where: { guildId: guild.id } });
  const positions = rows.map(({ id }, index) => ({ channelId: id, position: 2_000 - index }));
  const { events } = hearGuild({ app }, guild.id);
  const statements = await statementsOf(() => setChannelPositions(owner, guild.id, positions));
  expect(statements.length).toBeLessThan(20);
  expect(events).toHaveLength(500);
  expect((await order()).map(([, position]) => position)).toEqual(rows.map((_, index) => 1_501 + index));
});

describe('a channel that is moved to a category', () => {
  test('keeps its overwrites, or gets those of the category on request', async () => {
    const said = { targetId: guild.id, targetType: 0 as const, allow: 0n, deny: Permission.SendMessages };
    const input = { name: 'category', type: 4 as const, overwrites: [said] };
    const { id: parentId } = await createChannel(owner, guild.id, input);
    const [kept, synced] = [await make('kept'), await make('synced')];
    await setChannelPositions(owner, guild.id, [{ channelId: kept, parentId }]);
    await setChannelPositions(owner, guild.id, [{ channelId: synced, parentId, lockPermissions: true }]);
    const found = await app.db.reader.channel.findMany({ where: { parentId }, include: { overwrites: true } });
    expect(found.map(({ name, overwrites }) => [name, overwrites.length]).toSorted()).toEqual([
      ['kept', 0],
      ['synced', 1],
    ]);
    const where = { guildId: guild.id, action: 'CHANNEL_UPDATE' };
    const logged = async () =>
      (await app.db.reader.auditEntry.findMany({ where, orderBy: { id: 'asc' } })).map(({ targetId, changes }) => [
        targetId,
        changes,
      ]);
    const entered = { parentId: { old: null, new: String(parentId) } };
    const first = [
      [kept, entered],
      [synced, { ...entered, overwrites: { old: [], new: [expect.objectContaining({ id: String(guild.id) })] } }],
    ];
    expect(await logged()).toEqual(first);
    // The channel is in the category already, so there is nothing to move.
    await setChannelPositions(owner, guild.id, [{ channelId: kept, parentId, lockPermissions: true }]);
    expect(await app.db.reader.channelOverwrite.count({ where: { channelId: kept } })).toBe(0);
    expect(await logged()).toEqual(first);
    await setChannelPositions(owner, guild.id, [{ channelId: kept, parentId: null, position: 1 }]);
    expect((await app.db.reader.channel.findUnique({ where: { id: kept } }))?.parentId).toBeNull();
    const left = { parentId: { old: String(parentId), new: null } };
    expect(await logged()).toEqual([...first, [kept, left]]);
    await setChannelPositions(owner, guild.id, [{ channelId: kept, position: 2 }]);
    expect(await logged()).toHaveLength(3);
  });

  test('must be the only one in the request, and the category must belong to the guild', async () => {
    const [a, b, category] = [await make('a'), await make('b'), await make('category', 4)];
    const move = (...positions: Parameters<typeof setChannelPositions>[2]) =>
      setChannelPositions(owner, guild.id, positions);
    expect(await outcome(move({ channelId: a, parentId: category }, { channelId: b, parentId: category }))).toBe(
      'SEVERAL_PARENTS',
    );
    const refused = async (channelId: bigint, parentId: bigint) =>
      expect(
        await move({ channelId: b, position: 0 }, { channelId, parentId }).catch(({ fields }) => fields),
      ).toMatchObject([{ path: '1.parentId' }]);
    await refused(a, b);
    await refused(a, 1n);
    await refused(category, await make('another', 4));
    expect((await order()).map(([name]) => name)).toEqual(['general', 'General', 'a', 'b', 'category', 'another']);
  });
});

test('channels outside the guild are not found', async () => {
  const other = await createGuild(app);
  for (const channelId of [other.channel.id, 1n, 0n]) {
    expect(await outcome(setChannelPositions(owner, guild.id, [{ channelId, position: 1 }]))).toBe('UNKNOWN_CHANNEL');
  }
});
