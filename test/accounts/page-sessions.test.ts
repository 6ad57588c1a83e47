import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countSignIn } from '../../src/accounts/attempts.js';
import { createAuth } from '../../src/accounts/auth.js';
import { createPageSessions } from '../../src/accounts/page-sessions.js';
import type { AppContext } from '../../src/context.js';
import { DomainError } from '../../src/domain/errors.js';
import { SIGN_IN_PER_ACCOUNT, SIGN_IN_PER_ADDRESS, SIGN_UP_PER_ADDRESS } from '../../src/domain/limits.js';
import type { PageSessions } from '../../src/http/page-sessions.js';
import { hashSecret } from '../../src/infra/crypto/secrets.js';
import { DatabaseUnavailable } from '../../src/infra/database/faults.js';
import { openContext } from '../harness/context.js';
import { outcome } from '../harness/outcome.js';

let app: AppContext;
let close: () => Promise<void>;
let pages: PageSessions;
let addresses = 0;
beforeAll(async () => {
  ({ app, close } = await openContext({ RATE_LIMITS: 'on' }));
  const auth = createAuth(app);
  pages = createPageSessions(
    app,
    async () => auth,
    async () => ({ kind: 'anonymous' }),
  );
});
afterAll(() => close());

const visitor = () => ({ address: `192.0.2.${++addresses}`, headers: {} });
const ada = { name: 'ada', email: 'ada@people.example', password: 'correct horse' };

describe('the sessions of pages', () => {
  test('begin and end by cookies for sign-up, sign-in and sign-out', async () => {
    expect(await pages.signUp(ada, visitor())).toEqual([expect.stringMatching(/session_token=./)]);
    expect(await pages.signIn(ada, visitor())).toEqual([expect.stringMatching(/session_token=./)]);
    expect((await pages.signOut(visitor()))[0]).toMatch(/session_token=;.*Max-Age=0/);
  });

  test.each<[string, object]>([
    ['a wrong password', { email: ada.email, password: 'wrong horse' }],
    ['an unknown address', { email: 'nobody@people.example', password: ada.password }],
  ])('are refused with the same message for %s', async (_what, change) => {
    await expect(pages.signIn({ ...ada, ...change }, visitor())).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: 'The email address or password is incorrect.',
    });
  });

  test.each<[string, object]>([
    ['email EMAIL_TYPE_INVALID_EMAIL', { email: 'ada' }],
    ['email BASE_TYPE_MAX_LENGTH', { email: `${'x'.repeat(254)}@people.example` }],
    ['password BASE_TYPE_REQUIRED', { password: '' }],
    ['password STRING_TYPE_REGEX', { password: '\u0000' }],
  ])('are refused at the field for invalid credentials: %s', async (fault, change) => {
    const error: unknown = await pages.signIn({ ...ada, ...change }, visitor()).catch((error) => error);
    const fields = error instanceof DomainError ? error.fields : [];
    expect(fields.map(({ path, code }) => `${path} ${code}`)).toContain(fault);
  });

  test('are refused with the actual reason if it is not the credentials', async () => {
    const from = visitor();
    await app.limits.take(SIGN_IN_PER_ADDRESS, from.address, SIGN_IN_PER_ADDRESS.points);
    await app.limits.take(SIGN_UP_PER_ADDRESS, from.address, SIGN_UP_PER_ADDRESS.points);
    expect(await outcome(pages.signIn(ada, from))).toBe('RATE_LIMITED');
    expect(await outcome(pages.signUp(ada, from))).toBe('RATE_LIMITED');
    const broken = createPageSessions(
      app,
      () => Promise.reject(new Error('a fault')),
      async () => ({ kind: 'anonymous' }),
    );
    await expect(broken.signIn(ada, visitor())).rejects.toThrow('a fault');
  });
});

describe('an attempt to sign in', () => {
  const left = async (email: string, address: string) => [
    (await app.limits.peek(SIGN_IN_PER_ADDRESS, address)).remaining - SIGN_IN_PER_ADDRESS.points,
    (await app.limits.peek(SIGN_IN_PER_ACCOUNT, hashSecret(email))).remaining - SIGN_IN_PER_ACCOUNT.points,
  ];

  test.each<[string, number, () => Promise<Response>]>([
    ['that succeeds does not count', 0, async () => new Response()],
    ['that is answered with a refusal counts', -1, async () => new Response(null, { status: 401 })],
    ['that is refused counts', -1, () => Promise.reject(new DomainError('INVALID_INPUT', ''))],
    ['that fails counts', -1, () => Promise.reject(new Error('a fault'))],
    ['that meets an outage does not count', 0, () => Promise.reject(new DatabaseUnavailable(null))],
    ['that meets a busy server does not count', 0, () => Promise.reject(new DomainError('OVERLOADED', ''))],
  ])('%s', async (_what, expected, attempt) => {
    const { address } = visitor();
    const email = `${address}@people.example`;
    await countSignIn(app, email, address, attempt).catch(() => {});
    expect(await left(email, address)).toEqual([expected, expected]);
  });
});
