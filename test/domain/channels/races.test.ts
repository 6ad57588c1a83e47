import { beforeEach, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import type { CallContext } from '../../../src/domain/call.js';
import {
  createChannel,
  deleteChannel,
  deleteChannelOverwrite,
  setChannelOverwrite,
  setChannelPositions,
  updateChannel,
} from '../../../src/domain/channels/index.js';
import { createRole } from '../../../src/domain/roles/index.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { callOf, createGuild, type TestGuild } from '../../harness/world.js';

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

const ROUNDS = [1, 2, 3, 4, 5];

const text = async () => (await createChannel(owner, guild.id, { name: 'x' })).id;

const endings = async (...attempts: Promise<unknown>[]) => Promise.all(attempts.map(outcome));

const rowsLeft = async (channelId: bigint) => {
  const { guildId, parentId } = await app.db.reader.channel.findUniqueOrThrow({ where: { id: channelId } });
  return { guildId, parentId, overwrites: await app.db.reader.channelOverwrite.count({ where: { channelId } }) };
};

const NOTHING = { guildId: null, parentId: null, overwrites: 0 };

test('exactly one of ten new channels takes the last place of the guild', async () => {
  const data = Array.from({ length: 497 }, () => ({ id: app.nextId(), guildId: guild.id, name: 'x' }));
  await app.db.writer.channel.createMany({ data });
  const ended = await endings(...Array.from({ length: 10 }, () => createChannel(owner, guild.id, { name: 'last' })));
  expect(ended.toSorted()).toEqual([...Array(9).fill('TOO_MANY_CHANNELS'), 'ok']);
  expect(await app.db.reader.channel.count({ where: { guildId: guild.id } })).toBe(500);
});

test('exactly one of ten channels that enter a category takes its last place', async () => {
  const { id: parentId } = await createChannel(owner, guild.id, { name: 'category', type: 4 });
  const data = Array.from({ length: 49 }, () => ({ id: app.nextId(), guildId: guild.id, name: 'x', parentId }));
  await app.db.writer.channel.createMany({ data });
  const ids = await Promise.all(Array.from({ length: 5 }, text));
  const ended = await endings(
    ...ids.map((id) => updateChannel(owner, id, { parentId })),
    ...ids.map(() => createChannel(owner, guild.id, { name: 'last', parentId })),
  );
  expect(ended.toSorted()).toEqual([...Array(9).fill('INVALID_INPUT'), 'ok']);
  expect(await app.db.reader.channel.count({ where: { parentId } })).toBe(50);
});

test.each(ROUNDS)('exactly one of ten deletions of a channel succeeds (%i)', async () => {
  const id = await text();
  const ended = await endings(...Array.from({ length: 10 }, () => deleteChannel(owner, id)));
  expect(ended.toSorted()).toEqual([...Array(9).fill('UNKNOWN_CHANNEL'), 'ok']);
  const where = { guildId: guild.id, action: 'CHANNEL_DELETE' };
  expect(await app.db.reader.auditEntry.count({ where })).toBe(1);
});

test.each(ROUNDS)('a channel that is deleted during changes is gone (%i)', async () => {
  const id = await text();
  const { id: roleId } = await createRole(owner, guild.id, { name: 'x', permissions: 0n });
  const overwrite = { targetId: roleId, targetType: 0 as const, allow: 2048n, deny: 0n };
  const [deleted, ...others] = await endings(
    deleteChannel(owner, id),
    updateChannel(owner, id, { name: 'y', overwrites: [overwrite] }),
    setChannelOverwrite(owner, id, { ...overwrite, allow: 1024n }),
    setChannelPositions(owner, guild.id, [{ channelId: id, position: 9 }]),
    deleteChannelOverwrite(owner, id, roleId),
  );
  expect(deleted).toBe('ok');
  for (const ended of others) expect(['ok', 'UNKNOWN_CHANNEL', 'UNKNOWN_OVERWRITE']).toContain(ended);
  expect(await rowsLeft(id)).toEqual(NOTHING);
});

test.each(ROUNDS)('a category that is deleted during changes keeps no channels (%i)', async () => {
  const { id: parentId } = await createChannel(owner, guild.id, { name: 'category', type: 4 });
  const [a, b] = [await text(), await text()];
  const [deleted, ...others] = await endings(
    deleteChannel(owner, parentId),
    createChannel(owner, guild.id, { name: 'x', parentId }),
    updateChannel(owner, a, { parentId }),
    setChannelPositions(owner, guild.id, [{ channelId: b, parentId }]),
  );
  expect(deleted).toBe('ok');
  for (const ended of others) expect(['ok', 'INVALID_INPUT']).toContain(ended);
  expect(await app.db.reader.channel.count({ where: { parentId } })).toBe(0);
});

test('ten equal overwrites are stored and audited once', async () => {
  const { id: targetId } = await createRole(owner, guild.id, { name: 'x', permissions: 0n });
  const overwrite = { targetId, targetType: 0 as const, allow: 2048n, deny: 0n };
  const ended = await endings(
    ...Array.from({ length: 10 }, () => setChannelOverwrite(owner, guild.channel.id, overwrite)),
  );
  expect(ended).toEqual(Array(10).fill('ok'));
  const where = { guildId: guild.id, action: { startsWith: 'CHANNEL_OVERWRITE' } };
  expect(await app.db.reader.auditEntry.count({ where })).toBe(1);
});

test('two orders that are set at once leave exactly one of them', async () => {
  const [a, b] = [await text(), await text()];
  const state = (first: number, second: number) =>
    setChannelPositions(owner, guild.id, [
      { channelId: a, position: first },
      { channelId: b, position: second },
    ]);
  expect(await endings(state(10, 11), state(21, 20))).toEqual(['ok', 'ok']);
  const rows = await app.db.reader.channel.findMany({ where: { id: { in: [a, b] } }, orderBy: { id: 'asc' } });
  expect([
    [10, 11],
    [21, 20],
  ]).toContainEqual(rows.map(({ position }) => position));
});
