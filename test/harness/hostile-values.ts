/** Text that a database or a parser may not take, and text that looks like an id and is none. */
export const HOSTILE_TEXTS = [
  '',
  'a\u0000b',
  'text \ud800 text',
  'https://a.example/\ud800',
  'https://a.example/\u0000',
  'com.example.app:/\udfff',
  '-1',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '9'.repeat(40),
  '<@99999999999999999999> <@&99999999999999999999> <#99999999999999999999>',
  'x'.repeat(5_000),
];

/** What is no text, where text or another thing is expected. */
export const HOSTILE_OTHERS = [null, true, -1, 1.5, 2 ** 53, [], {}, [null], { a: '\u0000' }];

/** How long a test of every field may take, in milliseconds: it asks a thousand times. */
export const EVERY_FIELD_MS = 180_000;
