import { afterAll, beforeAll, expect, it } from 'vitest';
import { failStatements } from '../../../harness/faults.js';
import { type HostileScene, openHostile } from '../../../harness/hostile.js';

let scene: HostileScene;
beforeAll(async () => {
  scene = await openHostile();
});
afterAll(() => scene.stop());

it('R-35 a channel that a box has made is returned even if the cloud cannot store it at that moment', async () => {
  await scene.begin();
  const { box, guild, bot } = scene;
  const faults = failStatements(/INSERT INTO .*BoxChannel/);
  try {
    const asked = bot.post(`/guilds/${guild.id}/channels`, { name: 'new' });
    const id = String(box.nextId());
    const facts = { position: 0, topic: null, nsfw: false, parent_id: null, rate_limit_per_user: 0, flags: 0 };
    const channel = { id, type: 0, name: 'new', guild_id: guild.id, permission_overwrites: [], last_message_id: null };
    await box.relay.answer({ ...channel, ...facts }, 201);
    expect(await asked).toMatchObject({ status: 201, body: { id } });
    expect(faults.count()).toBeGreaterThan(0);
    expect(scene.loggedOf()).toContainEqual(expect.objectContaining({ msg: 'Could not index a created channel' }));
  } finally {
    faults.heal();
  }
});
