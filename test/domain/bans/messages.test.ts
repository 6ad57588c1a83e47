import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { banMember } from '../../../src/domain/bans/index.js';
import { removeMessagesOfBanned } from '../../../src/domain/bans/messages.js';
import type { User } from '../../../src/infra/database/index.js';
import { MAX_ID, snowflakeAt } from '../../../src/infra/ids/ids.js';
import { hearGuild } from '../../harness/bus.js';
import { eventually } from '../../harness/jobs.js';
import { createPerson } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { addMember, callOf, createChannel, createGuild, say, type TestGuild } from '../../harness/world.js';

let server: TestServer;
let guild: TestGuild;
let ada: User;
beforeAll(async () => {
  server = await startServer({ jobs: true });
});
afterAll(() => server.stop());

async function prepare(): Promise<void> {
  guild = await createGuild(server.app);
  ada = await createPerson(server.app);
  await addMember(server.app, guild.id, ada);
}

async function putMessages(
  author: User,
  count: number,
  ageMs: number,
  channelId = guild.channel.id,
): Promise<bigint[]> {
  const first = snowflakeAt(server.app.clock.now() - ageMs);
  const ids = Array.from({ length: count }, (_, n) => first + BigInt(n) + (author.id % 1_000n) * 1_000n);
  const message = { channelId, authorId: author.id, content: 'x', embeds: [], components: [] };
  const mentions = { mentionUserIds: [], mentionRoleIds: [] };
  await server.app.db.writer.message.createMany({ data: ids.map((id) => ({ id, ...message, ...mentions })) });
  return ids;
}

const left = async () => {
  const messages = await server.app.db.reader.message.findMany({
    where: { channel: { guildId: guild.id } },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  return messages.map(({ id }) => id);
};

const jobs = () => server.app.db.reader.job.count({ where: { kind: 'messages-of-banned' } });

const HOUR_MS = 3_600_000;

describe('the messages of a banned user', () => {
  test("are deleted as far back as requested, in this guild only, and other users' messages stay", async () => {
    await prepare();
    const [old] = await putMessages(ada, 1, 3 * HOUR_MS);
    const bobs = await say(server.app, guild, guild.owner, 'stays');
    const elsewhere = await createGuild(server.app);
    await addMember(server.app, elsewhere.id, ada);
    const other = await say(server.app, elsewhere, ada, 'stays');
    await say(server.app, guild, ada, 'goes');
    const input = { guildId: guild.id, userId: ada.id, deleteMessageSeconds: 3_600 };
    await banMember(callOf(server.app, guild.owner), input);
    await eventually(async () => expect(await left()).toEqual([old, bobs.id]));
    const where = { id: other.id };
    expect(await server.app.db.reader.message.findUnique({ where })).not.toBeNull();
    await eventually(async () => expect(await jobs()).toBe(0));
  });

  test('stay if no deletion is requested', async () => {
    await prepare();
    const { id } = await say(server.app, guild, ada, 'stays');
    await banMember(callOf(server.app, guild.owner), { guildId: guild.id, userId: ada.id, deleteMessageSeconds: 0 });
    expect(await left()).toEqual([id]);
    expect(await jobs()).toBe(0);
  });

  test('are deleted in batches with one event per channel, and a second run deletes nothing', async () => {
    await prepare();
    const second = await createChannel(server.app, guild.id, 'second');
    const first = await putMessages(ada, 150, 2 * HOUR_MS);
    const more = await putMessages(ada, 20, HOUR_MS, second.id);
    const { events } = hearGuild(server, guild.id);
    const call = server.app.callOfNobody();
    const range = { guildId: guild.id, authorId: ada.id, after: 0n, last: MAX_ID };
    await removeMessagesOfBanned(call, range, new AbortController().signal);
    expect(await left()).toEqual([]);
    const told = events.map(({ type, data, channelId }) => ({ type, channelId, ids: JSON.parse(data).ids }));
    expect(told.map(({ type, channelId, ids }) => [type, channelId, ids.length])).toEqual([
      ['MESSAGE_DELETE_BULK', String(guild.channel.id), 100],
      ['MESSAGE_DELETE_BULK', String(guild.channel.id), 50],
      ['MESSAGE_DELETE_BULK', String(second.id), 20],
    ]);
    expect(told.flatMap(({ ids }) => ids)).toEqual([...first, ...more].map(String));
    await removeMessagesOfBanned(call, range, new AbortController().signal);
    expect(events).toHaveLength(3);
  });

  test('are no longer deleted after the process stops', async () => {
    await prepare();
    const ids = await putMessages(ada, 1, HOUR_MS);
    const range = { guildId: guild.id, authorId: ada.id, after: 0n, last: MAX_ID };
    const stopped = AbortSignal.abort(new Error('stop'));
    await expect(removeMessagesOfBanned(server.app.callOfNobody(), range, stopped)).rejects.toThrow('stop');
    expect(await left()).toEqual(ids);
  });
});
