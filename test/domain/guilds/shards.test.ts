import { expect } from 'vitest';
import { callContext } from '../../../src/context.js';
import { type GuildStore, recommendShards } from '../../../src/domain/guilds/index.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson, putInGuilds } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { createBot } from '../../harness/world.js';

let server: TestServer;
test.beforeAll(({ server: shared }) => {
  server = shared;
});

test('a bot gets a recommendation of one shard per thousand guilds, and at least one', async () => {
  const { app } = server;
  const { user, id } = await createBot(app);
  const owner = await createPerson(app);
  const call = callContext(app, { kind: 'bot', user, applicationId: id, messageContentIntent: true });
  const join = async (count: number) => {
    const ids = Array.from({ length: count }, () => app.nextId());
    // The owner is in all of them and must not be counted.
    await putInGuilds(app, ids, owner, user, owner);
    return recommendShards(call);
  };
  expect(await recommendShards(call)).toBe(1);
  expect(await join(1)).toBe(1);
  expect(await join(999)).toBe(1);
  expect(await join(1)).toBe(2);
  expect(await outcome(recommendShards(callContext(app, { kind: 'anonymous' })))).toBe('UNAUTHENTICATED');
});

test('guilds in other stores count too', async () => {
  const { app } = server;
  const { user, id } = await createBot(app);
  const guilds: GuildStore = Object.assign(Object.create(app.guilds), {
    async *pagesOfGuildIds(userId: bigint) {
      if (userId !== user.id) return;
      for (let page = 0n; page < 11n; page += 1n) yield Array.from({ length: 100 }, (_, n) => page * 100n + BigInt(n));
    },
  });
  const call = callContext({ ...app, guilds }, { kind: 'bot', user, applicationId: id, messageContentIntent: true });
  expect(await recommendShards(call)).toBe(2);
});
