import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askBoth, openTwins, type Twins } from '../../harness/twins.js';
import { oddities } from './operations/odd.js';
import { titleOf } from './same.js';

describe('odd requests get the same answers from a guild of the cloud and on a box', () => {
  let twins: Twins;
  beforeAll(async () => {
    twins = await openTwins();
  }, 120_000);
  afterAll(() => twins.stop());

  for (const operation of oddities) {
    it(titleOf(operation), async () => {
      const { cloud, box } = await askBoth(twins, operation);
      expect(box).toEqual(cloud);
      expect(cloud.status).toBeLessThan(500);
    });
  }
});
