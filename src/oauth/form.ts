import type { IncomingMessage } from 'node:http';
import { DomainError } from '../domain/errors.js';
import type { HeldBody } from '../http/bodies.js';
import { charsetOf, requireUncompressed } from '../http/text.js';
import { URL_ENCODED, urlEncodedFields } from '../http/url-encoded.js';

/** The most a form of this face may be, in bytes. */
const MAX_FORM_BYTES = 64 * 1024;

/**
 * Receives an `application/x-www-form-urlencoded` body.
 * @param held counts what has arrived; it is for whoever uses the form to release it
 * @throws INVALID_REQUEST for another content type and for a form that breaks off, INVALID_INPUT for one that is compressed or cannot be
 * decoded, REQUEST_TOO_LARGE, and what `held` throws
 */
export async function readForm(request: IncomingMessage, held: HeldBody): Promise<URLSearchParams> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== URL_ENCODED) throw new DomainError('INVALID_REQUEST', `The body must be ${URL_ENCODED}.`);
  requireUncompressed(request.headers);
  const chunks: Buffer[] = [];
  let size = 0;
  // What is left of a form that is refused is still received, so that its sender reads the answer.
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_FORM_BYTES) throw new DomainError('REQUEST_TOO_LARGE', 'The form is too large.');
      held.add(chunk.length);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    throw new DomainError('INVALID_REQUEST', 'The request ended before its body did.', { cause });
  }
  return new URLSearchParams(urlEncodedFields(Buffer.concat(chunks), charsetOf(request.headers['content-type'])));
}

/**
 * One parameter of a form; an empty one counts as missing (RFC 6749, section 3.2).
 * @throws INVALID_REQUEST for one that is repeated
 */
export function formValue(form: URLSearchParams, name: string): string | undefined {
  const values = form.getAll(name);
  if (values.length > 1) throw new DomainError('INVALID_REQUEST', `The parameter ${name} is repeated.`);
  return values[0] || undefined;
}
