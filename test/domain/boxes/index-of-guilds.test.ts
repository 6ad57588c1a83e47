import fc from 'fast-check';
import { expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import {
  announceGuild,
  forgetChannel,
  keepGuilds,
  noteChannel,
  withdrawGuild,
} from '../../../src/domain/boxes/index.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { type EnrolledBox, enrolledBox } from './scene.js';

/**
 * Property test: after any sequence of announcements and changes, the index matches the last accepted ones (R-32,
 *
 */

let app: AppContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
});

const [GUILDS, CHANNELS] = [3, 5];
const guildNumber = fc.nat(GUILDS - 1);
const channelNumber = fc.nat(CHANNELS - 1);
const channelNumbers = fc.uniqueArray(channelNumber);
/** One step in four names the guilds and channels of the other box. */
const place = { box: fc.nat(1), whose: fc.constantFrom(0, 0, 0, 1) };

const step = fc.oneof(
  fc.record({ op: fc.constant('announce' as const), ...place, guild: guildNumber, channels: channelNumbers }),
  fc.record({ op: fc.constant('withdraw' as const), ...place, guild: guildNumber }),
  fc.record({ op: fc.constant('keep' as const), ...place, guilds: fc.uniqueArray(guildNumber) }),
  fc.record({ op: fc.constant('note' as const), ...place, guild: guildNumber, channel: channelNumber }),
  fc.record({ op: fc.constant('forget' as const), ...place, guild: guildNumber, channel: channelNumber }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Side {
  box: EnrolledBox;
  guildIds: bigint[];
  channelIds: bigint[];
  has: Map<bigint, Set<bigint>>;
}

async function newSide(): Promise<Side> {
  const box = await enrolledBox(app);
  const ids = (count: number) => Array.from({ length: count }, () => box.nextId());
  return { box, guildIds: ids(GUILDS), channelIds: ids(CHANNELS), has: new Map() };
}

const at = (ids: bigint[], n: number) => ids[n] ?? 0n;

/** Takes a step and returns its actual and expected outcome. A refused step changes nothing. */
async function take(call: AppContext['callOfNobody'], sides: [Side, Side], one: Step): Promise<[string, string]> {
  const speaker = sides[one.box === 0 ? 0 : 1];
  const owner = sides[(one.box + one.whose) % 2 === 0 ? 0 : 1];
  const { box, has } = speaker;
  const isOwn = speaker === owner;
  const elsewhere = (guildId: bigint, id: bigint) => [...has].some(([other, ids]) => other !== guildId && ids.has(id));
  if (one.op === 'keep') {
    const kept = one.guilds.map((n) => at(owner.guildIds, n));
    const ended = await outcome(keepGuilds(call(), box.id, kept));
    for (const id of has.keys()) if (!kept.includes(id)) has.delete(id);
    return [ended, 'ok'];
  }
  const guildId = at(owner.guildIds, one.guild);
  if (one.op === 'withdraw') {
    const ended = await outcome(withdrawGuild(call(), box.id, guildId));
    has.delete(guildId);
    return [ended, 'ok'];
  }
  if (one.op === 'announce') {
    const channelIds = one.channels.map((n) => at(owner.channelIds, n));
    const guild = { id: guildId, name: 'Home', iconHash: null, ownerId: box.nextId(), channelIds };
    const ended = await outcome(announceGuild(call(), box.id, guild));
    const isFine = isOwn && !channelIds.some((id) => elsewhere(guildId, id));
    if (isFine) has.set(guildId, new Set(channelIds));
    return [ended, isFine ? 'ok' : 'CONFLICT'];
  }
  const key = { guildId, channelId: at(owner.channelIds, one.channel) };
  if (one.op === 'forget') {
    const ended = await outcome(forgetChannel(call(), box.id, key));
    has.get(guildId)?.delete(key.channelId);
    return [ended, 'ok'];
  }
  const ended = await outcome(noteChannel(call(), box.id, key));
  if (!isOwn) return [ended, 'CONFLICT'];
  if (!has.has(guildId)) return [ended, 'UNKNOWN_GUILD'];
  if (elsewhere(guildId, key.channelId)) return [ended, 'CONFLICT'];
  has.get(guildId)?.add(key.channelId);
  return [ended, 'ok'];
}

async function expectFound({ box, guildIds, channelIds, has }: Side): Promise<void> {
  for (const guildId of guildIds) {
    const expected = has.has(guildId) ? { boxId: box.id, guildId } : null;
    expect(await app.boxRoutes.ofGuild(guildId)).toEqual(expected);
  }
  for (const channelId of channelIds) {
    const [guildId] = [...has].find(([, channels]) => channels.has(channelId)) ?? [];
    const expected = guildId === undefined ? null : { boxId: box.id, guildId };
    expect(await app.boxRoutes.ofChannel(channelId)).toEqual(expected);
  }
}

test('guilds and channels are found at the box that announced them last', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const sides: [Side, Side] = [await newSide(), await newSide()];
      for (const one of steps) {
        const [ended, expected] = await take(app.callOfNobody, sides, one);
        expect(ended).toBe(expected);
        for (const side of sides) await expectFound(side);
      }
    }),
    { numRuns: 25 },
  );
});
