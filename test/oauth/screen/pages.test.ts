import { expect, test } from 'vitest';
import { DomainError, type ErrorCode } from '../../../src/domain/errors.js';
import { statusOf } from '../../../src/oauth/screen/pages.js';

test.each<[ErrorCode, number]>([
  ['FORBIDDEN', 403],
  ['REQUEST_TOO_LARGE', 413],
  ['RATE_LIMITED', 429],
  ['OVERLOADED', 503],
  ['INVALID_INPUT', 400],
])('%s makes a page of status %i', (code, status) => {
  expect(statusOf(new DomainError(code, ''))).toBe(status);
});
