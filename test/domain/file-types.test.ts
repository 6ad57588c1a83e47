import { describe, expect, it } from 'vitest';
import { isOfType } from '../../src/domain/file-types.js';

describe('a file', () => {
  it.each<[string, string, string[] | undefined, boolean]>([
    ['is anything where no type is asked for', 'a', undefined, true],
    ['is anything where no types are asked for', 'a', [], true],
    ['is of a group by its extension', 'a.png', ['image'], true],
    ['is of a group in capitals, too', 'A.JPEG', ['image'], true],
    ['is of another group', 'a.png', ['video', 'audio'], false],
    ['is of one of several types', 'a.pdf', ['image', '.pdf'], true],
    ['is of an extension with dots', 'a.tar.gz', ['.tar.gz'], true],
    ['is not of an extension that stands elsewhere in its name', 'a.pdf.exe', ['.pdf'], false],
    ['is not of an extension without its dot', 'apdf', ['.pdf'], false],
    ['is of no type without an extension', 'image', ['image'], false],
  ])('%s', (_rule, filename, types, expected) => {
    expect(isOfType(filename, types)).toBe(expected);
  });
});
