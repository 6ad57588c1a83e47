import { Readable } from 'node:stream';
import { type DomainError, invalidInput } from '../domain/errors.js';
import { type HeldBody, readText } from '../http/bodies.js';
import type { JsonBounds } from '../infra/bounded-json.js';
import type { Release } from '../infra/slots.js';
import { parseJson } from './json.js';
import { type FormReceiver, type ReceivedBody, readMultipart } from './multipart.js';
import type { RestRequest } from './request.js';

/** How a body is received. */
export interface BodyReceiver {
  /** The most it may be as JSON, in bytes. */
  maxJsonBytes: number;
  /** How deep the JSON may nest, and how many values it may have. */
  jsonBounds: JsonBounds;
  /** Counts what is kept in memory; it is for whoever uses the body to release it. */
  held: HeldBody;
  /** Receives a form with files; null where the body is JSON only. */
  form: Omit<FormReceiver, 'held'> | null;
  /** Begins a form. @returns what ends it @throws RATE_LIMITED when its sender is sending too many already */
  beginForm(): Release;
}

/**
 * Receives a request's body: JSON, or where the route takes files multipart. No body at all is an empty object, whatever type it is said
 * to have: discord.py's library sends nothing as `application/octet-stream`.
 * @throws INVALID_INPUT for another content type, INVALID_JSON, REQUEST_TOO_LARGE, RATE_LIMITED, OVERLOADED and what `readMultipart` throws
 */
export async function readBody(
  { headers, body }: Pick<RestRequest, 'headers' | 'body'>,
  { maxJsonBytes, jsonBounds, held, form, beginForm }: BodyReceiver,
): Promise<ReceivedBody> {
  const type = mediaType(headers['content-type']);
  const stream = streamOf(body);
  if (form && type === FORM) {
    const end = beginForm();
    return readMultipart({ headers, stream }, { ...form, held }).finally(end);
  }
  if (headers['content-length'] === '0' || isNothing(body)) return { value: {}, files: [] };
  if (type !== '' && type !== 'application/json') throw wrongContentType(form !== null);
  const text = await readText(stream, maxJsonBytes, held);
  if (text.trim() === '') return { value: {}, files: [] };
  if (type === '') throw wrongContentType(form !== null);
  return { value: parseJson(text, jsonBounds), files: [] };
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
function wrongContentType(takesFiles: boolean): DomainError {
  const expected = takesFiles ? '"application/json", "multipart/form-data"' : '"application/json"';
  return invalidInput({
    path: '',
    code: 'CONTENT_TYPE_INVALID',
    message: `Expected "Content-Type" header to be one of {${expected}}.`,
  });
}
