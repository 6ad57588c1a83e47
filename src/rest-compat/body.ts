import { type DomainError, invalidInput } from '../domain/errors.js';
import { type HeldBody, readText } from '../http/bodies.js';
import type { BodySource } from '../http/forms.js';
import type { BlobStore } from '../infra/blobs.js';
import { parseJson } from './json.js';
import { type ReceivedBody, readMultipart } from './multipart.js';

/** What a route says about its body. */
export interface BodyRules {
  /** The most it may be as JSON, in bytes. */
  maxJsonBytes: number;
}

/** What receiving a body uses. */
export interface Receiver {
  blobs: BlobStore;
  /** Counts what is kept in memory; it is for whoever uses the body to release it. */
  held: HeldBody;
  /** Whether the sender may send files at all; null where the body is JSON only. */
  admitFiles: (() => Promise<void>) | null;
  /** Begins a form with files. @returns what ends it @throws RATE_LIMITED when its sender is sending too many already */
  beginForm(): () => void;
}

/**
 * Receives a request's body: JSON, or where the route takes files multipart. No body at all is an empty object.
 * @throws INVALID_INPUT for another content type, INVALID_JSON, REQUEST_TOO_LARGE, RATE_LIMITED, OVERLOADED and what `readMultipart` throws
 */
export async function readBody(source: BodySource, receiver: Receiver, rules: BodyRules): Promise<ReceivedBody> {
  const { admitFiles } = receiver;
  const takesFiles = admitFiles !== null;
  const type = (source.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (admitFiles && type === 'multipart/form-data') {
    const end = receiver.beginForm();
    return readMultipart(source, { ...receiver, admitFiles }).finally(end);
  }
  if (type !== '' && type !== 'application/json') throw wrongContentType(takesFiles);
  const text = await readText(source.stream, rules.maxJsonBytes, receiver.held);
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
