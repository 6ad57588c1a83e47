import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { DomainError, invalidInput } from '../domain/errors.js';
import { type HeldBody, readBytes } from '../http/bodies.js';
import { charsetOf, decodeText, requireUncompressed } from '../http/text.js';
import { URL_ENCODED, urlEncodedFields } from '../http/url-encoded.js';
import type { Release } from '../infra/slots.js';
import { parseJson } from './json.js';
import { type FormReceiver, type ReceivedBody, readMultipart, valueOfForm } from './multipart.js';
import type { RestRequest } from './request.js';
import type { Route } from './route.js';

/** What a row says of its body. */
export type BodyRow = Pick<Route, 'admitFiles' | 'jsonBounds' | 'maxJsonBytes'>;

/** How a body is received. */
export interface BodyReceiver {
  /** What says which types, sizes and fields it may have. */
  row: BodyRow;
  /** Counts what is kept in memory; it is for whoever uses the body to release it. */
  held: HeldBody;
  /** Receives a form with files; null where the body is JSON only. */
  form: Omit<FormReceiver, 'held'> | null;
  /** Begins a form. @returns what ends it @throws RATE_LIMITED when its sender is sending too many already */
  beginForm(): Release;
}

/**
 * Receives a request's body: JSON, a form of fields, or where the route takes files multipart. No body at all is an empty object, whatever
 * type it is said to have: discord.py's library sends nothing as `application/octet-stream`.
 * @throws INVALID_INPUT for another content type and for text that cannot be decoded, INVALID_JSON, REQUEST_TOO_LARGE, RATE_LIMITED, OVERLOADED
 * and what `readMultipart` throws
 */
export async function readBody(
  { headers, body }: Pick<RestRequest, 'headers' | 'body'>,
  { row, held, form, beginForm }: BodyReceiver,
): Promise<ReceivedBody> {
  const stream = streamOf(body);
  if (form && mediaType(headers['content-type']) === FORM) {
    const end = beginForm();
    return readMultipart({ headers, stream }, { ...form, held }).finally(end);
  }
  if (headers['content-length'] === '0' || isNothing(body)) return { value: {}, files: [] };
  requireKnownType(headers, row);
  const bytes = await readBytes(stream, row.maxJsonBytes, held);
  return { value: parseBody(headers, bytes, row), files: [] };
}

/**
 * The value of a body that was received whole and is not multipart.
 * @throws INVALID_INPUT, INVALID_JSON, REQUEST_TOO_LARGE
 */
export function parseBody(headers: IncomingHttpHeaders, bytes: Buffer, row: BodyRow): unknown {
  requireKnownType(headers, row);
  const charset = charsetOf(headers['content-type']);
  const type = mediaType(headers['content-type']);
  if (type === URL_ENCODED) return valueOfForm(urlEncodedFields(bytes, charset));
  const text = decodeText(bytes, charset);
  if (text.trim() === '') return {};
  if (type === '') throw wrongContentType(row);
  // Text of JSON never has it, and UTF-16 without a byte order mark has it after every letter of ASCII.
  if (text.includes('\u0000')) throw new DomainError('INVALID_JSON', HOLDS_NULL);
  return parseJson(text, row.jsonBounds);
}

const HOLDS_NULL =
  'The request body holds U+0000. Send it in UTF-8, or name its charset, such as "application/json; charset=utf-16le".';

/** Of a body without a type nobody knows before it was read whether it is one. */
function requireKnownType(headers: IncomingHttpHeaders, row: BodyRow): void {
  requireUncompressed(headers);
  const type = mediaType(headers['content-type']);
  if (type !== '' && type !== 'application/json' && type !== URL_ENCODED) throw wrongContentType(row);
}

/** The type of a form with files. */
export const FORM = 'multipart/form-data';

/** The type that a `Content-Type` header names, without its parameters; empty for none. */
export function mediaType(header: string | null | undefined): string {
  return header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** What a cloud hands over without a body has no length said. */
function isNothing(body: RestRequest['body']): boolean {
  return !(body instanceof Readable) && body.length === 0;
}

export function streamOf(body: RestRequest['body']): Readable {
  return body instanceof Readable ? body : Readable.from(body.length > 0 ? [body] : []);
}

/** The refusal of a body whose `Content-Type` is not one of those the route takes. */
function wrongContentType({ admitFiles }: BodyRow): DomainError {
  const types = ['application/json', URL_ENCODED, ...(admitFiles ? [FORM] : [])];
  const expected = types.map((type) => `"${type}"`).join(', ');
  return invalidInput({
    path: '',
    code: 'CONTENT_TYPE_INVALID',
    message: `Expected "Content-Type" header to be one of {${expected}}.`,
  });
}
