import { describe, expect } from 'vitest';
import { type AppContext, callContext } from '../../../src/context.js';
import { emailOf } from '../../../src/domain/accounts/email.js';
import { createAccount, SignUp } from '../../../src/domain/accounts/index.js';
import { getPersonByEmail, requireVerifiedEmail } from '../../../src/domain/accounts/people.js';
import type { CallContext } from '../../../src/domain/call.js';
import { parseInput } from '../../../src/domain/parse-input.js';
import { ManualClock } from '../../harness/clock.js';
import { failStatements } from '../../harness/faults.js';
import { faultsIn } from '../../harness/faults-in.js';
import { test } from '../../harness/fixtures.js';
import { createPerson } from '../../harness/rows.js';
import { createBot } from '../../harness/world.js';

const clock = new ManualClock();
const CREDENTIAL = { providerId: 'credential', issuer: 'local:credential', passwordHash: 'hash' };

let app: AppContext;
let call: CallContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
  call = callContext({ ...app, clock }, { kind: 'anonymous' });
});

const make = (name: string, email = `${name}@people.example`, emailVerified = true) =>
  createAccount(call, { name, email, emailVerified }, CREDENTIAL);

const users = (name: string) => app.db.reader.user.count({ where: { handle: name } });

describe('an account', () => {
  test('is created together with its user and its sign-in record', async () => {
    const user = await make('ada');
    expect(user).toMatchObject({ username: 'ada', handle: 'ada', bot: false });
    const times = { createdAt: new Date(clock.now()), updatedAt: new Date(clock.now()) };
    const where = { userId: user.id };
    expect(await app.db.reader.authUser.findUnique({ where, include: { accounts: true } })).toMatchObject({
      id: String(user.id),
      name: 'ada',
      email: 'ada@people.example',
      emailVerified: true,
      ...times,
      accounts: [
        {
          accountId: String(user.id),
          providerId: 'credential',
          issuer: 'local:credential',
          password: 'hash',
          ...times,
        },
      ],
    });
  });

  test('is refused if its username or its e-mail address is taken', async () => {
    await make('bea');
    const name = { code: 'CONFLICT', message: 'The username bea is already taken; bea2 is available.' };
    const email = { code: 'CONFLICT', message: 'An account with this email address already exists.' };
    await expect(make('bea', 'other@people.example')).rejects.toMatchObject(name);
    await expect(make('other', 'bea@people.example')).rejects.toMatchObject(email);
    expect(await users('other')).toBe(0);
  });

  test('is offered a free username of at most 32 characters if the requested one is taken', async () => {
    const long = 'l'.repeat(32);
    await make(long);
    await expect(make(long, 'other@people.example')).rejects.toThrow(`already taken; ${'l'.repeat(31)}2 is available.`);
    for (const name of ['cy', 'cy2', 'cy3', 'cy4', 'cy5', 'cy6', 'cy7', 'cy8', 'cy9', 'cy_']) await make(name);
    await expect(make('cy', 'other@people.example')).rejects.toThrow(
      'The username cy is already taken; cy.x is available.',
    );
    await make('cy.x');
    await expect(make('cy', 'other@people.example')).rejects.toThrow('The username cy is already taken.');
  });

  test.each([
    ['username', ['one@people.example', 'two@people.example'], ['carla', 'carla'], 'The username carla'],
    ['address', ['three@people.example', 'three@people.example'], ['dana', 'dora'], 'An account with this email'],
  ])(
    'is created only once if two sign-ups use one %s at once, and the other gets the reason',
    async (_, emails, names, why) => {
      const ended = await Promise.allSettled(names.map((name, index) => make(name, emails[index])));
      const refused = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      expect(refused).toEqual([expect.objectContaining({ code: 'CONFLICT', message: expect.stringContaining(why) })]);
      expect((await Promise.all([...new Set(names)].map(users))).reduce((all, count) => all + count)).toBe(1);
    },
  );

  test('is not left half-created if the database fails', async () => {
    const fault = failStatements(/INSERT INTO .*AuthUser/);
    const failed = make('eve').catch((error: unknown) => error);
    expect(await failed).not.toMatchObject({ code: 'CONFLICT' });
    expect(await failed).toBeInstanceOf(Error);
    fault.heal();
    expect(await users('eve')).toBe(0);
  });
});

describe('the sign-up input', () => {
  const typed = { email: ' Ada@People.Example ', name: 'a.d_a9', password: 'x'.repeat(8) };

  test('accepts an address in lower case, a username and a password', () => {
    expect(parseInput(SignUp, typed)).toEqual({ ...typed, email: 'ada@people.example', invitation: '' });
    const longest = {
      email: `${'a'.repeat(60)}@${'b.'.repeat(95)}ex`,
      name: 'a'.repeat(32),
      password: 'x'.repeat(128),
    };
    expect(longest.email.length).toBeLessThanOrEqual(254);
    expect(parseInput(SignUp, longest)).toEqual({ ...longest, invitation: '' });
  });

  test.each([
    ['email', 'ada', 'EMAIL_TYPE_INVALID_EMAIL'],
    ['email', `${'a'.repeat(60)}@${'b.'.repeat(96)}ex`, 'BASE_TYPE_MAX_LENGTH'],
    ['name', 'a', 'USERNAME_INVALID'],
    ['name', 'a'.repeat(33), 'USERNAME_INVALID'],
    ['name', 'Ada', 'USERNAME_INVALID'],
    ['name', 'ada ', 'USERNAME_INVALID'],
    ['password', 'x'.repeat(7), 'BASE_TYPE_BAD_LENGTH'],
    ['password', 'x'.repeat(129), 'BASE_TYPE_BAD_LENGTH'],
  ])('is refused with the %s %s', (path, value, code) => {
    expect(faultsIn(SignUp, { ...typed, [path]: value })).toMatchObject([{ path, code }]);
  });
});

describe('a user with an account', () => {
  test('is found by e-mail address in any spelling', async () => {
    const { id } = await make('fay');
    for (const email of ['fay@people.example', ' FAY@People.Example\n']) {
      expect(await getPersonByEmail(app.db.reader, email)).toMatchObject({ id, username: 'fay' });
    }
    await expect(getPersonByEmail(app.db.reader, 'nobody@people.example')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ path: 'email', code: 'EMAIL_UNKNOWN', message: 'There is no account with this email address.' }],
    });
  });

  test('has an e-mail address, and a bot has none', async () => {
    const { id } = await make('gus');
    expect(await emailOf(app.db.reader, id)).toBe('gus@people.example');
    expect(await emailOf(app.db.reader, (await createBot(app)).id)).toBeNull();
  });

  test('must verify their e-mail address if it is unverified', async () => {
    const [verified, unverified] = [await make('hal'), await make('ida', undefined, false)];
    const require = (userId: bigint) => requireVerifiedEmail(app.db.reader, userId);
    await require(verified.id);
    await require((await createPerson(app)).id);
    await expect(require(unverified.id)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'Verify your email address before you accept an invitation.',
    });
  });
});
