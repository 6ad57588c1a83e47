import { invalidInput } from '../domain/errors.js';
import { limits } from '../domain/limits.js';
import type { RestQuery } from './request.js';

const HEADER = 'X-Audit-Log-Reason';

/**
 * Header `X-Audit-Log-Reason` in URL-encoded UTF-8 (Discord's documentation, API Reference).
 * @throws INVALID_INPUT beyond 512 characters
 */
export function readAuditReason(header: string | string[] | undefined): string | null {
  return checked(decode(String(header ?? '')), { path: HEADER, rule: 'URL-encoded and without U+0000' });
}

/**
 * `reason` in the query or the body, which version 9 also accepts.
 * @throws INVALID_INPUT beyond 512 characters
 */
export function readReasonField(query: RestQuery, body: unknown): string | null {
  const inBody: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'reason') : null;
  const stated = query.reason ?? inBody;
  return typeof stated === 'string' ? checked(stated, { path: 'reason', rule: 'and must not contain U+0000' }) : null;
}

function checked(stated: string, { path, rule }: { path: string; rule: string }): string | null {
  const text = stated.trim();
  if (text === '') return null;
  if (text.length > limits.auditReason || text.includes('\u0000')) {
    throw invalidInput({
      path,
      code: 'BASE_TYPE_BAD_LENGTH',
      message: `Must be between 1 and ${limits.auditReason} in length, ${rule}.`,
    });
  }
  return text.toWellFormed();
}

/** Some callers do not encode the header. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
