import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changePassword } from '../../src/domain/accounts/index.js';
import { PASSWORD } from '../harness/accounts.js';
import { ManualClock } from '../harness/clock.js';
import { between, noPostgres, untilDoneOrWaiting } from '../harness/interleave.js';
import { outboxOf } from '../harness/mails.js';
import { type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';

const HOUR_MS = 3_600_000;

let server: TestServer;
const clock = new ManualClock();
beforeAll(async () => {
  server = await startServer({ clock });
});
afterAll(() => server.stop());

const post = (path: string, body: object, headers: Record<string, string> = {}, { origin } = server) =>
  fetch(`${origin}/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const signIn = ({ email }: Person, password: string) => post('sign-in/email', { email, password });
const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });

async function whoIs(headers: Record<string, string>): Promise<string | null> {
  const response = await fetch(`${server.origin}/auth/get-session`, { headers });
  const session = (await response.json()) as { user: { name: string } } | null;
  return session?.user.name ?? null;
}

async function anotherSession(person: Person): Promise<Record<string, string>> {
  return bearer((await (await signIn(person, PASSWORD)).json()) as { token: string });
}

async function linkToken({ email }: Person, at = server): Promise<string> {
  const mails = await outboxOf(at, email);
  const link = mails.flatMap(({ body }) => /^http\S+\/oauth2\/password\?token=(\S+)$/m.exec(body)?.[1] ?? []).at(-1);
  if (link === undefined) throw new Error(`no mail to ${email} has a link`);
  return link;
}

const subjectsTo = async ({ email }: Person) =>
  (await outboxOf(server, email)).map(({ headers }) => headers.subject?.[0]);

describe('a changed password', () => {
  it('replaces the old one, ends all other sessions, and is announced by mail', async () => {
    const ada = await signUp(server, 'ada');
    const elsewhere = await anotherSession(ada);
    const body = { currentPassword: PASSWORD, newPassword: 'another horse' };
    const changed = await post('change-password', body, bearer(ada));
    expect([changed.status, changed.headers.get('cache-control'), await changed.json()]).toEqual([
      200,
      'no-store',
      { status: true },
    ]);
    expect([await whoIs(bearer(ada)), await whoIs(elsewhere)]).toEqual(['ada', null]);
    expect((await signIn(ada, PASSWORD)).status).toBe(401);
    expect((await signIn(ada, 'another horse')).status).toBe(200);
    expect(await subjectsTo(ada)).toEqual(['Your password was changed']);
  });

  it('keeps the session of the requesting cookie', async () => {
    const bob = await signUp(server, 'bob');
    const headers = { cookie: bob.cookie, origin: server.origin };
    const body = { currentPassword: PASSWORD, newPassword: 'another horse' };
    expect((await post('change-password', body, headers)).status).toBe(200);
    expect(await whoIs({ cookie: bob.cookie })).toBe('bob');
  });

  it.each<[string, object, string]>([
    ['a wrong one', { currentPassword: 'wrong horse', newPassword: 'another horse' }, 'currentPassword'],
    ['none', { newPassword: 'another horse' }, 'currentPassword'],
    ['a new one of 7 characters', { currentPassword: PASSWORD, newPassword: '1234567' }, 'newPassword'],
    ['a new one of 129 characters', { currentPassword: PASSWORD, newPassword: 'x'.repeat(129) }, 'newPassword'],
  ])('is refused with %s, without any change', async (what, body, field) => {
    const person = await signUp(server, `refused.${what.length}`);
    const elsewhere = await anotherSession(person);
    const refused = await post('change-password', body, bearer(person));
    const { code, fields } = (await refused.json()) as { code: string; fields: { path: string }[] };
    expect([refused.status, code, fields.map(({ path }) => path)]).toEqual([400, 'INVALID_INPUT', [field]]);
    expect([await whoIs(bearer(person)), await whoIs(elsewhere)]).toEqual([person.name, person.name]);
    expect(await subjectsTo(person)).toEqual([]);
  });

  it('has 8 to 128 characters', async () => {
    const person = await signUp(server, 'lengths');
    const lengths = [PASSWORD, '12345678', 'x'.repeat(128)];
    for (const [index, newPassword] of lengths.slice(1).entries()) {
      const body = { currentPassword: lengths[index], newPassword };
      expect((await post('change-password', body, bearer(person))).status).toBe(200);
    }
  });

  it('requires a session', async () => {
    const body = { currentPassword: PASSWORD, newPassword: 'another horse' };
    expect((await post('change-password', body)).status).toBe(401);
  });
});

describe.skipIf(noPostgres)(needing(noPostgres, 'a sign-in with a password while the password is changed'), () => {
  const change = ({ id }: Person) =>
    changePassword(server.app.callOfNobody(), { userId: BigInt(id), passwordHash: 'another', keptSession: null });
  const sessionsOf = ({ id }: Person) => server.app.db.reader.authSession.count({ where: { userId: id } });

  it('is refused if it is stored after the change', async () => {
    const eve = await signUp(server, 'eve');
    const refused = await between(
      /^INSERT INTO "public"."AuthSession"/,
      () => change(eve),
      () => signIn(eve, PASSWORD),
    );
    expect([refused.status, (await refused.json()).code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(await sessionsOf(eve)).toBe(0);
  });

  it('is refused if it is stored before the change commits', async () => {
    const eve = await signUp(server, 'eve.too');
    let signingIn: Promise<Response> | undefined;
    await between(
      /^COMMIT/,
      async () => {
        signingIn = signIn(eve, PASSWORD);
        await untilDoneOrWaiting(server.app, signingIn);
      },
      () => change(eve),
    );
    expect((await signingIn)?.status).toBe(401);
    expect(await sessionsOf(eve)).toBe(0);
  });
});

describe('a forgotten password', () => {
  const request = ({ email }: { email: string }) => {
    // Mails are sorted by time.
    clock.advance(1);
    return post('request-password-reset', { email });
  };
  const reset = (token: string, newPassword = 'another horse') => {
    clock.advance(1);
    return post('reset-password', { token, newPassword });
  };

  it('is replaced through the mailed link, which ends all sessions and verifies the address', async () => {
    const fay = await signUp(server, 'fay');
    await server.app.db.writer.authUser.update({ where: { id: fay.id }, data: { emailVerified: false } });
    const asked = await request({ email: ` ${fay.email.toUpperCase()} ` });
    expect([asked.status, await asked.json()]).toEqual([200, { status: true }]);
    expect(await whoIs(bearer(fay))).toBe('fay');
    expect((await reset(await linkToken(fay))).status).toBe(200);
    expect(await whoIs(bearer(fay))).toBeNull();
    expect((await signIn(fay, PASSWORD)).status).toBe(401);
    expect((await signIn(fay, 'another horse')).status).toBe(200);
    const { emailVerified } = await server.app.db.reader.authUser.findUniqueOrThrow({ where: { id: fay.id } });
    expect(emailVerified).toBe(true);
    expect(await subjectsTo(fay)).toEqual(['Reset your password', 'Your password was changed']);
  });

  it('has the same response for an unknown address', async () => {
    const asked = await request({ email: 'nobody@people.example' });
    expect([asked.status, await asked.json()]).toEqual([200, { status: true }]);
    expect(await outboxOf(server, 'nobody@people.example')).toEqual([]);
  });

  it('stores only a hash of its link', async () => {
    const gus = await signUp(server, 'gus');
    await request(gus);
    const rows = await server.app.db.reader.authVerification.findMany({ where: { value: gus.id } });
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(await linkToken(gus));
  });

  it('is replaced once if ten clients follow the link at once', { tags: ['slow'] }, async () => {
    const hal = await signUp(server, 'hal');
    await request(hal);
    const token = await linkToken(hal);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => reset(token, `another horse ${n}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 400)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await signIn(hal, `another horse ${winner}`)).status).toBe(200);
  });

  it.each<[string, (person: Person) => Promise<unknown>]>([
    ['after an hour', async () => clock.advance(HOUR_MS)],
    [
      'after another link was used',
      async (person) => {
        const first = await linkToken(person);
        await request(person);
        const second = await linkToken(person);
        expect(second).not.toBe(first);
        await reset(second);
      },
    ],
    [
      'after the password was changed',
      (person) => post('change-password', { currentPassword: PASSWORD, newPassword: 'another horse' }, bearer(person)),
    ],
  ])('cannot be replaced by a link %s', async (what, concurrently) => {
    const person = await signUp(server, `late.${what.length}`);
    await request(person);
    const token = await linkToken(person);
    await concurrently(person);
    const refused = await reset(token, 'a third horse');
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        code: 'INVALID_RESET_TOKEN',
        message: 'This password reset link is invalid, expired or already used. Request a new one.',
      },
    ]);
    expect((await signIn(person, 'a third horse')).status).toBe(401);
  });

  it('can be replaced by a link that is almost an hour old', async () => {
    const ida = await signUp(server, 'ida');
    await request(ida);
    clock.advance(HOUR_MS - 2);
    expect((await reset(await linkToken(ida))).status).toBe(200);
  });

  it.each<[string, object]>([
    ['no link', { newPassword: 'another horse' }],
    ['a link that is too long', { token: 'x'.repeat(201), newPassword: 'another horse' }],
    ['a short password', { token: 'x', newPassword: 'short' }],
  ])('cannot be replaced with %s', async (_what, body) => {
    const refused = await post('reset-password', body);
    expect([refused.status, (await refused.json()).code]).toEqual([400, 'INVALID_INPUT']);
  });

  it('keeps its link valid after a new password that is too short', async () => {
    const jon = await signUp(server, 'jon');
    await request(jon);
    const token = await linkToken(jon);
    expect((await reset(token, 'short')).status).toBe(400);
    expect((await reset(token)).status).toBe(200);
  });
});

describe('the sessions of a user', () => {
  interface Listed {
    id: string;
    current: boolean;
    userAgent: string | null;
    ipAddress: string | null;
  }
  const list = async (headers: Record<string, string>): Promise<Listed[]> => {
    const response = await fetch(`${server.origin}/auth/list-sessions`, { headers });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    return (await response.json()) as Listed[];
  };

  it('are listed with their origin, newest first, and without their tokens', async () => {
    const kim = await signUp(server, 'kim');
    clock.advance(1_000);
    const body = { email: kim.email, password: PASSWORD };
    const { token } = (await (await post('sign-in/email', body, { 'user-agent': 'A phone' })).json()) as {
      token: string;
    };
    const listed = await list(bearer({ token }));
    expect(listed.map(({ current, userAgent }) => [current, userAgent])).toEqual([
      [true, 'A phone'],
      [false, ''],
    ]);
    expect(Object.keys(listed[0] ?? {}).sort()).toEqual([
      'createdAt',
      'current',
      'expiresAt',
      'id',
      'ipAddress',
      'updatedAt',
      'userAgent',
    ]);
    expect((await list({ cookie: kim.cookie })).map(({ current }) => current)).toEqual([false, true]);
  });

  it('are not listed after they end', async () => {
    const lea = await signUp(server, 'lea');
    await server.app.db.writer.authSession.updateMany({
      where: { userId: lea.id },
      data: { expiresAt: new Date(clock.now() - 1) },
    });
    const now = await anotherSession(lea);
    expect(await list(now)).toHaveLength(1);
  });

  it('can be ended one by one, only by their own user', async () => {
    const [max, ned] = [await signUp(server, 'max'), await signUp(server, 'ned')];
    const elsewhere = await anotherSession(max);
    const [other] = (await list(bearer(max))).filter(({ current }) => !current);
    const refused = await post('revoke-session', { id: other?.id }, bearer(ned));
    expect([refused.status, (await refused.json()).code]).toEqual([404, 'UNKNOWN_SESSION']);
    expect(await whoIs(elsewhere)).toBe('max');
    expect((await post('revoke-session', { id: other?.id }, bearer(max))).status).toBe(200);
    expect([await whoIs(elsewhere), await whoIs(bearer(max))]).toEqual([null, 'max']);
    expect((await post('revoke-session', { id: other?.id }, bearer(max))).status).toBe(404);
  });

  it('can all be ended except the requesting one', async () => {
    const [oda, pia] = [await signUp(server, 'oda'), await signUp(server, 'pia')];
    const elsewhere = await anotherSession(oda);
    expect((await post('revoke-other-sessions', {}, bearer(oda))).status).toBe(200);
    expect([await whoIs(elsewhere), await whoIs(bearer(oda)), await whoIs(bearer(pia))]).toEqual([null, 'oda', 'pia']);
  });

  it('can all be ended, including the requesting one and its cookie', async () => {
    const quin = await signUp(server, 'quin');
    const elsewhere = await anotherSession(quin);
    const headers = { cookie: quin.cookie, origin: server.origin };
    const answer = await post('revoke-sessions', {}, headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie().join('\n')).toMatch(/session_token=;.*Max-Age=0/i);
    expect([await whoIs(elsewhere), await whoIs({ cookie: quin.cookie })]).toEqual([null, null]);
  });

  it.each(['list-sessions', 'revoke-session', 'revoke-other-sessions', 'revoke-sessions'])(
    'cannot be listed or ended without a session: %s',
    async (path) => {
      const init = path === 'list-sessions' ? {} : { method: 'POST' };
      expect((await fetch(`${server.origin}/auth/${path}`, init)).status).toBe(401);
    },
  );
});

describe('with limits on', () => {
  it('five mails an hour go to an e-mail address, and one IP address requests at most twenty', async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    try {
      const ask = async (email: string) => (await post('request-password-reset', { email }, {}, limited)).status;
      for (let n = 0; n < 5; n += 1) expect(await ask('one@people.example')).toBe(200);
      expect(await ask('one@people.example')).toBe(429);
      for (let n = 6; n < 20; n += 1) expect(await ask(`other${n}@people.example`)).toBe(200);
      expect(await ask('another@people.example')).toBe(429);
    } finally {
      await limited.stop();
    }
  });

  it('wrong passwords count as sign-in attempts, and made-up links are limited', { tags: ['slow'] }, async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    try {
      const guess = async (person: Person) => {
        const body = { currentPassword: 'wrong horse', newPassword: 'another horse' };
        return (await post('change-password', body, bearer(person), limited)).status;
      };
      const rob = await signUp(limited, 'rob');
      const statuses = [];
      for (let n = 0; n < 21; n += 1) statuses.push(await guess(rob));
      expect(statuses).toEqual([...Array.from({ length: 20 }, () => 400), 429]);
      const follow = async () =>
        (await post('reset-password', { token: 'x', newPassword: 'another horse' }, {}, limited)).status;
      for (let n = 0; n < 30; n += 1) expect(await follow()).toBe(400);
      expect(await follow()).toBe(429);
    } finally {
      await limited.stop();
    }
  });
});
