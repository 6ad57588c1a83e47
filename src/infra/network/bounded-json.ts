/** Every list entry and every object member is a value. */
export interface JsonBounds {
  depth: number;
  values: number;
}

/** Enough for any message, response or form. Parsing such a text takes a few milliseconds. */
export const JSON_BOUNDS: JsonBounds = { depth: 64, values: 10_000 };

/** Enough for all commands of an application, whose choices are dense: `{"name":"a","value":1},` is three values. */
export const COMMAND_JSON_BOUNDS: JsonBounds = { depth: 64, values: 140_000 };

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Checks the bounds before parsing, because a megabyte of brackets takes a hundred times as long as a megabyte of text.
 * @throws JsonBoundsError beyond the bounds; SyntaxError for text that is not JSON
 */
export function parseBounded(text: string, bounds: JsonBounds = JSON_BOUNDS): unknown {
  if (!isWithinBounds(text, bounds)) throw new JsonBoundsError(bounds);
  return JSON.parse(text);
}

/** The message may be shown to the sender. */
export class JsonBoundsError extends RangeError {
  override readonly name = 'JsonBoundsError';

  constructor({ depth, values }: JsonBounds) {
    super(`JSON may nest at most ${depth} levels deep and have at most ${values} values.`);
  }
}

/** Counts brackets and commas outside of strings in one pass, without parsing. */
export function isWithinBounds(text: string, bounds: JsonBounds): boolean {
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        depth += 1;
        values += 1;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        break;
    }
    if (depth > bounds.depth || values > bounds.values) return false;
  }
  return true;
}

/** Index of the closing quote, or the length of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    if (backslashesBefore(text, end) % 2 === 0) return end;
  }
  return text.length;
}

function backslashesBefore(text: string, end: number): number {
  let start = end;
  while (text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return end - start;
}
