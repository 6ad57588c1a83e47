import { describe, expect, it } from 'vitest';
import { originOf } from '../../src/http/origins.js';

const PUBLIC = 'https://chat.example';
const LOCAL = 'http://localhost:3000';

describe('the origin of a request', () => {
  it.each([
    [PUBLIC, 'https://chat.example', 'trusted'],
    [`${PUBLIC}/`, 'https://chat.example', 'trusted'],
    [`${PUBLIC}:443`, 'https://chat.example', 'trusted'],
    [PUBLIC, 'http://chat.example', 'foreign'],
    [PUBLIC, 'https://chat.example:8443', 'foreign'],
    [PUBLIC, 'https://evil.chat.example', 'foreign'],
    [PUBLIC, 'https://chat.example.evil', 'foreign'],
    [PUBLIC, 'null', 'foreign'],
    [PUBLIC, '', 'foreign'],
    [PUBLIC, 'https://localhost', 'foreign'],
    [LOCAL, 'http://localhost:3000', 'trusted'],
    [LOCAL, 'http://127.0.0.1:3000', 'trusted'],
    [LOCAL, 'http://[::1]:3000', 'trusted'],
    [LOCAL, 'http://localhost:3001', 'foreign'],
    [LOCAL, 'http://localhost', 'foreign'],
    [LOCAL, 'https://localhost:3000', 'foreign'],
    [LOCAL, 'http://192.0.2.1:3000', 'foreign'],
    ['http://127.0.0.1', 'http://localhost', 'trusted'],
    ['http://[::1]:8080', 'http://127.0.0.1:8080', 'trusted'],
  ])('at %s with the value %s is %s', (publicUrl, origin, expected) => {
    expect(originOf(publicUrl, { origin })).toBe(expected);
    expect(originOf(publicUrl, { origin, 'sec-fetch-site': 'cross-site' })).toBe(expected);
  });

  it.each([
    [undefined, 'unstated'],
    ['same-origin', 'unstated'],
    ['none', 'unstated'],
    ['same-site', 'unstated'],
    ['cross-site', 'foreign'],
  ])('without an Origin header and with Sec-Fetch-Site %s is %s', (site, expected) => {
    expect(originOf(PUBLIC, site === undefined ? {} : { 'sec-fetch-site': site })).toBe(expected);
  });
});
