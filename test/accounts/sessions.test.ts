import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Auth, createAuth } from '../../src/accounts/auth.js';
import { csrfToken, csrfTokenFits } from '../../src/accounts/csrf.js';
import { Sessions, sessionCredentials } from '../../src/accounts/sessions.js';
import type { Actor } from '../../src/domain/call.js';
import { updateOwnUser } from '../../src/domain/users/index.js';
import { CACHE_MS } from '../../src/infra/caching/subscribed-cache.js';
import { hashSecret } from '../../src/infra/crypto/secrets.js';
import { topics } from '../../src/infra/streams/topics.js';
import { ManualClock } from '../harness/clock.js';
import { failStatements } from '../harness/faults.js';
import { outcome } from '../harness/outcome.js';
import { type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { statementsOf } from '../harness/statements.js';
import { callOf, userOf } from '../harness/world.js';

const HOUR_MS = 3_600_000;

const COOKIE = 'causeway.session_token=x.y';

describe('the session credentials of a request', () => {
  test.each<[IncomingHttpHeaders, object | null]>([
    [{}, null],
    [{ cookie: 'other=x' }, null],
    [{ cookie: 'xcauseway.session_token=x' }, null],
    [{ cookie: COOKIE }, { cookie: COOKIE }],
    [{ cookie: `other=1; ${COOKIE}; more=2` }, { cookie: COOKIE }],
    [{ cookie: `__Secure-${COOKIE}` }, { cookie: `__Secure-${COOKIE}` }],
    [{ authorization: 'Bearer a', cookie: COOKIE }, { authorization: 'Bearer a' }],
    [{ authorization: 'bEARER  a' }, { authorization: 'bEARER  a' }],
  ])('%j are %j', (headers, expected) => {
    expect(sessionCredentials(headers)).toEqual(expected);
  });

  test.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bot x'])('cannot be %j', async (authorization) => {
    expect(await outcome((async () => sessionCredentials({ authorization, cookie: COOKIE }))())).toBe(
      'UNAUTHENTICATED',
    );
  });
});

describe('the CSRF token of a form', () => {
  const bearer = { authorization: 'Bearer a' };

  test('matches only its session and key', () => {
    const all = [
      csrfToken(['s'], bearer),
      csrfToken(['s'], { cookie: COOKIE }),
      csrfToken(['s'], { cookie: `${COOKIE}z` }),
      csrfToken(['t'], bearer),
    ];
    expect(new Set(all).size).toBe(4);
    expect(csrfToken(['s'], bearer)).toBe(all[0]);
    expect(csrfTokenFits(['s'], bearer, all[0] ?? '')).toBe(true);
    for (const other of [...all.slice(1), '', `${all[0]}x`])
      expect(csrfTokenFits(['s'], bearer, other ?? '')).toBe(false);
  });

  test('is signed with the newest key, and accepted for each accepted key', () => {
    const token = csrfToken(['new', 'old'], bearer) ?? '';
    expect(token).toBe(csrfToken(['new'], bearer));
    expect(csrfTokenFits(['old', 'new'], bearer, token)).toBe(true);
    expect(csrfTokenFits(['old', 'other'], bearer, token)).toBe(false);
  });

  test('does not exist without a session', () => {
    expect(csrfToken(['s'], {})).toBeNull();
    for (const token of ['', 'null']) expect(csrfTokenFits(['s'], {}, token)).toBe(false);
  });
});

describe('a session', () => {
  const clock = new ManualClock();
  let server: TestServer;
  let auth: Auth;
  let sessions: Sessions;
  let ada: Person;
  let bob: Person;
  beforeAll(async () => {
    server = await startServer({ clock });
    auth = createAuth(server.app);
    [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
  });
  beforeEach(() => {
    sessions = new Sessions(server.app, async () => auth);
  });
  afterAll(() => server.stop());

  const headersOf = ({ token }: Person) => ({ authorization: `Bearer ${token}` });
  const find = (person: Person, of = sessions) => of.personFromHeaders(headersOf(person));
  const idOf = (actor: Actor) => (actor.kind === 'person' ? String(actor.user.id) : actor.kind);
  /** Whether the session is found without a query. */
  const isRemembered = async (person: Person) => (await statementsOf(() => find(person))).length === 0;

  test('is cached for half a minute', async () => {
    expect(idOf(await find(ada))).toBe(ada.id);
    clock.advance(29_999);
    expect(await isRemembered(ada)).toBe(true);
    clock.advance(2);
    expect(await isRemembered(ada)).toBe(false);
    expect(await isRemembered(ada)).toBe(true);
  });

  test('is removed from the cache when it ends, without effect on other sessions', async () => {
    await Promise.all([find(ada), find(bob)]);
    server.app.publish({ type: 'SESSION_ENDED', userId: BigInt(ada.id) });
    expect([await isRemembered(bob), await isRemembered(ada)]).toEqual([true, false]);
    server.app.bus.lose(topics.sessions);
    expect([await isRemembered(bob), await isRemembered(ada)]).toEqual([false, false]);
  });

  test('is read again when its user changes, without effect on other sessions', async () => {
    await Promise.all([find(ada), find(bob)]);
    const call = callOf(server.app, await userOf(server.app, ada));
    await updateOwnUser(call, { globalName: 'Ada L.' });
    expect([await isRemembered(bob), await find(ada)]).toEqual([
      true,
      { kind: 'person', user: expect.objectContaining({ globalName: 'Ada L.' }) },
    ]);
  });

  test.each<[string, () => void]>([
    ['ends', () => server.app.publish({ type: 'SESSION_ENDED', userId: BigInt(ada.id) })],
    ['may have ended', () => server.app.bus.lose(topics.sessions)],
  ])('that %s while it is read is not cached', async (_what, end) => {
    const once = [end];
    sessions = new Sessions(server.app, async () => {
      once.pop()?.();
      return auth;
    });
    expect(idOf(await find(ada))).toBe(ada.id);
    expect([await isRemembered(ada), await isRemembered(ada)]).toEqual([false, true]);
  });

  test('is read once for many requests at once', async () => {
    let asked = 0;
    const counting = new Sessions(server.app, async () => {
      asked += 1;
      return auth;
    });
    const found = await Promise.all(Array.from({ length: 10 }, () => find(ada, counting)));
    expect([asked, ...new Set(found.map(idOf))]).toEqual([1, ada.id]);
    await find(bob, counting);
    expect(asked).toBe(2);
  });

  const seenAt = async ({ id }: Person) =>
    (await server.app.db.reader.authUser.findUniqueOrThrow({ where: { userId: BigInt(id) } })).seenAt?.getTime();

  test('updates the last visit of its user, up to an hour late', async () => {
    const cleo = await signUp(server, 'cleo');
    const start = clock.now();
    expect(await seenAt(cleo)).toBe(start);
    clock.advance(HOUR_MS);
    await find(cleo);
    expect(await seenAt(cleo)).toBe(start);
    clock.advance(CACHE_MS + 1);
    await find(cleo);
    expect(await seenAt(cleo)).toBe(start + HOUR_MS + CACHE_MS + 1);
    const data = { seenAt: null };
    await server.app.db.writer.authUser.update({ where: { userId: BigInt(cleo.id) }, data });
    clock.advance(CACHE_MS + 1);
    await find(cleo);
    expect(await seenAt(cleo)).toBe(clock.now());
  });

  test('is valid even if the last visit cannot be stored', async () => {
    const dora = await signUp(server, 'dora');
    clock.advance(HOUR_MS + 1);
    const failing = failStatements(/^UPDATE .*seenAt/);
    try {
      expect(idOf(await find(dora))).toBe(dora.id);
      expect(failing.count()).toBe(1);
    } finally {
      failing.heal();
    }
    expect(await seenAt(dora)).toBe(clock.now() - HOUR_MS - 1);
  });

  test.each(['Bearer made-up', 'Bearer a.b.c', 'Bearer %%%'])(
    'that %j cannot identify is not looked up',
    async (authorization) => {
      const never = new Sessions(server.app, () => Promise.reject(new Error('the library was asked')));
      expect(await never.personFromHeaders({ authorization })).toEqual({ kind: 'anonymous' });
      expect(await never.personFromHeaders({})).toEqual({ kind: 'anonymous' });
    },
  );

  test('of a deleted user is anonymous', async () => {
    const dan = await signUp(server, 'dan');
    await server.app.db.writer.user.update({ where: { id: BigInt(dan.id) }, data: { deletedAt: new Date() } });
    expect(idOf(await find(dan))).toBe('anonymous');
  });

  test('is not cached beyond its end, or after it', async () => {
    const where = { token: hashSecret(ada.token) };
    const { expiresAt } = await server.app.db.reader.authSession.findUniqueOrThrow({ where });
    // The accounts library uses the system time, which has not advanced, and still accepts the session.
    clock.advance(expiresAt.getTime() - clock.now() - 10_000);
    expect(idOf(await find(ada))).toBe(ada.id);
    clock.advance(9_999);
    expect(await isRemembered(ada)).toBe(true);
    clock.advance(1);
    sessions = new Sessions(server.app, async () => auth);
    for (let time = 0; time < 2; time += 1) expect(await isRemembered(ada)).toBe(false);
    expect(idOf(await find(ada))).toBe(ada.id);
  });
});
