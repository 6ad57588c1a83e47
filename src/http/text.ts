import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { type DomainError, invalidInput } from '../domain/errors.js';

/**
 * Decodes untrusted text and removes a byte order mark, which overrides `charset`
 * (https://encoding.spec.whatwg.org/#decode). Never inserts U+FFFD.
 * @param charset a label of the Encoding Standard
 * @throws INVALID_INPUT for invalid bytes and unknown charsets
 */
export function decodeText(bytes: Buffer, charset = 'utf-8', what = 'The body'): string {
  const label = charsetOfMark(bytes) ?? charset.toLowerCase();
  if (label !== 'utf-8' && label !== 'utf8') return decodeOther(bytes, label, what);
  if (!isUtf8(bytes)) throw notText(isGzip(bytes) ? `${what} is compressed. Send it uncompressed.` : notUtf8(what));
  return bytes.toString().replace(/^\ufeff/, '');
}

export function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1];
}

/** @throws INVALID_INPUT */
export function requireUncompressed(headers: IncomingHttpHeaders): void {
  const { 'content-encoding': coding = '' } = headers;
  if (/^\s*(identity)?\s*$/i.test(coding)) return;
  throw invalidInput({
    path: '',
    code: 'CONTENT_ENCODING_INVALID',
    message: `Content-Encoding "${coding.slice(0, 40)}" is not supported. Send the body uncompressed.`,
  });
}

export function partNotUtf8(name: string): DomainError {
  return notText(notUtf8(`The part "${name.slice(0, 40)}"`));
}

function notUtf8(what: string): string {
  return `${what} is not valid UTF-8. Send it in UTF-8, or name its charset in Content-Type.`;
}

function notText(message: string): DomainError {
  return invalidInput({ path: '', code: 'BASE_TYPE_INVALID', message });
}

function decodeOther(bytes: Buffer, charset: string, what: string): string {
  const decoder = decoderOf(charset);
  if (!decoder) throw notText(`The charset "${charset.slice(0, 40)}" is unknown. Send UTF-8.`);
  try {
    return decoder.decode(bytes);
  } catch {
    throw notText(`${what} is not valid ${charset.slice(0, 40)}.`);
  }
}

/** Null for an unknown label. */
function decoderOf(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return null;
  }
}

function charsetOfMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
