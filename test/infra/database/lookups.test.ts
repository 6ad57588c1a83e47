import { expect } from 'vitest';
import { it } from '../../harness/fixtures.js';
import { createPerson } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { statementsOf } from '../../harness/statements.js';
import { createGuild } from '../../harness/world.js';

const MANY = 1_200;

let server: TestServer;
it.beforeAll(({ server: shared }) => {
  server = shared;
});

it('as many lookups at once as there are callers are sent in batches that the database accepts', async () => {
  const { reader } = server.app.db;
  const { id: guildId, owner } = await createGuild(server.app);
  const person = await createPerson(server.app);
  const ids = Array.from({ length: MANY }, (_, n) => (n % 2 === 0 ? owner.id : person.id));
  const statements = await statementsOf(async () => {
    const [members, users, applications] = await Promise.all([
      Promise.all(ids.map((userId) => reader.member.findUnique({ where: { guildId_userId: { guildId, userId } } }))),
      Promise.all(ids.map((id) => reader.user.findUniqueOrThrow({ where: { id } }))),
      Promise.all(ids.map((id) => reader.application.findUnique({ where: { id, deletedAt: null } }))),
    ]);
    expect(members.map((member) => member?.userId)).toEqual(ids.map((id) => (id === owner.id ? id : undefined)));
    expect(users.map(({ id }) => id)).toEqual(ids);
    expect(new Set(applications)).toEqual(new Set([null]));
  });
  const lookups = statements.filter((sql) => /^SELECT \S+[`".](Member|User|Application)[`"]\./.test(sql));
  expect(lookups.length).toBeGreaterThan(0);
  expect(lookups.length).toBeLessThanOrEqual(3 * 4);
});

it('a lookup that finds nothing fails alone', async () => {
  const { reader } = server.app.db;
  const { id } = await createPerson(server.app);
  const ids = Array.from({ length: MANY }, (_, n) => (n === MANY / 2 ? 1n : id));
  const found = await Promise.allSettled(ids.map((userId) => reader.user.findUniqueOrThrow({ where: { id: userId } })));
  expect(found.filter(({ status }) => status === 'rejected')).toHaveLength(1);
});
