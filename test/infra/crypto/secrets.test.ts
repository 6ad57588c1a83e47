import { describe, expect, test } from 'vitest';
import { createAddressSignatures } from '../../../src/infra/crypto/address-signatures.js';
import { hashSecret, randomToken, secretMatches } from '../../../src/infra/crypto/secrets.js';
import { ManualClock } from '../../harness/clock.js';

describe('a stored secret', () => {
  test('matches only itself', () => {
    const secret = randomToken(32);
    const stored = hashSecret(secret);
    expect(stored).not.toContain(secret);
    expect(secretMatches(secret, stored)).toBe(true);
    for (const other of ['', `${secret}x`, secret.slice(1), randomToken(32), stored]) {
      expect(secretMatches(other, stored)).toBe(false);
    }
    for (const broken of ['', 'zz', stored.slice(2)]) expect(secretMatches(secret, broken)).toBe(false);
  });
});

describe('URL signatures', () => {
  const NOON = Date.UTC(2026, 0, 1, 12);
  const path = 'attachments/1/2/a.txt';
  const queryOf = (text: string) => Object.fromEntries(new URLSearchParams(text));

  test('are the same all day, and valid for one to two days', () => {
    const clock = new ManualClock(NOON);
    const signatures = createAddressSignatures(['key'], clock);
    const signature = signatures.sign(path);
    expect(signature).toMatch(/^ex=[0-9a-f]+&is=[0-9a-f]+&hm=[0-9a-f]{64}$/);
    clock.advance(11 * 3_600_000);
    expect(signatures.sign(path)).toBe(signature);
    clock.advance(2 * 3_600_000);
    expect(signatures.sign(path)).not.toBe(signature);
    clock.advance(22 * 3_600_000);
    expect(signatures.secondsLeft(path, queryOf(signature))).toBe(3_600);
    clock.advance(3_600_000);
    expect(signatures.secondsLeft(path, queryOf(signature))).toBe(0);
    clock.advance(3_600_000);
    expect(signatures.secondsLeft(path, queryOf(signature))).toBe(0);
  });

  test('are valid for one path and one key', () => {
    const clock = new ManualClock(NOON);
    const signatures = createAddressSignatures(['key'], clock);
    const query = queryOf(signatures.sign(path));
    expect(signatures.secondsLeft(path, query)).toBe(36 * 3_600);
    expect(signatures.secondsLeft(`${path}x`, query)).toBe(0);
    expect(createAddressSignatures(['other'], clock).secondsLeft(path, query)).toBe(0);
    for (const name of ['ex', 'is', 'hm']) {
      for (const wrong of [undefined, '', '0', 'zz', `${query[name]}0`, [query[name]], 7]) {
        expect(signatures.secondsLeft(path, { ...query, [name]: wrong })).toBe(0);
      }
    }
  });

  test('are made with the newest key and accepted with every configured key', () => {
    const clock = new ManualClock(NOON);
    const by = (...keys: [string, ...string[]]) => createAddressSignatures(keys, clock);
    const query = queryOf(by('new', 'old').sign(path));
    expect(by('old').secondsLeft(path, query)).toBe(0);
    for (const keys of [['new'], ['new', 'old'], ['old', 'new']] as [string, ...string[]][]) {
      expect(by(...keys).secondsLeft(path, query)).toBe(36 * 3_600);
    }
  });
});
