import { invalidInput } from '../domain/errors.js';
import { limits } from '../domain/limits.js';

const HEADER = 'X-Audit-Log-Reason';

/**
 * The caller's reason for a change, URL-encoded UTF-8 in the header `X-Audit-Log-Reason` (Discord's documentation, API Reference); null for none.
 * @throws INVALID_INPUT beyond 512 characters
 */
export function readAuditReason(header: string | string[] | undefined): string | null {
  const text = decode(String(header ?? '')).trim();
  if (text === '') return null;
  if (text.length > limits.auditReason || text.includes('\u0000')) {
    throw invalidInput({
      path: HEADER,
      code: 'BASE_TYPE_BAD_LENGTH',
      message: `Must be between 1 and ${limits.auditReason} in length, URL-encoded, without U+0000.`,
    });
  }
  return text.toWellFormed();
}

/** Some callers forget to encode: their text is taken as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
