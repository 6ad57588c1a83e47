import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../../../src/domain/errors.js';
import { messageEmbeds } from '../../../../src/domain/messages/content/embeds.js';
import { parseInput } from '../../../../src/domain/parse-input.js';
import { charactersOf, goodEmbeds, type SentEmbed, shownEmbed } from '../../../harness/embeds.js';

const kept = (embeds: unknown) => parseInput(messageEmbeds, embeds);

function faultsOf(embeds: unknown): string[] {
  try {
    kept(embeds);
    return [];
  } catch (error) {
    if (error instanceof DomainError) return error.fields.map(({ path, code }) => `${path} ${code}`.trim());
    throw error;
  }
}

test('embeds within the limits are stored as they are shown, and accepted again in that form', () => {
  fc.assert(
    fc.property(goodEmbeds, (embeds) => {
      const shown = kept(embeds);
      expect(shown).toEqual(embeds.map(shownEmbed));
      expect(kept(shown)).toEqual(shown);
    }),
    { numRuns: 100 },
  );
});

const WRONG: [spoil: (embed: SentEmbed) => unknown, fault: string][] = [
  [(embed) => ({ ...embed, title: 'x'.repeat(257) }), 'title BASE_TYPE_MAX_LENGTH'],
  [(embed) => ({ ...embed, title: 'a\0b' }), 'title STRING_TYPE_REGEX'],
  [(embed) => ({ ...embed, title: 5 }), 'title STRING_TYPE_CONVERT'],
  [(embed) => ({ ...embed, description: '猫'.repeat(4_097) }), 'description BASE_TYPE_MAX_LENGTH'],
  [(embed) => ({ ...embed, url: 'ftp://a.example' }), 'url URL_TYPE_INVALID_SCHEME'],
  [(embed) => ({ ...embed, url: 'attachment://a.png' }), 'url URL_TYPE_INVALID_SCHEME'],
  [(embed) => ({ ...embed, color: -1 }), 'color NUMBER_TYPE_MIN'],
  [(embed) => ({ ...embed, color: 0x1_00_00_00 }), 'color NUMBER_TYPE_MAX'],
  [(embed) => ({ ...embed, color: '#ff0000' }), 'color NUMBER_TYPE_COERCE'],
  [(embed) => ({ ...embed, timestamp: 'soon' }), 'timestamp DATE_TIME_TYPE_PARSE'],
  [(embed) => ({ ...embed, timestamp: '2026-02-30T00:00:00Z' }), 'timestamp DATE_TIME_TYPE_PARSE'],
  [(embed) => ({ ...embed, footer: 'text' }), 'footer MODEL_TYPE_CONVERT'],
  [(embed) => ({ ...embed, footer: { text: 'x'.repeat(2_049) } }), 'footer.text BASE_TYPE_MAX_LENGTH'],
  [(embed) => ({ ...embed, footer: { icon_url: 'no address' } }), 'footer.icon_url URL_TYPE_INVALID_SCHEME'],
  [(embed) => ({ ...embed, author: { name: 'x'.repeat(257) } }), 'author.name BASE_TYPE_MAX_LENGTH'],
  [(embed) => ({ ...embed, author: { name: 'x', url: 'javascript:x' } }), 'author.url URL_TYPE_INVALID_SCHEME'],
  [(embed) => ({ ...embed, image: { url: 'https://' } }), 'image.url URL_TYPE_INVALID_URL'],
  [(embed) => ({ ...embed, thumbnail: { url: 5 } }), 'thumbnail.url STRING_TYPE_CONVERT'],
  [(embed) => ({ ...embed, thumbnail: [] }), 'thumbnail MODEL_TYPE_CONVERT'],
  [(embed) => ({ ...embed, fields: {} }), 'fields LIST_TYPE_CONVERT'],
  [(embed) => ({ ...embed, fields: Array(26).fill({ name: 'x', value: 'x' }) }), 'fields BASE_TYPE_BAD_LENGTH'],
  [(embed) => ({ ...embed, fields: [{ value: 'x' }] }), 'fields.0.name BASE_TYPE_REQUIRED'],
  [(embed) => ({ ...embed, fields: [{ name: '\n', value: 'x' }] }), 'fields.0.name BASE_TYPE_REQUIRED'],
  [(embed) => ({ ...embed, fields: [{ name: 'x', value: null }] }), 'fields.0.value BASE_TYPE_REQUIRED'],
  [(embed) => ({ ...embed, fields: [{ name: 'x'.repeat(257), value: 'x' }] }), 'fields.0.name BASE_TYPE_MAX_LENGTH'],
  [(embed) => ({ ...embed, fields: [{ name: 'x', value: 'x'.repeat(1_025) }] }), 'fields.0.value BASE_TYPE_MAX_LENGTH'],
  [
    (embed) => ({ ...embed, fields: [{ name: 'x', value: 'x', inline: 'yes' }] }),
    'fields.0.inline BOOLEAN_TYPE_CONVERT',
  ],
  [() => ({}), 'description BASE_TYPE_REQUIRED'],
  [() => 'text', 'MODEL_TYPE_CONVERT'],
  [() => null, 'BASE_TYPE_REQUIRED'],
];

test.each(WRONG.map(([spoil, fault]) => ({ spoil, fault })))(
  'a single error in one of the embeds is reported at its path: $fault',
  ({ spoil, fault }) => {
    fc.assert(
      fc.property(goodEmbeds, fc.nat(), (embeds, turn) => {
        fc.pre(charactersOf(embeds) <= 1_900);
        const index = turn % embeds.length;
        const spoiled = embeds.map((embed, at) => (at === index ? spoil(embed) : embed));
        const [path = '', code] = fault.includes(' ') ? fault.split(' ') : ['', fault];
        expect(faultsOf(spoiled)).toEqual([`${index}${path && `.${path}`} ${code}`]);
      }),
      { numRuns: 5 },
    );
  },
);

describe('all embeds of a message have at most 6,000 characters', () => {
  const places: ((text: string) => SentEmbed)[] = [
    (text) => ({ title: 'x', description: text }),
    (text) => ({ title: 'x', footer: { text } }),
    (text) => ({ title: 'x', fields: [{ name: 'x', value: text }] }),
    (text) => ({ title: text }),
    (text) => ({ title: 'x', author: { name: text } }),
    (text) => ({ title: 'x', fields: [{ name: text, value: 'x' }] }),
  ];

  test('in any field', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 5_990, max: 6_010 }),
        fc.constantFrom(...places),
        fc.constantFrom('a', '猫', '🦉', ' a'),
        (total, place, unit) => {
          const own = place(unit.repeat(100));
          const rest = total - 4_096 - charactersOf([own]);
          const embeds = [{ description: 'x'.repeat(4_096) }, own, { description: 'x'.repeat(rest) }];
          expect(charactersOf(embeds)).toBe(total);
          expect(faultsOf(embeds)).toEqual(total > 6_000 ? ['MAX_EMBED_SIZE_EXCEEDED'] : []);
        },
      ),
      { numRuns: 60 },
    );
  });
});
