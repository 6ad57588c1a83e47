/** Text that a database or a parser may refuse, and text that looks like an id. */
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

export const HOSTILE_OTHERS = [null, true, -1, 1.5, 2 ** 53, [], {}, [null], { a: '\u0000' }];

/** Time limit of a test of every field, in milliseconds. It sends a thousand requests. */
export const EVERY_FIELD_MS = 180_000;
