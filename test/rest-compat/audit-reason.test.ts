import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAuditReason } from '../../src/rest-compat/audit-reason.js';

test.each([
  [undefined, null],
  ['', null],
  ['  ', null],
  ['%20', null],
  ['spam', 'spam'],
  ['Spam%20%F0%9F%99%84', 'Spam 🙄'],
  ['100 % wrong', '100 % wrong'],
  ['%zz', '%zz'],
  [encodeURIComponent('ä'.repeat(512)), 'ä'.repeat(512)],
])('X-Audit-Log-Reason: %s is accepted', (header, reason) => {
  expect(readAuditReason(header)).toBe(reason);
});

test.each(['a'.repeat(513), '%00', 'a%00b'])('X-Audit-Log-Reason: %s is refused', (header) => {
  expect(() => readAuditReason(header)).toThrow('Invalid Form Body');
});

test('X-Audit-Log-Reason preserves any URL-encoded text', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }).filter((value) => value.trim() === value);
  fc.assert(
    fc.property(text, (value) => {
      expect(readAuditReason(encodeURIComponent(value))).toBe(value);
    }),
  );
});
