import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import { describe, expect, test } from 'vitest';
import { isWriteConflict } from '../../../src/infra/database/faults.js';
import { Prisma } from '../../../src/infra/database/index.js';

const known = (code: string, meta?: Record<string, unknown>) =>
  new Prisma.PrismaClientKnownRequestError('a fault', { code, clientVersion: '0', ...(meta ? { meta } : {}) });

const byHand = (cause: ConstructorParameters<typeof DriverAdapterError>[0]) =>
  known('P2010', { driverAdapterError: new DriverAdapterError(cause) });

describe('the detection of a write conflict', () => {
  test.each<[string, unknown, boolean]>([
    ['the client says so', known('P2034'), true],
    ['the driver says so', new Error('TransactionWriteConflict'), true],
    ['the driver says so of a cause', new Error('a fault', { cause: 'TransactionWriteConflict' }), true],
    ['a statement written by hand says so', byHand({ kind: 'TransactionWriteConflict' }), true],
    ['a statement written by hand says something else', byHand({ kind: 'SocketTimeout' }), false],
    ['a statement written by hand says nothing', known('P2010'), false],
    ['its fault is none of a driver', known('P2010', { driverAdapterError: new Error('a fault') }), false],
    ['the client says something else', known('P2002'), false],
    ['nothing is an error', 'TransactionWriteConflict', false],
  ])('is right if %s', (_, error, expected) => {
    expect(isWriteConflict(error)).toBe(expected);
  });
});
