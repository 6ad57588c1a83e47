import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { getMessage, listMessages } from '../../../src/domain/messages/index.js';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import type { TestServer } from '../../harness/server.js';
import { createChannel } from '../../harness/world.js';
import { openRoom, type Room } from './scene.js';

let server: TestServer;
let room: Room;
const ids: bigint[] = [];

test.beforeAll(async ({ server: shared }) => {
  server = shared;
  room = await openRoom(server);
  await room.permit(ALL_PERMISSIONS);
  for (let count = 0; count < 12; count += 1) ids.unshift(await room.say(String(count)));
});

type Page = Omit<Parameters<typeof listMessages>[1], 'channelId'>;

const list = async (input: Page, channelId = room.channelId) =>
  (await listMessages(room.bob, { channelId, ...input })).map(({ id }) => id);

/** A page as the documentation of GET /channels/{id}/messages defines it, newest first. */
function documented({ before, after, around, limit }: Page): bigint[] {
  if (around !== undefined) {
    const older = ids.filter((id) => id <= around);
    const newer = ids.filter((id) => id > around);
    // Half of the page is newer. With a limit of one, the message itself or an older one comes before a newer one.
    if (limit === 1) return older.length > 0 ? older.slice(0, 1) : newer.slice(-1);
    const half = Math.floor(limit / 2);
    return [...newer.slice(-half), ...older.slice(0, limit - half)];
  }
  if (before !== undefined) return ids.filter((id) => id < before).slice(0, limit);
  return after === undefined ? ids.slice(0, limit) : ids.filter((id) => id > after).slice(-limit);
}

describe('a page of messages', () => {
  test('is as documented for any input', async () => {
    const limit = fc.integer({ min: 1, max: 14 });
    // Ids of messages, and ids between, before and after them.
    const pivot = fc.tuple(fc.nat(11), fc.constantFrom(-1n, 0n, 1n)).map(
      ([index, step]) =>
        (at: bigint[]) =>
          (at[index] ?? 0n) + step,
    );
    const way = fc.constantFrom('before', 'after', 'around', 'newest');
    await fc.assert(
      fc.asyncProperty(limit, pivot, way, async (limit, pivot, way) => {
        const input = { limit, ...(way === 'newest' ? {} : { [way]: pivot(ids) }) };
        expect(await list(input)).toEqual(documented(input));
      }),
      { numRuns: 150 },
    );
  });

  test('has messages of its channel only, and `before` overrides `after`', async () => {
    const { id } = await createChannel(server.app, room.guild.id, 'empty');
    await room.permit(ALL_PERMISSIONS);
    for (const input of [{}, { before: ids[0] }, { after: 0n }, { around: ids[5] }]) {
      expect(await list({ limit: 5, ...input }, id)).toEqual([]);
    }
    expect(await list({ limit: 2, before: ids[5], after: 0n })).toEqual(ids.slice(6, 8));
  });

  test('is empty without the permission to read the history, and a single message is refused', async () => {
    const [messageId = 0n] = ids;
    await room.permit(Permission.ViewChannel);
    expect(await list({ limit: 5 })).toEqual([]);
    expect(await outcome(getMessage(room.bob, { channelId: room.channelId, messageId }))).toBe('MISSING_PERMISSIONS');
    await room.permit(Permission.ReadMessageHistory);
    expect(await outcome(list({ limit: 5 }))).toBe('UNKNOWN_CHANNEL');
    await room.permit(ALL_PERMISSIONS);
    expect(await getMessage(room.bob, { channelId: room.channelId, messageId })).toMatchObject({ id: messageId });
  });
});
