import { afterAll, beforeAll, expect, test } from 'vitest';
import { callContext } from '../../../src/context.js';
import { type GuildHome, recommendShards } from '../../../src/domain/guilds/index.js';
import { createBot, createPerson } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { outcome } from '../messages/scene.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test('a bot is recommended a shard for every thousand guilds it is in, and one at least', async () => {
  const { app } = server;
  const { user, id } = await createBot(app);
  const owner = await createPerson(app);
  const call = callContext(app, { kind: 'bot', user, applicationId: id, messageContentIntent: true });
  const join = async (count: number) => {
    const ids = Array.from({ length: count }, () => app.nextId());
    const joinedAt = new Date();
    await app.db.writer.guild.createMany({ data: ids.map((id) => ({ id, name: 'many', ownerId: owner.id })) });
    // Its owner is in all of them, and counts for nothing.
    const members = ids.flatMap((guildId) => [user.id, owner.id].map((userId) => ({ guildId, userId, joinedAt })));
    await app.db.writer.member.createMany({ data: members });
    return recommendShards(call);
  };
  expect(await recommendShards(call)).toBe(1);
  expect(await join(1)).toBe(1);
  expect(await join(999)).toBe(1);
  expect(await join(1)).toBe(2);
  expect(await outcome(recommendShards(callContext(app, { kind: 'anonymous' })))).toBe('UNAUTHENTICATED');
});

test('guilds that are kept elsewhere count, too', async () => {
  const { app } = server;
  const { user, id } = await createBot(app);
  const guilds: GuildHome = Object.assign(Object.create(app.guilds), {
    async *pagesOfGuildIds(userId: bigint) {
      if (userId !== user.id) return;
      for (let page = 0n; page < 11n; page += 1n) yield Array.from({ length: 100 }, (_, n) => page * 100n + BigInt(n));
    },
  });
  const call = callContext({ ...app, guilds }, { kind: 'bot', user, applicationId: id, messageContentIntent: true });
  expect(await recommendShards(call)).toBe(2);
});
