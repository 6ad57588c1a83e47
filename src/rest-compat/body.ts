import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { DomainError, invalidInput } from '../domain/errors.js';
import { type HeldBody, readBytes } from '../http/bodies.js';
import { charsetOf, decodeText, requireUncompressed } from '../http/text.js';
import { URL_ENCODED, urlEncodedFields } from '../http/url-encoded.js';
import type { Release } from '../infra/concurrency/semaphore.js';
import { parseJson } from './json.js';
import { type FormReceiver, type ReceivedBody, readMultipart, valueOfForm } from './multipart.js';
import type { RestRequest } from './request.js';
import type { Route } from './route.js';

export type BodyRow = Pick<Route, 'admitFiles' | 'jsonBounds' | 'maxJsonBytes'>;

export interface BodyReceiver {
  row: BodyRow;
  /** Code that consumes the body must release it. */
  held: HeldBody;
  /** Null if the body is JSON only. */
  form: Omit<FormReceiver, 'held'> | null;
  /** @throws RATE_LIMITED if the sender has too many forms in progress */
  beginForm(): Release;
}

/**
 * Reads a JSON or URL-encoded body, or a multipart form if the route accepts files. An empty body of any type is an
 * empty object: discord.py sends it as `application/octet-stream`.
 * @throws INVALID_INPUT for another content type or undecodable text, INVALID_JSON, REQUEST_TOO_LARGE, RATE_LIMITED,
 * OVERLOADED and what `readMultipart` throws
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

/** @throws INVALID_INPUT, INVALID_JSON, REQUEST_TOO_LARGE */
export function parseBody(headers: IncomingHttpHeaders, bytes: Buffer, row: BodyRow): unknown {
  requireKnownType(headers, row);
  const charset = charsetOf(headers['content-type']);
  const type = mediaType(headers['content-type']);
  if (type === URL_ENCODED) return valueOfForm(urlEncodedFields(bytes, charset));
  const text = decodeText(bytes, charset);
  if (text.trim() === '') return {};
  if (type === '') throw wrongContentType(row);
  // JSON never contains U+0000, but in UTF-16 every ASCII character does.
  if (text.includes('\u0000')) throw new DomainError('INVALID_JSON', HOLDS_NULL);
  return parseJson(text, row.jsonBounds);
}

const HOLDS_NULL =
  'The request body contains U+0000. Send it in UTF-8, or name its charset, such as "application/json; charset=utf-16le".';

/** Accepts a missing type, because the body may be empty. */
function requireKnownType(headers: IncomingHttpHeaders, row: BodyRow): void {
  requireUncompressed(headers);
  const type = mediaType(headers['content-type']);
  if (type !== '' && type !== 'application/json' && type !== URL_ENCODED) throw wrongContentType(row);
}

export const FORM = 'multipart/form-data';

/** In lower case, without parameters; empty for none. */
export function mediaType(header: string | null | undefined): string {
  return header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The cloud forwards an empty body without a content length. */
function isNothing(body: RestRequest['body']): boolean {
  return !(body instanceof Readable) && body.length === 0;
}

export function streamOf(body: RestRequest['body']): Readable {
  return body instanceof Readable ? body : Readable.from(body.length > 0 ? [body] : []);
}

function wrongContentType({ admitFiles }: BodyRow): DomainError {
  const types = ['application/json', URL_ENCODED, ...(admitFiles ? [FORM] : [])];
  const expected = types.map((type) => `"${type}"`).join(', ');
  return invalidInput({
    path: '',
    code: 'CONTENT_TYPE_INVALID',
    message: `Expected "Content-Type" header to be one of {${expected}}.`,
  });
}
