import { expect } from 'vitest';
import { countGuilds, type GuildStore, recommendShards } from '../../../src/domain/guilds/index.js';
import { test } from '../../harness/fixtures.js';
import { createPerson, putInGuilds } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { createBot } from '../../harness/world.js';

let server: TestServer;
test.beforeAll(({ server: shared }) => {
  server = shared;
});

test('a bot gets a recommendation of one shard per thousand guilds, and at least one', async () => {
  const { app } = server;
  const { user } = await createBot(app);
  const owner = await createPerson(app);
  const recommended = async () => recommendShards(await countGuilds(app.guilds, user.id));
  const join = async (count: number) => {
    const ids = Array.from({ length: count }, () => app.nextId());
    // The owner is in all of them and must not be counted.
    await putInGuilds(app, ids, owner, user, owner);
    return recommended();
  };
  expect(await recommended()).toBe(1);
  expect(await join(1)).toBe(1);
  expect(await join(999)).toBe(1);
  expect(await join(1)).toBe(2);
});

test('guilds in other stores count too', async () => {
  const { app } = server;
  const { user } = await createBot(app);
  const guilds: GuildStore = Object.assign(Object.create(app.guilds), {
    async *pagesOfGuildIds(userId: bigint) {
      if (userId !== user.id) return;
      for (let page = 0n; page < 11n; page += 1n) yield Array.from({ length: 100 }, (_, n) => page * 100n + BigInt(n));
    },
  });
  expect(recommendShards(await countGuilds(guilds, user.id))).toBe(2);
});
