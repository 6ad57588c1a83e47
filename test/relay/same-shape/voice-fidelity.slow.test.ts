import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askOne, type Operation, openTwins, type Twin, type Twins } from '../../harness/twins.js';
import { isInVoice } from './operations/voice.js';
import { Session } from './sessions.js';

const STATE = '/guilds/{guild}/voice-states/{mia}';
const SECOND: Operation = {
  ask: 'POST /guilds/{guild}/channels',
  json: { name: 'second', type: 2 },
  keep: { second: 'id' },
};

describe('R-36: voice on a box', () => {
  let twins: Twins;
  let session: Session;
  beforeAll(async () => {
    twins = await openTwins();
    session = await Session.open(twins, twins.bots.bot.token);
    for (const twin of [twins.cloud, twins.box]) {
      await isInVoice('mia')(twin);
      await askOne(twins, twin, SECOND);
      await session.until(twin, 'begun');
    }
  }, 120_000);
  afterAll(async () => {
    await session.client.close();
    await twins.stop();
  });

  let marks = 0;
  const told = async (twin: Twin, json: object) => {
    const { status } = await askOne(twins, twin, { ask: `PATCH ${STATE}`, json });
    expect(status).toBe(204);
    const all = await session.until(twin, `mark ${++marks}`);
    return all.filter(({ t }) => t === 'VOICE_STATE_UPDATE');
  };

  it('has one bit for mute, in events and in reads of the state', async () => {
    const [cloud] = await told(twins.cloud, { mute: true });
    const [box] = await told(twins.box, { mute: true });
    expect(cloud).toMatchObject({ d: { mute: true, self_mute: false } });
    expect(box).toEqual({ ...cloud, d: { ...cloud?.d, self_mute: true } });
    const { body } = await askOne(twins, twins.box, { ask: `GET ${STATE}` });
    expect(body).toMatchObject({ mute: true, self_mute: true });
    expect(body).toEqual({ ...(await askOne(twins, twins.cloud, { ask: `GET ${STATE}` })).body, self_mute: true });
  });

  it('sends a move as a leaving and a joining', async () => {
    expect(await told(twins.cloud, { channel_id: '{second}' })).toMatchObject([{ d: { channel_id: '{second}' } }]);
    expect(await told(twins.box, { channel_id: '{second}' })).toMatchObject([
      { d: { channel_id: null, user_id: '{mia}' } },
      { d: { channel_id: '{second}', user_id: '{mia}' } },
    ]);
  });

  it('sends a leaving as one event', async () => {
    const cloud = await told(twins.cloud, { channel_id: null });
    const box = await told(twins.box, { channel_id: null });
    expect(box).toEqual(cloud.map((one) => ({ ...one, d: { ...one.d, self_mute: one.d.mute } })));
    expect(box).toMatchObject([{ d: { channel_id: null } }]);
  });
});
