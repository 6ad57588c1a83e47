import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_KEPT_BYTES, ResponseQuota, SMALL_BYTES } from '../../../src/relay/cloud/connections/response-quota.js';
import { askHonest, type HostileScene, openHostile, tell } from '../../harness/hostile.js';

describe('R-24: the quota for answers', () => {
  const large = 8 * 1024 * 1024;

  it('of a process is shared by its boxes, and leaves room for a small answer of each', () => {
    const quota = new ResponseQuota();
    const boxes = Array.from({ length: MAX_KEPT_BYTES.process / MAX_KEPT_BYTES.box }, () => quota.ofBox());
    const taken = boxes.flatMap((box) => Array.from({ length: MAX_KEPT_BYTES.box / large }, () => box.take(large)));
    expect(taken).not.toContain(null);
    const another = quota.ofBox();
    expect([boxes[0]?.take(1), another.take(SMALL_BYTES + 1)]).toEqual([null, null]);
    expect(another.take(SMALL_BYTES)).not.toBeNull();
    taken[0]?.();
    taken[0]?.();
    expect(quota.bytes).toBe(MAX_KEPT_BYTES.process - large);
    expect(another.take(large)).not.toBeNull();
    expect(another.take(large)).toBeNull();
  });
});

describe('a box that floods', () => {
  let scene: HostileScene;
  beforeAll(async () => {
    scene = await openHostile();
  });
  afterAll(() => scene.stop());

  it('R-32: with a hundred thousand guilds gets a thousand at most, and other boxes are served in the meantime', async () => {
    const s = await scene.begin();
    const { relay } = scene.box;
    const own = () => String(scene.box.nextId());
    // Too many messages: the connection is closed before all are processed.
    for (let n = 1; n <= 100_000; n += 1) {
      const guild = { id: own(), name: 'x', icon: null, owner_id: own(), channels: [], bots: [] };
      relay.send({ op: 'announce', s: s + n, guild });
    }
    expect(await askHonest(scene)).toBe(204);
    expect(await relay.closed).toMatchObject({ code: 4003 });
    const { reader } = scene.server.app.db;
    expect(await reader.boxGuild.count({ where: { boxId: scene.box.id } })).toBeLessThanOrEqual(1_000);
    await expect.poll(() => scene.loggedOf()).toContainEqual(expect.objectContaining({ code: 4003 }));
    expect(await askHonest(scene)).toBe(204);
  });

  const strangers = (count: number) => Array.from({ length: count }, (_, n) => String((1_000_000n + BigInt(n)) << 22n));
  const ofBot = (more: object) => {
    const own = String(scene.box.nextId());
    return { op: 'announce', guild: { id: own, name: 'x', icon: null, owner_id: own, channels: [], ...more } };
  };
  const jobs = () => scene.server.app.db.reader.job.count({ where: { kind: 'settle-box-bot' } });

  it('R-32: with more than 1,000 bots in a guild does not get that guild, and ids that are not bots have no effect', async () => {
    const s = await scene.begin();
    const before = await jobs();
    const [fits, tooMany] = [ofBot({ bots: strangers(1_000) }), ofBot({ bots: strangers(1_001) })];
    await tell(scene.box, s, [fits, tooMany]);
    expect(await scene.server.app.boxRoutes.ofGuild(BigInt(fits.guild.id))).not.toBeNull();
    expect(await scene.server.app.boxRoutes.ofGuild(BigInt(tooMany.guild.id))).toBeNull();
    expect(scene.loggedOf()).toContainEqual(expect.objectContaining({ refusal: 'has more than 1000 bots' }));
    expect(await jobs()).toBe(before);
  });

  it('R-32: with bots of the cloud that are not installed gets only those removed', async () => {
    const s = await scene.begin();
    const before = await jobs();
    await tell(scene.box, s, [ofBot({ bots: [...strangers(10), String(scene.stranger.id)] })]);
    expect(await jobs()).toBe(before + 1);
  });

  it('R-30: with events closes 4003, and requests of other boxes are answered in the meantime', async () => {
    const s = await scene.begin();
    const { relay } = scene.box;
    const d = { guild_id: scene.guild.id, channel_id: scene.guild.channels[0], last_pin_timestamp: null };
    for (let n = 1; n <= 60_000; n += 1) relay.send({ op: 'dispatch', s: s + n, t: 'CHANNEL_PINS_UPDATE', d });
    for (let round = 0; round < 10; round += 1) expect(await askHonest(scene)).toBe(204);
    expect(await relay.closed).toMatchObject({ code: 4003 });
  });
});
