import { invalidInput } from '../domain/errors.js';
import { requestTooLarge } from './bodies.js';
import { decodeText } from './text.js';

export const URL_ENCODED = 'application/x-www-form-urlencoded';

/** The same limit as in multipart forms. */
const MAX_FIELDS = 50;

/**
 * `URLSearchParams` would replace invalid UTF-8 with U+FFFD.
 * @param charset of the percent-encoded bytes
 * @throws INVALID_INPUT for undecodable text and for JSON, which curl sends as a form by default; REQUEST_TOO_LARGE
 * beyond 50 fields
 */
export function urlEncodedFields(body: Buffer, charset?: string): [name: string, value: string][] {
  const pairs = body
    .toString('latin1')
    .split('&', MAX_FIELDS + 2)
    .filter(Boolean);
  if (/^\s*[{[]/.test(pairs[0] ?? '')) throw jsonAsForm();
  if (pairs.length > MAX_FIELDS) throw requestTooLarge();
  return pairs.map((pair) => {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    return [decoded(name, charset), decoded(value, charset)];
  });
}

function jsonAsForm() {
  return invalidInput({
    path: '',
    code: 'CONTENT_TYPE_INVALID',
    message:
      'The body is JSON, but its Content-Type says that it is a form. Send it with "Content-Type: application/json".',
  });
}

/** @param text one character per byte */
function decoded(text: string, charset?: string): string {
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return decodeText(Buffer.from(bytes, 'latin1'), charset, 'A form field');
}
