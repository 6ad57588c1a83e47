import { parse } from 'lossless-json';
import { DomainError } from '../domain/errors.js';
import { isWithinBounds, JSON_BOUNDS, type JsonBounds, JsonBoundsError } from '../infra/network/bounded-json.js';

/** An integer that may exceed a double. A match in a string only costs time. */
const LONG_INTEGER = /\d{16}/;

/**
 * Longer text is parsed natively, with long integers quoted first. A JavaScript parser takes ten times as long, up to a
 * third of a second.
 */
const MAX_LOSSLESS_LENGTH = 64 * 1024;

/**
 * A string, or a long integer that is not a key. An unterminated string extends to the end, so that the regex reads
 * each character only once.
 */
const STRING_OR_LONG_INTEGER = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|(?<![\w.+-])-?[1-9]\d{15,39}(?![\d.eE]|\s*:)/g;

/**
 * Parses JSON without losing digits of ids beyond 2^53. They become bigints, or strings in long text.
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

/** Longer integers cannot be ids. */
const MAX_ID_DIGITS = 40;

function parseNumber(text: string): number | bigint {
  const number = Number(text);
  const isLongId = text.length <= MAX_ID_DIGITS && /^-?\d+$/.test(text) && !Number.isSafeInteger(number);
  return isLongId ? BigInt(text) : number;
}
