import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { SlowHashes, TooManyChecks } from '../../../src/infra/crypto/slow-hashes.js';
import { roundsDuring } from '../../harness/turns.js';

const SECRET = 'WH.12345678.secret';

const LINE = 12;

/** Limit of concurrent checks of one client in these tests. */
const OF_ONE = 6;

const somebody = () => randomUUID();

/** An instance that has loaded its library and made its dummy hash. */
async function warm(atOnce?: number): Promise<SlowHashes> {
  const hashes = new SlowHashes(atOnce, LINE, OF_ONE);
  await hashes.matches(SECRET, null, somebody());
  return hashes;
}

describe('a check', () => {
  let hashes: SlowHashes;
  let stored: string;
  beforeAll(async () => {
    hashes = await warm();
    stored = await hashes.hash(SECRET);
  });

  test.each([
    ['the right secret', SECRET, true],
    ['another one', `${SECRET}x`, false],
    ['a part of it', SECRET.slice(0, -1), false],
    ['nothing', '', false],
  ])('against a stored secret: %s', async (_what, secret, isGood) => {
    expect(await hashes.matches(secret, stored, somebody())).toBe(isGood);
  });

  test.each([
    ['nothing is stored', null],
    ['what is left of a deleted one is stored', ''],
    ['text that is no hash is stored', SECRET],
    ['a hash of another kind is stored', '5f4dcc3b5aa765d61d8327deb882cf99'],
  ])('against %s matches nothing and throws nothing', async (_what, nothing) => {
    expect([await hashes.matches(SECRET, nothing, somebody()), await hashes.matches('', nothing, somebody())]).toEqual([
      false,
      false,
    ]);
  });

  test('of one secret that was stored twice: two hashes, both valid', async () => {
    const other = await hashes.hash(SECRET);
    expect(other).not.toBe(stored);
    expect(await hashes.matches(SECRET, other, somebody())).toBe(true);
  });

  test('leaves the event loop free', async () => {
    expect(await roundsDuring(() => hashes.matches(SECRET, stored, somebody()))).toBeGreaterThan(1);
    expect(await roundsDuring(() => hashes.hash(SECRET))).toBeGreaterThan(1);
  });
});

describe('many checks', () => {
  test.each([1, 2])(
    'run %i at once with twelve waiting; one more is refused at once and takes no place',
    async (atOnce) => {
      const hashes = await warm(atOnce);
      const order: unknown[] = [];
      const check = () => hashes.matches(SECRET, null, somebody()).then(() => order.push('checked'));
      const checks = Array.from({ length: atOnce + LINE }, check);
      await Promise.all([1, 2, 3].map(() => check().catch((refusal) => order.push(refusal))));
      expect(order).toEqual([1, 2, 3].map(() => expect.any(TooManyChecks)));
      await checks[0];
      const next = hashes.matches(SECRET, null, somebody());
      await Promise.all([...checks, next]);
      expect(await next).toBe(false);
      await expect(hashes.matches(SECRET, null, somebody())).resolves.toBe(false);
    },
  );

  test('of one client are limited to six, while others are served; more are accepted when those are done', async () => {
    const hashes = await warm(1);
    const check = () => hashes.matches(SECRET, null, 'one');
    const checks = Array.from({ length: OF_ONE }, check);
    await expect(check()).rejects.toThrow(TooManyChecks);
    await expect(hashes.matches(SECRET, null, 'another')).resolves.toBe(false);
    await Promise.all(checks);
    await expect(check()).resolves.toBe(false);
  });

  test('do not keep a secret from being stored, however many there are', async () => {
    const hashes = await warm(1);
    const checks = Array.from({ length: LINE + 1 }, () => hashes.matches(SECRET, null, somebody()));
    const secrets = Array.from({ length: 10 }, (_, n) => `${SECRET}${n}`);
    const stored = await Promise.all(secrets.map((secret) => hashes.hash(secret)));
    expect(new Set(stored).size).toBe(10);
    await Promise.all(checks);
    expect(await hashes.matches(`${SECRET}7`, stored[7] ?? null, somebody())).toBe(true);
  });
});
