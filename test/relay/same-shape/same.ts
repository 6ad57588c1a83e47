import { afterAll, beforeAll, expect, it } from 'vitest';
import { askBoth, type Operation, openTwins, type Twins } from '../../harness/twins.js';

/** Runs the operations on both guilds of a pair and expects the same answers. */
export function expectTheSame(operations: readonly Operation[]): void {
  let twins: Twins;
  beforeAll(async () => {
    twins = await openTwins();
  }, 120_000);
  afterAll(() => twins.stop());

  for (const operation of operations) {
    it(titleOf(operation), async () => {
      const { cloud, box } = await askBoth(twins, operation);
      expect(box).toEqual(cloud);
      const { status, code } = operation;
      const answered = JSON.stringify(cloud.body);
      if (status === undefined) expect(cloud.status, answered).toBeLessThan(300);
      else expect(cloud.status, answered).toBe(status);
      if (code !== undefined) expect(cloud.body.code).toBe(code);
    });
  }
}

export function titleOf({ ask, what }: Operation): string {
  return what === undefined ? ask : `${ask}: ${what}`;
}
