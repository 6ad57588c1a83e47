import { describe, expect, test } from 'vitest';
import { charsetOf, decodeText } from '../../src/http/text.js';

describe('the charset of a content type', () => {
  test.each([
    [undefined, undefined],
    ['application/json', undefined],
    ['application/json; charset=utf-8', 'utf-8'],
    ['application/json;Charset = "UTF-8" ; x=y', 'UTF-8'],
    ['multipart/form-data; boundary=x; charset=latin1', 'latin1'],
    ['text/plain; xcharset=latin1', undefined],
  ])('of %j is %j', (header, charset) => {
    expect(charsetOf(header)).toBe(charset);
  });
});

describe('text', () => {
  const bytesOf = (hex: string) => Buffer.from(hex, 'hex');

  test.each([
    ['', undefined, ''],
    ['636166c3a9', undefined, 'café'],
    ['636166c3a9', 'UTF8', 'café'],
    ['efbbbf61', undefined, 'a'],
    ['efbbbf61', 'latin1', 'a'],
    ['61efbbbf', undefined, 'a\ufeff'],
    ['efbfbd', undefined, '\ufffd'],
    ['fffe6100', undefined, 'a'],
    ['feff0061', undefined, 'a'],
    ['6100', 'utf-16le', 'a'],
    ['636166e9', 'iso-8859-1', 'café'],
    ['82a0', 'shift_jis', 'あ'],
  ])('of the bytes %s in %s is %j', (hex, charset, text) => {
    expect(decodeText(bytesOf(hex), charset)).toBe(text);
  });

  test.each([
    ['ff', undefined],
    ['636166e9', 'utf-8'],
    ['c0af', undefined],
    ['eda080', undefined],
    ['fffe61', undefined],
    ['61', 'utf-16le'],
    ['00d8', 'utf-16le'],
    ['61', 'none'],
    ['61', ''],
  ])('of the bytes %s in %s is refused', (hex, charset) => {
    expect(() => decodeText(bytesOf(hex), charset)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});
