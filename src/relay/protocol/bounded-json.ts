/** How deep objects and lists may stand in each other in JSON of the other end, and how many values there may be (docs/relay.md, R-2). */
export interface JsonBounds {
  depth: number;
  values: number;
}

/** Of a message: each is read at once, and there is no end to them. */
export const MESSAGE_BOUNDS: JsonBounds = { depth: 64, values: 10_000 };

/** Of an answer's body: a list of many members, or a guild with all of its channels. */
export const ANSWER_BOUNDS: JsonBounds = { depth: 64, values: 200_000 };

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Parses JSON of somebody who may want it to take long: a megabyte of brackets takes a hundred times as long as one of text, during which nobody
 * else is heard. What is beyond the bounds is found without being parsed.
 * @throws RangeError beyond the bounds; SyntaxError for what is no JSON
 */
export function parseBounded(bytes: Buffer, bounds: JsonBounds): unknown {
  if (!isWithinBounds(bytes, bounds)) throw new RangeError('JSON that is too deep, or has too many values');
  return JSON.parse(bytes.toString());
}

/** Whether text has no more brackets and commas outside of strings than the bounds allow. */
export function isWithinBounds(bytes: Buffer, bounds: JsonBounds): boolean {
  let [depth, values] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    else if (byte !== COMMA) continue;
    if (byte !== QUOTE && !CLOSING.has(byte)) values += 1;
    if (depth > bounds.depth || values > bounds.values) return false;
  }
  return true;
}

/** Where the string ends that begins at a place: at its second quote, or where the text ends. */
function endOfString(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    if (backslashesBefore(bytes, end) % 2 === 0) return end;
  }
  return bytes.length;
}

function backslashesBefore(bytes: Buffer, end: number): number {
  let start = end;
  while (bytes[start - 1] === BACKSLASH) start -= 1;
  return end - start;
}
