import { type DomainError, invalidInput } from '../domain/errors.js';
import type { BlobStore } from '../infra/blobs.js';
import { parseJson } from './json.js';
import { type BodySource, type ReceivedBody, readMultipart } from './multipart.js';
import { readText } from './text.js';

/** What a route says about its body. */
export interface BodyRules {
  /** Whether it may be multipart with files. */
  files: boolean;
  /** The most it may be as JSON, in bytes. */
  maxJsonBytes: number;
}

/**
 * Receives a request's body: JSON, or where the route takes files multipart. No body at all is an empty object.
 * @throws INVALID_INPUT for another content type, INVALID_JSON, REQUEST_TOO_LARGE and what `readMultipart` throws
 */
export async function readBody(source: BodySource, blobs: BlobStore, rules: BodyRules): Promise<ReceivedBody> {
  const takesFiles = rules.files;
  const type = (source.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (takesFiles && type === 'multipart/form-data') return readMultipart(source, blobs);
  if (type !== '' && type !== 'application/json') throw wrongContentType(takesFiles);
  const text = await readText(source.stream, rules.maxJsonBytes);
  if (text.trim() === '') return { value: {}, files: [] };
  if (type === '') throw wrongContentType(takesFiles);
  return { value: parseJson(text), files: [] };
}

/** The refusal of a body whose `Content-Type` is not one of those the route takes. */
export function wrongContentType(takesFiles: boolean): DomainError {
  const expected = takesFiles ? '"application/json", "multipart/form-data"' : '"application/json"';
  return invalidInput({
    path: '',
    code: 'CONTENT_TYPE_INVALID',
    message: `Expected "Content-Type" header to be one of {${expected}}.`,
  });
}
