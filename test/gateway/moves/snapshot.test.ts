import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { GatewayEvent, Piece } from '../../../src/gateway/events.js';
import { type MovedSession, pack, unpack } from '../../../src/gateway/moves/snapshot.js';

const shared = new GatewayEvent('MESSAGE_CREATE', new Piece('{"content":"für alle"}'));

const session = (id: string, events: GatewayEvent[]): MovedSession => ({
  id,
  botId: 2n ** 62n,
  tokenHash: 'hash',
  version: 10,
  intents: 513,
  shard: { id: 1, count: 3 },
  largeThreshold: 50,
  presence: { status: 'idle' },
  progress: { sequence: 7, sent: 5, acknowledged: 4, events, waitsSince: 1_700_000_000_000 },
  shown: [2n ** 61n],
  unshown: [3n],
  unavailable: [4n],
  isOnline: true,
});

const positions = {
  'guild:1': { clock: 12, counts: { process: 3 }, openedAt: 5 },
  'user:2': { clock: null, counts: {}, openedAt: 6 },
};

it('a snapshot returns what was packed, with shared events once', async () => {
  const own = new GatewayEvent('READY', new Piece('{}'));
  const sessions = [session('a', [own, shared]), session('b', [shared])];
  const packed = await pack({ sessions, positions });
  const unpacked = await unpack(packed);
  expect(unpacked?.positions).toEqual(positions);
  const bare = ({ progress: { events, ...progress }, ...rest }: MovedSession) => ({
    ...rest,
    progress: { ...progress, events: events.map(({ type, data }) => [type, data]) },
  });
  expect(unpacked?.sessions.map(bare)).toEqual(sessions.map(bare));
  expect(unpacked?.sessions[0]?.progress.events[1]).toBe(unpacked?.sessions[1]?.progress.events[0]);
});

it('a snapshot of another format is not read', async () => {
  const packed = await pack({ sessions: [session('a', [shared])], positions });
  const stored = JSON.parse(inflateRawSync(packed).toString());
  expect(stored.format).toBe(1);
  expect(await unpack(deflateRawSync(JSON.stringify({ ...stored, format: 2 })))).toBeNull();
});

it('a broken snapshot is an error', async () => {
  await expect(unpack(Buffer.from('no snapshot'))).rejects.toThrow();
});
