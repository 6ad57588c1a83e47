import { expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { createChannel, NewChannel } from '../../../src/domain/channels/index.js';
import { parseInput } from '../../../src/domain/parse-input.js';
import { hearGuild } from '../../harness/bus.js';
import { faultsIn } from '../../harness/faults-in.js';
import { test } from '../../harness/fixtures.js';
import { createPerson } from '../../harness/rows.js';
import { addMember, callOf, createGuild, type TestGuild } from '../../harness/world.js';

let app: AppContext;
let guild: TestGuild;
test.beforeAll(async ({ server }) => {
  ({ app } = server);
  guild = await createGuild(app);
});

const make = (input: { name: string; type?: number }, of = guild) =>
  createChannel(callOf(app, of.owner), of.id, parseInput(NewChannel, input));

test('a new channel is published, visible at once, and audited', async () => {
  const { events } = hearGuild({ app }, guild.id);
  expect((await app.guilds.view(guild.id))?.channels.size).toBe(2);
  const { id, ...channel } = await make({ name: ' talk ', type: 2 });
  expect(channel).toMatchObject({ guildId: guild.id, name: 'talk', type: 2, position: 2, overwrites: [] });
  expect(events.map(({ type }) => type)).toEqual(['GUILD_AUDIT_LOG_ENTRY_CREATE', 'CHANNEL_CREATE']);
  expect(JSON.parse(events[1]?.data ?? '')).toMatchObject({ id: String(id), name: 'talk', type: 2, position: 2 });
  expect((await app.guilds.view(guild.id))?.channels.get(id)).toMatchObject({ type: 2, overwrites: [] });
  const where = { guildId: guild.id, targetId: id };
  expect(await app.db.reader.auditEntry.findMany({ where })).toMatchObject([
    { action: 'CHANNEL_CREATE', actorId: guild.owner.id, changes: { name: 'talk', type: 2 } },
  ]);
});

test.each([undefined, 0, 2, 4, 5])('a channel can have the type %s', async (type) => {
  const channel = await make(type === undefined ? { name: 'x' } : { name: 'x', type });
  expect(channel.type).toBe(type ?? 0);
});

test.each([
  ['type', { name: 'x', type: 1 }],
  ['type', { name: 'x', type: 13 }],
  ['type', { name: 'x', type: 15 }],
  ['name', { name: ' ' }],
  ['name', { name: 'x'.repeat(101) }],
])('an invalid %s is refused', (path, input) => {
  expect(faultsIn(NewChannel, input)).toMatchObject([{ path }]);
});

test('a new channel is placed last, regardless of existing positions and other new channels', async () => {
  const own = await createGuild(app);
  await app.db.writer.channel.update({ where: { id: own.channel.id }, data: { position: 7 } });
  expect((await make({ name: 'x'.repeat(100) }, own)).position).toBe(8);
  const made = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => make({ name }, own)));
  expect(made.map(({ position }) => position).sort()).toEqual([10, 11, 12, 13, 9]);
  await app.db.writer.channel.deleteMany({ where: { guildId: own.id } });
  expect((await make({ name: 'first' }, own)).position).toBe(0);
});

test('a guild has at most 500 channels, even if two take the last place at once', async () => {
  const full = await createGuild(app);
  const data = Array.from({ length: 497 }, (_, n) => ({ id: app.nextId(), guildId: full.id, name: `${n}` }));
  await app.db.writer.channel.createMany({ data });
  const ended = await Promise.allSettled([make({ name: 'last' }, full), make({ name: 'last' }, full)]);
  const refused = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  const message = 'Maximum number of server channels reached (500)';
  expect(refused).toEqual([expect.objectContaining({ code: 'TOO_MANY_CHANNELS', message })]);
});

test('creating a channel needs ManageChannels', async () => {
  const ada = await createPerson(app);
  const call = callOf(app, ada);
  await expect(createChannel(call, guild.id, { name: 'mine' })).rejects.toMatchObject({ code: 'UNKNOWN_GUILD' });
  await addMember(app, guild.id, ada);
  await expect(createChannel(call, guild.id, { name: 'mine' })).rejects.toMatchObject({ code: 'MISSING_PERMISSIONS' });
});
