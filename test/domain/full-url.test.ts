import { expect, test } from 'vitest';
import { fullUrl } from '../../src/domain/full-url.js';
import { parseInput } from '../../src/domain/parse-input.js';
import { faultsIn } from '../harness/faults-in.js';

const url = fullUrl('https:', 'http:');

const NO_URL = 'Must be a full URL that starts with https:// or http:// and contains a host.';
const CREDENTIALS = 'Must not contain a username or password.';

test.each([
  ['ftp://bot.example/', NO_URL],
  ['http:///x', NO_URL],
  ['ftp://user:pw@bot.example/', NO_URL],
  ['http://user:pw@bot.example/', CREDENTIALS],
  ['https://user@bot.example/', CREDENTIALS],
  ['https://:pw@bot.example/', CREDENTIALS],
])('%s is refused with a reason', (text, message) => {
  expect(faultsIn(url, text)).toEqual([{ path: '', code: 'URL_TYPE_INVALID_URL', message }]);
});

test.each([
  ['https://bot.example/a@b', 'https://bot.example/a@b'],
  ['', null],
])('%j is accepted', (text, expected) => {
  expect(parseInput(url, text)).toBe(expected);
});
