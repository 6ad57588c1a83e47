import { parse } from 'lossless-json';
import { DomainError } from '../domain/errors.js';
import { isWithinBounds, JSON_BOUNDS, type JsonBounds, JsonBoundsError } from '../infra/bounded-json.js';

/** A whole number that a double cannot hold to its last digit, anywhere in the text (even inside a string: then it only costs time). */
const LONG_INTEGER = /\d{16}/;

/**
 * Text longer than this, several times the largest message, is parsed natively: a parser in JavaScript would take ten times as long, and
 * up to a third of a second. Long integers are put in quotes before.
 */
const MAX_LOSSLESS_LENGTH = 64 * 1024;

/**
 * A string of JSON, or a whole number that a double might not hold to its last digit and that is no key. A string without an end reaches
 * to the end of the text, so that no character is looked at twice.
 */
const STRING_OR_LONG_INTEGER = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|(?<![\w.+-])-?[1-9]\d{15,39}(?![\d.eE]|\s*:)/g;

/**
 * Parses JSON without losing digits: some libraries send ids as numbers beyond 2^53, which become bigints here, or text in a long body.
 * @throws INVALID_JSON, also beyond the bounds
 */
export function parseJson(text: string, bounds: JsonBounds = JSON_BOUNDS): unknown {
  if (!isWithinBounds(text, bounds)) throw beyondBounds(bounds);
  try {
    if (!LONG_INTEGER.test(text)) return JSON.parse(text);
    return text.length <= MAX_LOSSLESS_LENGTH
      ? parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue })
      : JSON.parse(text.replace(STRING_OR_LONG_INTEGER, inQuotes));
  } catch (error) {
    throw new DomainError('INVALID_JSON', 'The request body contains invalid JSON.', { cause: error });
  }
}

function inQuotes(token: string): string {
  const isText = token.startsWith('"') || Number.isSafeInteger(Number(token));
  return isText ? token : `"${token}"`;
}

function beyondBounds(bounds: JsonBounds): DomainError {
  const cause = new JsonBoundsError(bounds);
  return new DomainError('INVALID_JSON', cause.message, { cause });
}

/** Whole numbers of this many digits may be ids, if unknown ones; longer ones are only numbers. */
const MAX_ID_DIGITS = 40;

function parseNumber(text: string): number | bigint {
  const number = Number(text);
  const isLongId = text.length <= MAX_ID_DIGITS && /^-?\d+$/.test(text) && !Number.isSafeInteger(number);
  return isLongId ? BigInt(text) : number;
}
