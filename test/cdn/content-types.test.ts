import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dispositionOf, servedType } from '../../src/cdn/content-types.js';

test("the header is a single one with the file's name, whatever that is (RFC 6266, RFC 8187)", () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('a"b', "'", '(*)', '\r\nx: y', '\u202e', '\ud800'),
  );
  fc.assert(
    fc.property(name, fc.constantFrom('image/png', 'text/html'), (filename, type) => {
      const [, kind, full = ''] =
        /^(inline|attachment); filename="[\w.-]*"; filename\*=UTF-8''([\w.!~%-]*)$/.exec(
          dispositionOf(type, filename),
        ) ?? [];
      expect(kind).toBe(type === 'image/png' ? 'inline' : 'attachment');
      expect(decodeURIComponent(full)).toBe(filename.toWellFormed());
    }),
  );
});

test.each([
  'text/html',
  'image/svg+xml',
  'text/xml',
  'application/xml',
  'application/pdf',
  'text/css',
  'IMAGE/PNG',
  '',
])('%s is served as a binary download', (type) => {
  expect(servedType(type)).toBe('application/octet-stream');
  expect(dispositionOf(type, 'a')).toMatch(/^attachment;/);
});
