import { expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { createRole } from '../../../src/domain/roles/index.js';
import { hearGuild } from '../../harness/bus.js';
import { test } from '../../harness/fixtures.js';
import { callOf, createGuild } from '../../harness/world.js';

let app: AppContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
});

test('a new role is published with each role that it moved, and audited', async () => {
  const [guild, other] = [await createGuild(app), await createGuild(app)];
  const owner = callOf(app, guild.owner);
  await createRole(callOf(app, other.owner), other.id, { name: 'elsewhere' });
  await createRole(owner, guild.id, { name: 'first' });
  await createRole(owner, guild.id, { name: 'second' });
  const { events } = hearGuild({ app }, guild.id);
  const role = await createRole(owner, guild.id, { name: 'third', permissions: 8n });
  const told = events.map(({ type, data }) => [type, JSON.parse(data).role?.name, JSON.parse(data).role?.position]);
  expect(told[0]).toEqual(['GUILD_ROLE_CREATE', 'third', 1]);
  expect(told.slice(1)).toHaveLength(3);
  expect(told).toContainEqual(['GUILD_ROLE_UPDATE', 'first', 3]);
  expect(told).toContainEqual(['GUILD_ROLE_UPDATE', 'second', 2]);
  expect(told[3]?.[0]).toBe('GUILD_AUDIT_LOG_ENTRY_CREATE');
  const where = { guildId: guild.id, targetId: role.id };
  expect(await app.db.reader.auditEntry.findMany({ where })).toMatchObject([
    { action: 'ROLE_CREATE', actorId: guild.owner.id, changes: { name: 'third', permissions: '8' } },
  ]);
  const stands = { where: { guildId: other.id, name: 'elsewhere' } };
  expect((await app.db.reader.role.findFirst(stands))?.position).toBe(1);
});

test('a guild has at most 250 roles including `@everyone`, even if two take the last place at once', async () => {
  const guild = await createGuild(app);
  const data = Array.from({ length: 248 }, (_, n) => ({ id: app.nextId(), guildId: guild.id, name: `${n}` }));
  await app.db.writer.role.createMany({ data });
  const make = () => createRole(callOf(app, guild.owner), guild.id, { name: 'last' });
  const [made, refused] = (await Promise.allSettled([make(), make()])).sort(byStatus);
  expect(made).toMatchObject({ value: { name: 'last', position: 1 } });
  expect(refused).toMatchObject({
    reason: { code: 'LIMIT_EXCEEDED', message: 'Maximum number of server roles reached (250)' },
  });
  expect(await app.db.reader.role.count({ where: { guildId: guild.id } })).toBe(250);
});

const byStatus = (a: { status: string }, b: { status: string }) => a.status.localeCompare(b.status);
