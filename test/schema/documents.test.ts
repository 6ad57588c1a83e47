import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createDocumentCache, refuseRepeats } from '../../src/schema/documents.js';

const times = (count: number, part: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => part(n)).join(' ');

describe('a document is refused before validation compares its fields', () => {
  test.each<[what: string, document: string]>([
    ['one field named 150 times', `{${times(150, () => 'me{id}')}}`],
    ['a large field named 20 times', `{${times(20, () => `me{${times(40, (n) => `f${n}`)}}`)}}`],
    ['the same below another field', `{team(id:"1"){${times(150, () => 'owner{id}')}}}`],
    ['the same in inline fragments', `{${times(150, () => '...{me{id}}')}}`],
    [
      'the same in fragments of their own',
      `{${times(150, (n) => `...f${n}`)}} ${times(150, (n) => `fragment f${n} on Query{me{id}}`)}`,
    ],
    ['the same in a fragment that nothing uses', `{__typename} fragment f on Query{${times(150, () => 'me{id}')}}`],
    ['a fragment spread 201 times', `{${times(201, () => '...f')}} fragment f on Query{__typename}`],
  ])('if it has %s', (_what, document) => {
    expect(() => refuseRepeats(parse(document))).toThrow(/too often in one place|more than 200 fragment spreads/);
  });
});

describe('a document is accepted', () => {
  test.each<[what: string, document: string]>([
    ['with 100 aliases of one field', `{${times(100, (n) => `a${n}:me{id}`)}}`],
    [
      'with the same field in many places',
      `{${times(60, (n) => `a${n}:team(id:"1"){owner{id username} members{role}}`)}}`,
    ],
    [
      'with a fragment spread 200 times',
      `{${times(200, (n) => `a${n}:me{...f}`)}} fragment f on User{id username bot}`,
    ],
    ['that names a field a few times', `{${times(40, () => 'me{id}')}}`],
    ['whose fragments contain one another', '{...a} fragment a on Query{...b} fragment b on Query{...a}'],
    ['that spreads a fragment that is not there', '{...nowhere}'],
  ])('%s', (_what, document) => {
    expect(() => refuseRepeats(parse(document))).not.toThrow();
  });
});

describe('the document cache', () => {
  const { documentCache, errorCache } = createDocumentCache();
  const keep = (text: string) => documentCache.set(text, parse(text));

  test('keeps documents of at most 4 KiB', () => {
    const short = `{me{id}}#${'x'.repeat(4 * 1024 - 9)}`;
    keep(short);
    keep(`${short}x`);
    expect([documentCache.get(short), documentCache.get(`${short}x`)]).toEqual([parse(short), undefined]);
  });

  test('keeps the latest 250 documents', () => {
    for (let n = 0; n <= 250; n += 1) keep(`{me{id}} # ${n}`);
    expect(documentCache.get('{me{id}} # 0')).toBeUndefined();
    expect(documentCache.get('{me{id}} # 1')).toBeDefined();
  });

  test('keeps no validation errors', () => {
    errorCache.set();
    expect(errorCache.get()).toBeUndefined();
  });
});
