import { describe, expect, test } from 'vitest';
import { type Actor, type CallContext, requirePerson, requireUser } from '../../src/domain/call.js';
import { DomainError } from '../../src/domain/errors.js';
import { plainName } from '../../src/domain/mail-text.js';
import { refuseBeyond } from '../../src/domain/rate-limits.js';
import type { User } from '../../src/infra/database/index.js';

const user = { id: 1n } as User;
const ACTORS: Record<Actor['kind'], Actor> = {
  anonymous: { kind: 'anonymous' },
  person: { kind: 'person', user },
  bot: { kind: 'bot', user, applicationId: 1n, messageContentIntent: true },
  token: { kind: 'token', user, applicationId: 1n, scopes: ['identify'], expiresAt: new Date() },
  interaction: { kind: 'interaction', user } as Actor,
  webhook: { kind: 'webhook', user } as Actor,
  machine: { kind: 'machine' },
};

const told = (ask: () => unknown) => {
  try {
    ask();
    return 'ok';
  } catch (error) {
    return error instanceof DomainError ? `${error.code} ${error.message}` : error;
  }
};

const HOW_TO_SIGN_IN =
  'UNAUTHENTICATED Sign in first: send the header "authorization: Bearer …" with a token from /auth/sign-in/email, or sign in at /oauth2/sign-in in this browser.';

const ONLY_AS_OPERATOR = 'FORBIDDEN The command line can only act as an operator. Sign in to perform this action.';

describe('a caller', () => {
  test.each<[Actor['kind'], string, string]>([
    ['anonymous', HOW_TO_SIGN_IN, HOW_TO_SIGN_IN],
    ['person', 'ok', 'ok'],
    ['bot', 'ok', 'FORBIDDEN Bots cannot perform this action'],
    [
      'token',
      'FORBIDDEN OAuth2 tokens cannot perform this action',
      'FORBIDDEN OAuth2 tokens cannot perform this action',
    ],
    [
      'interaction',
      'FORBIDDEN Interaction tokens cannot perform this action',
      'FORBIDDEN Interaction tokens cannot perform this action',
    ],
    [
      'webhook',
      'FORBIDDEN Webhook tokens cannot perform this action',
      'FORBIDDEN Webhook tokens cannot perform this action',
    ],
    ['machine', ONLY_AS_OPERATOR, ONLY_AS_OPERATOR],
  ])('of the kind %s gets as a user: %s; as a person: %s', (kind, asUser, asPerson) => {
    const call = { actor: ACTORS[kind] } as CallContext;
    expect(told(() => requireUser(call))).toBe(asUser);
    expect(told(() => requirePerson(call))).toBe(asPerson);
  });
});

describe('a limit', () => {
  const state = { limit: 5, remaining: 0, resetAfterMs: 1_001 };

  test('refuses calls beyond it, with the time to wait', () => {
    expect(() => refuseBeyond({ ...state, allowed: true })).not.toThrow();
    expect(told(() => refuseBeyond({ ...state, allowed: false }))).toBe('RATE_LIMITED You are being rate limited.');
    expect(told(() => refuseBeyond({ ...state, allowed: false }, (s) => `In ${s} s.`))).toBe('RATE_LIMITED In 2 s.');
  });
});

test.each([
  ['Zoë', 'Zoë'],
  [' a\r\n b\u202Ec ', 'a b c'],
  ['\u2066a\u0007\u0007b\u2069', 'a b'],
])('the name %j is written in a mail as %j', (name, expected) => {
  expect(plainName(name)).toBe(expected);
});
