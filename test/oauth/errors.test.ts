import { expect, test } from 'vitest';
import { DomainError, type ErrorCode } from '../../src/domain/errors.js';
import { renderOAuthError } from '../../src/oauth/errors.js';

test.each<[ErrorCode, number, string]>([
  ['INVALID_REQUEST', 400, 'invalid_request'],
  ['INVALID_CLIENT', 401, 'invalid_client'],
  ['INVALID_GRANT', 400, 'invalid_grant'],
  ['INVALID_SCOPE', 400, 'invalid_scope'],
  ['UNAUTHORIZED_CLIENT', 400, 'unauthorized_client'],
  ['UNSUPPORTED_GRANT_TYPE', 400, 'unsupported_grant_type'],
  ['UNSUPPORTED_RESPONSE_TYPE', 400, 'unsupported_response_type'],
  ['ACCESS_DENIED', 400, 'access_denied'],
  ['UNKNOWN_APPLICATION', 400, 'invalid_client'],
  ['REQUEST_TOO_LARGE', 413, 'invalid_request'],
  ['RATE_LIMITED', 429, 'temporarily_unavailable'],
  ['OVERLOADED', 503, 'temporarily_unavailable'],
])('%s becomes %i with the error %s', (code, status, error) => {
  expect(renderOAuthError(new DomainError(code, 'Why.'))).toEqual({ status, error, description: 'Why.' });
});

test('a refusal has its retry time if it is known; other errors are not rendered', () => {
  const refusal = new DomainError('RATE_LIMITED', 'Later.', { retryAfterMs: 1_001 });
  expect(renderOAuthError(refusal)?.retryAfter).toBe(2);
  expect(renderOAuthError(new Error('a fault'))).toBeNull();
});
