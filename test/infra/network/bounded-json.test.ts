import { describe, expect, it } from 'vitest';
import { JSON_BOUNDS, JsonBoundsError, parseBounded } from '../../../src/infra/network/bounded-json.js';

const { depth, values } = JSON_BOUNDS;

describe('the parser of bounded JSON (docs/relay.md, R-2)', () => {
  it.each([
    ['{}', {}],
    ['["a\\"],[","\\\\",{"b":[1,2]}]', ['a"],[', '\\', { b: [1, 2] }]],
    [JSON.stringify('['.repeat(1_000)), '['.repeat(1_000)],
    ['['.repeat(depth) + ']'.repeat(depth), expect.anything()],
    [`[${'"é",'.repeat(values - 1)}1]`, expect.anything()],
  ])('parses %#', (text, value) => {
    expect(parseBounded(text)).toEqual(value);
  });

  it.each([
    ['one level too deep', '['.repeat(depth + 1) + ']'.repeat(depth + 1), JsonBoundsError],
    ['one level too deep in objects', '{"a":'.repeat(depth + 1), JsonBoundsError],
    ['one value too many', `[${'1,'.repeat(values)}1]`, JsonBoundsError],
    ['too many lists in a flat list', `[${'[],'.repeat(values)}1]`, JsonBoundsError],
    ['cut within a string', '["abc', SyntaxError],
    ['empty', '', SyntaxError],
  ])('refuses text that is %s', (_what, text, error) => {
    expect(() => parseBounded(text)).toThrow(error);
  });
});
