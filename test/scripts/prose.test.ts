import { describe, expect, test } from 'vitest';
import { countWords, faultsOf, sentencesOf } from '../../scripts/prose/rules.js';
import { textsOfSchema, textsOfSource } from '../../scripts/prose/texts.js';

const faultsIn = (text: string, kind: 'comment' | 'title' = 'comment') => faultsOf({ kind, text });

const REFUSED: [text: string, fault: RegExp][] = [
  ['Who signs in with a wrong password is refused.', /no subject/],
  ['The message is sent. Whoever reads it sees the time.', /no subject/],
  ['The event is published to everybody.', /"everybody"/],
  ['The guild is told of it.', /"told"/],
  ['The session is made anew.', /"anew"/],
  ['It stands beside the table.', /"beside"/],
  ['Other calls wait meanwhile.', /"meanwhile"/],
  [`The store ${'very '.repeat(29)}slowly.`, /has 32 words/],
];

describe('the prose check', () => {
  test.each(REFUSED)('refuses %j', (text, fault) => {
    expect(faultsIn(text)).toEqual([expect.stringMatching(fault)]);
  });

  test.each([
    'Returns the caller, or null if the request has no credential.',
    'Who signed in?',
    'Calls `tell(somebody)`.',
    `The store ${'very '.repeat(27)}slowly.`,
    `${'The store is slow. '.repeat(10)}`,
  ])('accepts %j', (text) => {
    expect(faultsIn(text)).toEqual([]);
  });

  test('accepts a title without a subject, because its group has one', () => {
    expect(faultsIn('What a bot sent is kept', 'title')).toEqual([]);
  });

  test('splits sentences at full stops, but not in code, numbers and abbreviations', () => {
    expect(sentencesOf('Use `a. B` in 1.5 s, e.g. Tuesday. Then stop!')).toEqual([
      'Use `a. B` in 1.5 s, e.g Tuesday.',
      'Then stop!',
    ]);
  });

  test('counts code and links as one word each', () => {
    expect(countWords('See [the page](https://example.org/a b) and `a b c`.')).toBe(5);
  });

  test('reads comments by paragraph, without tags, and strings that look like a sentence', () => {
    const source = [
      '// First line,',
      '// second line.',
      '/**',
      ' * Sends it.',
      ' * @param to the one who gets it',
      ' */',
      "const texts = ['one-word', 'Two words here', `SELECT a FROM b`];",
      '// biome-ignore lint: not prose',
    ].join('\n');
    expect(textsOfSource('src/a.ts', source)).toEqual([
      { kind: 'comment', file: 'src/a.ts', line: 1, text: 'First line, second line.' },
      { kind: 'comment', file: 'src/a.ts', line: 4, text: 'Sends it.' },
      { kind: 'comment', file: 'src/a.ts', line: 5, text: 'the one who gets it' },
      { kind: 'string', file: 'src/a.ts', line: 7, text: 'Two words here' },
    ]);
  });

  test('reads comments of a Prisma schema, and no slashes within a string', () => {
    const source = [
      '// First line,',
      '// second line.',
      'model User {',
      '  /// In seconds.',
      '  age Int @default(0)',
      '  home String @default("https://chat.example") /// The "home" page.',
      '}',
    ].join('\n');
    expect(textsOfSchema('a.prisma', source)).toEqual([
      { kind: 'comment', file: 'a.prisma', line: 1, text: 'First line, second line.' },
      { kind: 'comment', file: 'a.prisma', line: 4, text: 'In seconds.' },
      { kind: 'comment', file: 'a.prisma', line: 6, text: 'The "home" page.' },
    ]);
  });

  test('finds titles of tests, also in a call and in a table', () => {
    const source = [
      "it('one title', () => {});",
      "describe.skipIf(missing)(needing(missing, 'another title'), () => {});",
      "test.each([['its first label', 'not a label'], ['word', 1]])('a third title: %s', () => {});",
    ].join('\n');
    const titles = textsOfSource('test/a.test.ts', source).map(({ text }) => text);
    expect(titles.toSorted()).toEqual(['a third title: %s', 'another title', 'its first label', 'one title']);
  });
});
