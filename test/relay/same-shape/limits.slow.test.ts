import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askOne, type Likeness, openTwins, type Twin, type Twins } from '../../harness/twins.js';

describe('limits are the same in a guild of the cloud and on a box', () => {
  let twins: Twins;
  beforeAll(async () => {
    twins = await openTwins({ cloud: { env: { RATE_LIMITS: 'on' } } });
  }, 120_000);
  afterAll(() => twins.stop());

  /**
   * Sends one request more than the limit at once. Returns the statuses and limits without the waiting time, sorted by
   * the remaining requests.
   */
  async function ask(twin: Twin) {
    const asked = Array.from({ length: 6 }, (_, n) =>
      askOne(twins, twin, { ask: 'POST /channels/{text}/messages', json: { content: `${n}` } }),
    );
    const answers = (await Promise.all(asked)).map(({ status, headers, body }) => {
      const { 'retry-after': wait, ...others } = headers;
      return { status, headers: others, keys: Object.keys(body).sort(), waits: wait !== undefined };
    });
    return answers.sort((one, other) => leftIn(other) - leftIn(one) || one.status - other.status);
  }

  const leftIn = ({ headers }: Pick<Likeness, 'headers'>) => Number(headers['x-ratelimit-remaining']);

  it('each answer has the number of remaining requests, and too many requests are 429', async () => {
    const [cloud, box] = [await ask(twins.cloud), await ask(twins.box)];
    expect(box).toEqual(cloud);
    expect(box.map(leftIn)).toEqual([4, 3, 2, 1, 0, 0]);
    expect(box.at(-1)).toMatchObject({ status: 429, waits: true, headers: { 'x-ratelimit-scope': 'user' } });
  });
});
