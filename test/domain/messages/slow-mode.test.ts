import { beforeEach, expect } from 'vitest';
import type { CallContext } from '../../../src/domain/call.js';
import { removeExpiredRows } from '../../../src/domain/expired-rows.js';
import { sendMessage } from '../../../src/domain/messages/index.js';
import { takeTurn } from '../../../src/domain/messages/slow-mode.js';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { putSlowMode } from '../../harness/rows.js';
import type { TestServer } from '../../harness/server.js';
import { type SentBody, toSend } from '../../harness/world.js';
import { openRoom, type Room } from './scene.js';

let server: TestServer;
let room: Room;

test.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  room = await openRoom(server);
  await room.permit(ALL_PERMISSIONS & ~Permission.Administrator & ~Permission.BypassSlowmode);
  await putSlowMode(server.app, room.channelId, 30);
});

const send = (call: CallContext, body: SentBody = { content: 'hello' }) =>
  sendMessage(call, { channelId: room.channelId, body: toSend(body) });

function later(call: CallContext, ms: number): CallContext {
  const now = call.clock.now() + ms;
  return { ...call, clock: { ...call.clock, now: () => now } };
}

test('a member waits for the delay of the channel, and the error has the remaining time', async () => {
  const now = later(room.ada, 0);
  await send(now);
  await expect(send(later(room.ada, 10_000))).rejects.toMatchObject({ code: 'SLOW_MODE' });
  const refusal = await send({ ...now, clock: now.clock }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'SLOW_MODE', retryAfterMs: 30_000 });
  expect(await outcome(send(room.bob))).toBe('ok');
  expect(await outcome(send(later(room.ada, 30_001)))).toBe('ok');
});

test('bots, and members who can bypass slow mode, do not wait', async () => {
  for (const call of [room.bot, room.owner])
    expect([await outcome(send(call)), await outcome(send(call))]).toEqual(['ok', 'ok']);
  expect(await server.app.db.reader.slowMode.count({ where: { channelId: room.channelId } })).toBe(0);
});

test('one of several sends at once is posted, also after the last delay', async () => {
  for (const wait of [0, 60_000]) {
    const call = later(room.ada, wait);
    const results = await Promise.all([outcome(send(call)), outcome(send(call)), outcome(send(call))]);
    expect(results.toSorted()).toEqual(['SLOW_MODE', 'SLOW_MODE', 'ok']);
  }
  expect(await server.app.db.reader.message.count({ where: { channelId: room.channelId } })).toBe(2);
});

test('a message with a repeated enforced nonce returns the earlier one, without waiting', async () => {
  const body = { content: 'x', nonce: 'n', enforce_nonce: true };
  const first = await send(room.ada, body);
  expect((await send(room.ada, body)).id).toBe(first.id);
});

test('a delay is not stored for a channel that is deleted in the meantime', async () => {
  const gone = { channelId: 1n, userId: room.users.ada.id };
  const taking = room.ada.write(({ db }) => takeTurn(room.ada, db, gone, 30));
  expect(await outcome(taking)).toBe('UNKNOWN_CHANNEL');
});

test('delays that ended long ago are removed', async () => {
  await send(room.ada);
  const { db, clock } = server.app;
  const inTwoDays = { ...clock, now: () => clock.now() + 2 * 86_400_000 };
  await removeExpiredRows(db, clock, new AbortController().signal);
  expect(await db.reader.slowMode.count({ where: { channelId: room.channelId } })).toBe(1);
  await removeExpiredRows(db, inTwoDays, new AbortController().signal);
  expect(await db.reader.slowMode.count({ where: { channelId: room.channelId } })).toBe(0);
});
