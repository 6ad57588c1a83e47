import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../../src/domain/errors.js';
import { HONOURED_SCOPES, installScopes, storedScopes } from '../../../src/domain/installations/scopes.js';
import { parseScope } from '../../../src/domain/oauth/scope.js';

const refusal = (text: string) => {
  try {
    return parseScope(text);
  } catch (error) {
    return error instanceof DomainError ? `${error.code}: ${error.message}` : error;
  }
};

describe('a scope parameter', () => {
  test('has supported scopes with spaces or pluses between them, each of which counts once', () => {
    const scopes = fc.array(fc.constantFrom(...HONOURED_SCOPES), { minLength: 1, maxLength: 12 });
    const gap = fc.constantFrom(' ', '+', '  ', ' + ');
    fc.assert(
      fc.property(scopes, gap, gap, (names, between, around) => {
        expect(parseScope(around + names.join(between) + around)).toEqual([...new Set(names)]);
      }),
    );
  });

  test.each([
    ['', 'INVALID_SCOPE: At least one scope is required.'],
    [' + ', 'INVALID_SCOPE: At least one scope is required.'],
    ['rpc', 'INVALID_SCOPE: The requested scope is invalid, unknown, or malformed: rpc.'],
    ['identify Email', 'INVALID_SCOPE: The requested scope is invalid, unknown, or malformed: Email.'],
    ['identify,email', 'INVALID_SCOPE: The requested scope is invalid, unknown, or malformed: identify,email.'],
    [
      'identify connections guilds.members.read',
      'INVALID_SCOPE: The requested scope is invalid, unknown, or malformed: connections.',
    ],
    ['"connections"', 'INVALID_SCOPE: The requested scope is invalid, unknown, or malformed.'],
    ['messages.read', 'INVALID_SCOPE: messages.read is reserved and cannot be requested.'],
    ['toString', 'INVALID_SCOPE: The requested scope is invalid, unknown, or malformed: toString.'],
  ])('%j is refused', (text, expected) => {
    expect(refusal(text)).toBe(expected);
  });
});

describe('stored scopes', () => {
  test('are the supported ones, in one order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...HONOURED_SCOPES, 'rpc', 'messages.read']), (names) => {
        expect(storedScopes(names)).toEqual(HONOURED_SCOPES.filter((scope) => names.includes(scope)));
      }),
    );
  });

  test.each([null, undefined, {}, 'bot', [1, null]])('are empty for %j', (value) => {
    expect(storedScopes(value)).toEqual([]);
  });
});

describe('scopes of an installation', () => {
  test.each<[unknown, boolean]>([
    [['bot'], true],
    [['applications.commands'], true],
    [['identify', 'applications.commands', 'bot'], true],
    [['identify'], false],
    [[], false],
    [['bot', 'rpc'], false],
    ['bot', false],
    [Array(14).fill('bot'), true],
    [Array(15).fill('bot'), false],
  ])('%j: %s', (value, expected) => {
    expect(installScopes().safeParse(value).success).toBe(expected);
  });

  test('count once each', () => {
    expect(installScopes().parse(['bot', 'identify', 'bot'])).toEqual(['bot', 'identify']);
  });
});
