import type { IncomingMessage } from 'node:http';
import { DomainError } from '../domain/errors.js';
import type { HeldBody } from '../http/bodies.js';
import { charsetOf, requireUncompressed } from '../http/text.js';
import { URL_ENCODED, urlEncodedFields } from '../http/url-encoded.js';

const MAX_FORM_BYTES = 64 * 1024;

/**
 * @param held counts the bytes; the caller releases it
 * @throws INVALID_REQUEST for another content type or an interrupted body, INVALID_INPUT, REQUEST_TOO_LARGE, and the
 * errors of `held`
 */
export async function readForm(request: IncomingMessage, held: HeldBody): Promise<URLSearchParams> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== URL_ENCODED) throw new DomainError('INVALID_REQUEST', `The body must be ${URL_ENCODED}.`);
  requireUncompressed(request.headers);
  const chunks: Buffer[] = [];
  let size = 0;
  // Also receives refused forms, so that the sender can read the response.
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_FORM_BYTES) throw new DomainError('REQUEST_TOO_LARGE', 'The form must be at most 64 KiB.');
      held.add(chunk.length);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    throw new DomainError('INVALID_REQUEST', 'The request ended before its body was complete.', { cause });
  }
  return new URLSearchParams(urlEncodedFields(Buffer.concat(chunks), charsetOf(request.headers['content-type'])));
}

/**
 * Undefined for a missing or empty parameter (RFC 6749, section 3.2).
 * @throws INVALID_REQUEST for a repeated one
 */
export function formValue(form: URLSearchParams, name: string): string | undefined {
  const values = form.getAll(name);
  if (values.length > 1) throw new DomainError('INVALID_REQUEST', `The parameter ${name} must appear only once.`);
  return values[0] || undefined;
}
