import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { DomainError } from '../../../src/domain/errors.js';
import { attachmentDescription, messageContent, messageNonce } from '../../../src/domain/messages/content/body.js';
import { contentShownTo } from '../../../src/domain/messages/content/content-readers.js';
import { messageEmbeds } from '../../../src/domain/messages/content/embeds.js';
import { parseInput } from '../../../src/domain/parse-input.js';

function faultsOf(schema: z.ZodType, value: unknown): string[] {
  try {
    parseInput(schema, value);
    return [];
  } catch (error) {
    if (error instanceof DomainError) return error.fields.map(({ path, code }) => `${path} ${code}`.trim());
    throw error;
  }
}

const long = (length: number) => '🦉'.repeat(length);

describe('text', () => {
  test.each([
    ['content', messageContent, 4_000],
    ['a nonce', messageNonce, 25],
    ['a description', attachmentDescription, 1_024],
  ])('as %s has a maximum length', (_, schema, max) => {
    expect(faultsOf(schema, long(max))).toEqual([]);
    expect(faultsOf(schema, long(max + 1))).toEqual(['BASE_TYPE_MAX_LENGTH']);
    expect(faultsOf(schema, 'a\0b')).toEqual(['STRING_TYPE_REGEX']);
  });

  test('is trimmed, except for a nonce', () => {
    expect(messageContent.parse('  x ')).toBe('x');
    expect(attachmentDescription.parse('  x ')).toBe('x');
    expect(messageNonce.parse('  x ')).toBe('  x ');
  });
});

describe('embeds', () => {
  const TOO_LONG = 'BASE_TYPE_MAX_LENGTH';
  const field = (facts: object) => ({ fields: [{ name: 'x', value: 'x', ...facts }] });
  const texts: [string, number, (text: string) => object][] = [
    ['title', 256, (title) => ({ title })],
    ['description', 4_096, (description) => ({ description })],
    ['footer.text', 2_048, (text) => ({ footer: { text } })],
    ['author.name', 256, (name) => ({ author: { name } })],
    ['fields.0.name', 256, (name) => field({ name })],
    ['fields.0.value', 1_024, (value) => field({ value })],
  ];
  test.each(texts)('%s has at most %i characters', (path, max, embed) => {
    expect(faultsOf(messageEmbeds, [embed(long(max))])).toEqual([]);
    expect(faultsOf(messageEmbeds, [embed(long(max + 1))])).toEqual([`0.${path} ${TOO_LONG}`]);
  });

  test.each([
    ['fields.0.name', field({ name: ' ' })],
    ['fields.0.value', field({ value: ' ' })],
    ['description', {}],
    ['description', { title: ' ', description: null }],
    ['description', { footer: { text: ' ', icon_url: 'https://a.example' } }],
    ['description', { author: { url: 'https://a.example' }, image: {}, thumbnail: { url: null }, fields: [] }],
  ])('%s is required', (path, embed) => {
    expect(faultsOf(messageEmbeds, [embed])).toEqual([`0.${path} BASE_TYPE_REQUIRED`]);
  });

  test.each(texts)('%s counts towards the total of 6,000 characters', (_, __, embed) => {
    const filled = [{ description: long(4_096) }, { description: long(1_804) }];
    // The other part of a field has one character.
    const own = embed(long('fields' in embed('') ? 99 : 100));
    expect(faultsOf(messageEmbeds, [...filled, own])).toEqual([]);
    expect(faultsOf(messageEmbeds, [...filled, own, { title: 'x' }])).toEqual(['MAX_EMBED_SIZE_EXCEEDED']);
  });

  test('are limited to ten, each with 25 fields at most', () => {
    const fields = (count: number) => Array(count).fill({ name: 'x', value: 'x' });
    expect(faultsOf(messageEmbeds, Array(10).fill({ fields: fields(25) }))).toEqual([]);
    expect(faultsOf(messageEmbeds, Array(11).fill({ title: 'x' }))).toEqual(['BASE_TYPE_BAD_LENGTH']);
    expect(faultsOf(messageEmbeds, [{ fields: fields(26) }])).toEqual(['0.fields BASE_TYPE_BAD_LENGTH']);
  });

  test.each([
    [0, []],
    [0xff_ff_ff, []],
    [-1, ['0.color NUMBER_TYPE_MIN']],
    [0x1_00_00_00, ['0.color NUMBER_TYPE_MAX']],
    [1.5, ['0.color NUMBER_TYPE_COERCE']],
  ])('are validated with the colour %j', (color, faults) => {
    expect(faultsOf(messageEmbeds, [{ title: 'x', color }])).toEqual(faults);
  });

  const SCHEME = 'URL_TYPE_INVALID_SCHEME';
  const addresses: [string, (url: string) => object, boolean][] = [
    ['url', (url) => ({ title: 'x', url }), false],
    ['author.url', (url) => ({ author: { name: 'x', url } }), false],
    ['author.icon_url', (icon_url) => ({ author: { name: 'x', icon_url } }), true],
    ['footer.icon_url', (icon_url) => ({ footer: { text: 'x', icon_url } }), true],
    ['image.url', (url) => ({ image: { url } }), true],
    ['thumbnail.url', (url) => ({ thumbnail: { url } }), true],
  ];
  test.each(addresses)('%s is a URL', (path, embed, ofMedia) => {
    const faults = (url: string) => faultsOf(messageEmbeds, [embed(url)]);
    for (const url of ['https://a.example', 'HTTP://a.example/x?y#z', `https://a.example/${'x'.repeat(2_030)}`]) {
      expect(faults(url)).toEqual([]);
    }
    expect(faults('attachment://x.png')).toEqual(ofMedia ? [] : [`0.${path} ${SCHEME}`]);
    for (const url of ['javascript:alert(1)', 'data:,x', 'a.example', ''])
      expect(faults(url)).toEqual([`0.${path} ${SCHEME}`]);
    for (const url of ['https://', 'https://a b.example', 'https://a.example/a\tb']) {
      expect(faults(url)).toEqual([`0.${path} URL_TYPE_INVALID_URL`]);
    }
    expect(faults(`https://a.example/${'x'.repeat(2_031)}`)).toEqual([`0.${path} ${TOO_LONG}`]);
  });

  test('with a wrong scheme get an error that lists the right ones', () => {
    const attempt = () => parseInput(messageEmbeds, [{ title: 'x', url: `${'x'.repeat(50)}:y` }]);
    const message = `Scheme "${'x'.repeat(40)}" is not supported. Scheme must be one of ('http', 'https').`;
    expect(attempt).toThrow(expect.objectContaining({ fields: [expect.objectContaining({ message })] }));
  });

  test('are stored without missing parts, and with the type that a sender can create', () => {
    const sent = [
      {
        type: 'image',
        title: ' x ',
        description: '',
        url: null,
        timestamp: '2026-01-02T03:04:05+01:00',
        footer: null,
        fields: [
          { name: 'a', value: 'b' },
          { name: 'c', value: 'd', inline: true },
          { name: 'e', value: 'f', inline: null },
        ],
        provider: { name: 'x' },
      },
    ];
    expect(parseInput(messageEmbeds, sent)).toEqual([
      {
        type: 'rich',
        title: 'x',
        timestamp: '2026-01-02T02:04:05.000000+00:00',
        fields: [
          { name: 'a', value: 'b', inline: false },
          { name: 'c', value: 'd', inline: true },
          { name: 'e', value: 'f', inline: false },
        ],
      },
    ]);
  });

  test('are stored without parts that mean nothing on their own', () => {
    const sent = {
      title: 'x',
      footer: { text: '', icon_url: 'https://a.example/a.png' },
      author: { name: null, url: 'https://a.example' },
      image: { url: null, width: 3 },
      thumbnail: {},
      fields: [],
    };
    expect(parseInput(messageEmbeds, [sent])).toEqual([{ type: 'rich', title: 'x' }]);
  });

  test.each([
    ['2026-01-02', '2026-01-02T00:00:00'],
    ['2026-01-02T03:04Z', '2026-01-02T03:04:00'],
    ['2026-01-02T03:04:05', '2026-01-02T03:04:05'],
    ['2026-01-02 03:04:05.1234567+02:00', '2026-01-02T01:04:05.123'],
    ['2026-01-02t03:04:05-0130', '2026-01-02T04:34:05'],
    ['2024-02-29T00:00:00.5z', '2024-02-29T00:00:00.500'],
  ])('accept the time %s', (timestamp, shown) => {
    const [embed] = parseInput(messageEmbeds, [{ timestamp }]);
    expect(embed?.timestamp).toBe(`${shown.padEnd(20, '.').padEnd(26, '0')}+00:00`);
  });

  test.each([
    ...[
      'soon',
      '',
      '1',
      '1500218461229',
      'Jan 2 2026',
      '2026-02-30T00:00:00Z',
      '2025-02-29',
      '2026-13-01',
      '2026-01-02T25:00Z',
    ],
    ...['0000-01-01T00:00:00Z', '-100000-01-01T00:00:00Z', '+010000-01-01T00:00:00Z', '0001-01-01T00:00:00+01:00'],
  ])('refuse the time %s', (timestamp) => {
    expect(faultsOf(messageEmbeds, [{ timestamp }])).toEqual(['0.timestamp DATE_TIME_TYPE_PARSE']);
  });

  test.each([
    ['attachment://a b (1).png', []],
    ['ATTACHMENT://x.png', []],
    ['attachment://', ['0.image.url URL_TYPE_INVALID_URL']],
    ['attachment:x.png', ['0.image.url URL_TYPE_INVALID_URL']],
  ])('are validated with an image at %s', (url, faults) => {
    expect(faultsOf(messageEmbeds, [{ image: { url } }])).toEqual(faults);
  });
});

describe('the part that a bot without the intent receives', () => {
  const addressees = (authorId: string, ...mentionedUserIds: string[]) => ({ authorId, mentionedUserIds });
  test.each([
    ['of a direct message', null, 'whole'],
    ['of its own', addressees('me'), 'whole'],
    ['of one that mentions it', addressees('ada', 'bob', 'me'), 'whole'],
    ['of any other', addressees('ada', 'bob'), 'redacted'],
    ['of its own response to another user', { ...addressees('me'), reply: addressees('ada') }, 'withoutReply'],
    ['of its own answer to itself', { ...addressees('me'), reply: addressees('me') }, 'whole'],
    ['of an answer to what mentions it', { ...addressees('me'), reply: addressees('ada', 'me') }, 'whole'],
    ['of an answer to it that does not mention it', { ...addressees('ada'), reply: addressees('me') }, 'redacted'],
  ])('%s', (_, readers, shown) => {
    expect(contentShownTo('me', readers)).toBe(shown);
  });
});
