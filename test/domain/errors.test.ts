import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import { describe, expect, test } from 'vitest';
import {
  DomainError,
  type ErrorCode,
  missingPermissions,
  refusalIn,
  refusalOfRequest,
} from '../../src/domain/errors.js';
import { countedAs, dividedKey, takeLimit, takePoints } from '../../src/domain/rate-limits.js';
import { DatabaseUnavailable } from '../../src/infra/database/faults.js';
import type { User } from '../../src/infra/database/index.js';
import { createRateLimits } from '../../src/infra/rate-limits.js';

describe('a domain error', () => {
  test('has the message of its code, unless another one is given', () => {
    expect(new DomainError('UNKNOWN_ROLE')).toMatchObject({ kind: 'notFound', message: 'Unknown Role', fields: [] });
    expect(new DomainError('CONFLICT', 'Taken.')).toMatchObject({ kind: 'conflict', message: 'Taken.' });
    expect(missingPermissions()).toMatchObject({ code: 'MISSING_PERMISSIONS', message: 'Missing Permissions' });
    expect(missingPermissions('Not so.')).toMatchObject({ code: 'MISSING_PERMISSIONS', message: 'Not so.' });
    const cause = new Error('why');
    expect(new DomainError('OVERLOADED', 'Busy.', { cause }).cause).toBe(cause);
  });

  test.each([
    [undefined, undefined],
    [0, 0],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
  ])('that can be retried after %s ms has the delay in whole seconds: %s', (retryAfterMs, seconds) => {
    const details = retryAfterMs === undefined ? {} : { retryAfterMs };
    expect(new DomainError('RATE_LIMITED', 'Slow.', details).retryAfterSeconds).toBe(seconds);
  });

  test('is derived from a thrown value, or is null', () => {
    const refusal = new DomainError('UNKNOWN_ROLE');
    expect(refusalIn(refusal)).toBe(refusal);
    for (const fault of [new Error('ours'), 'text', null, undefined]) expect(refusalIn(fault)).toBeNull();
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    expect(refusalIn(full)).toMatchObject({ code: 'OVERLOADED', retryAfterMs: 5_000, cause: full });
  });

  test.each<[string, unknown, boolean, ErrorCode]>([
    ['a statement whose answer did not come', new Error('Query read timeout'), true, 'OUTCOME_UNKNOWN'],
    ['a connection that broke', new Error('Connection terminated unexpectedly'), true, 'OUTCOME_UNKNOWN'],
    ['a statement in a transaction', new Error('Query read timeout'), false, 'OVERLOADED'],
    ['no free connection', new Error('timeout exceeded when trying to connect'), true, 'OVERLOADED'],
    ['a server that is away', Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), true, 'OVERLOADED'],
    [
      'a cancelled statement',
      new DriverAdapterError({ kind: 'GenericJs', id: 0, originalCode: '57014' }),
      true,
      'OVERLOADED',
    ],
  ])('reports whether a write may have happened: %s', (_what, cause, commits, code) => {
    const error = new Error('the write failed', { cause: new DatabaseUnavailable(cause, commits) });
    expect(refusalOfRequest(error)).toMatchObject({ code });
  });
});

describe('a caller is counted', () => {
  const user = { id: 7n } as User;
  const at = { address: '192.0.2.1' };

  test('by a valid credential, regardless of the address, and otherwise by the address', () => {
    expect(countedAs({ kind: 'anonymous' }, at)).toBe('192.0.2.1');
    expect(countedAs({ kind: 'person', user }, at)).toBe('7');
    expect(countedAs({ kind: 'bot', user, applicationId: 7n, messageContentIntent: false }, at)).toBe('7');
    const token = { kind: 'token' as const, user, applicationId: 9n, scopes: [], expiresAt: new Date() };
    expect(countedAs(token, at)).toBe('9:7');
    expect(dividedKey('7', '1', '2')).toBe('7:1:2');
  });

  test('once for each use of a limit, or many times at once', async () => {
    const limits = createRateLimits(null);
    const limit = { name: 'some', points: 5, seconds: 60 };
    await takeLimit({ limits }, limit, 'key');
    await takePoints({ limits }, limit, 'key', 4);
    const refused = await takeLimit({ limits }, limit, 'key', (s) => `In ${s} s.`).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringMatching(/^In (59|60) s\.$/) });
    expect(refused).toHaveProperty('retryAfterMs', expect.closeTo(60_000, -4));
    await expect(takePoints({ limits }, limit, 'other', 6)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: 'You are being rate limited.',
    });
    await takeLimit({ limits }, limit, 'a third');
  });
});
