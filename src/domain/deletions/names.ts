import type { Prisma } from '../../infra/database/index.js';
import { DELETED_NAME } from './begin.js';

/** Part of the URL of an avatar, which must stay a URL. */
const IMAGE_HASH = /^[0-9a-f]{32}$/;
const NO_IMAGE = '0'.repeat(32);

/** An id, permissions or a time. A name can look like one, but replacing it would break the row. */
const NO_TEXT = /^(?:\d+|\d{4}-\d\d-\d\dT[\d:.]+Z)$/;
const KEY_OF_NAME = /name|nick/;

/** Replaces the names of a deleted person where they are whole words. */
export class Names {
  readonly #words: RegExp;

  constructor(names: readonly string[]) {
    // Longer ones first, because an address contains a name. A trace has the names as JSON.
    const all = [...new Set(names.flatMap((name) => [name, JSON.stringify(name).slice(1, -1)]))]
      .filter((name) => name.trim() !== '')
      .sort((a, b) => b.length - a.length)
      .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
    // Without names, it matches nothing.
    this.#words = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${all.join('|') || '(?!)'})(?![\\p{L}\\p{N}_])`, 'giu');
  }

  replaceIn(text: string): string {
    return text.replace(this.#words, (found) => (IMAGE_HASH.test(found) ? NO_IMAGE : DELETED_NAME));
  }

  /** Keeps keys, ids, times and types. @returns the value itself if nothing changed */
  replaceInJson(value: Prisma.JsonValue): Prisma.JsonValue {
    const before = JSON.stringify(value);
    const after = JSON.stringify(value, (key, part: unknown) => {
      if (typeof part !== 'string' || key === 'type') return part;
      return NO_TEXT.test(part) && !KEY_OF_NAME.test(key) ? part : this.replaceIn(part);
    });
    return before === after ? value : (JSON.parse(after) as Prisma.JsonValue);
  }
}
