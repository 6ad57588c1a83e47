import { expect, test } from 'vitest';
import { Quota } from '../../../src/infra/concurrency/quota.js';

test('a quota gives each key its share, and takes back what is released, once', () => {
  const quota = new Quota(2);
  const releases = [quota.take('a'), quota.take('a')];
  expect(quota.take('a')).toBeNull();
  expect(quota.take('b')).not.toBeNull();
  releases[0]?.();
  releases[0]?.();
  expect([quota.used('a'), quota.used('b'), quota.usedInAll]).toEqual([1, 1, 2]);
  expect([quota.take('a'), quota.take('a')]).toEqual([expect.any(Function), null]);
});

test('a quota counts amounts beyond its share, for callers with a limit of their own', () => {
  const quota = new Quota(1);
  quota.add('a', 5);
  quota.add('a', -2);
  expect([quota.used('a'), quota.usedInAll]).toEqual([3, 3]);
  quota.add('a', -3);
  expect([quota.used('a'), quota.usedInAll]).toEqual([0, 0]);
});
