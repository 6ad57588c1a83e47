import { beforeAll, describe, expect } from 'vitest';
import { hashSecret } from '../../src/infra/crypto/secrets.js';
import { it } from '../harness/fixtures.js';
import { askGraphql } from '../harness/graphql.js';
import { type Person, signUp } from '../harness/people.js';
import { freePort } from '../harness/ports.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
it.beforeAll(({ server: shared }) => {
  server = shared;
});

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const somebody = (name: string) => ({ name, email: `${name}@people.example`, password: 'correct horse' });

async function whoIs(headers: Record<string, string>): Promise<string | null> {
  const { data } = await askGraphql(server, '{ me { username } }', {}, headers);
  return data.me?.username ?? null;
}

describe('sign-up', () => {
  it('returns a token that works as a bearer, and sets a session cookie that works too', async () => {
    const response = await post('/auth/sign-up/email', somebody('ada'));
    expect(response.status).toBe(200);
    const { token, user } = await response.json();
    expect(user).toMatchObject({ name: 'ada', email: 'ada@people.example' });
    expect(user.id).toMatch(/^\d{17,19}$/);
    const cookie = response.headers.getSetCookie()[0] ?? '';
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Lax/);
    expect(cookie).not.toMatch(/Secure/);
    expect(await whoIs({ authorization: `Bearer ${token}` })).toBe('ada');
    expect(await whoIs({ cookie: cookie.split(';', 1)[0] ?? '' })).toBe('ada');
  });

  it('gives the user and the account the same id', async () => {
    const { user } = await (await post('/auth/sign-up/email', somebody('one.id'))).json();
    const account = await server.app.db.reader.authUser.findUniqueOrThrow({ where: { id: user.id } });
    expect(account).toMatchObject({ userId: BigInt(user.id), email: 'one.id@people.example', emailVerified: true });
  });

  it('refuses a taken username and keeps nothing that blocks the e-mail address', async () => {
    await post('/auth/sign-up/email', somebody('taken'));
    const refused = await post('/auth/sign-up/email', { ...somebody('taken'), email: 'second@people.example' });
    expect(refused.status).toBe(409);
    const message = 'The username taken is already taken; taken2 is available.';
    const fields = [{ path: 'name', code: 'USERNAME_ALREADY_TAKEN', message }];
    expect(await refused.json()).toEqual({ code: 'CONFLICT', message, fields });
    const again = await post('/auth/sign-up/email', { ...somebody('second'), email: 'second@people.example' });
    expect(again.status).toBe(200);
  });

  it('refuses a taken e-mail address, whatever its letter case', async () => {
    await post('/auth/sign-up/email', somebody('mail'));
    const refused = await post('/auth/sign-up/email', { ...somebody('mail2'), email: 'MAIL@people.example' });
    expect(refused.status).toBe(409);
    expect((await refused.json()).message).toMatch(/email address already exists/);
  });

  it('lets one of ten racing sign-ups with the same name succeed, and refuses the others', async () => {
    const racing = Array.from({ length: 10 }, (_, n) =>
      post('/auth/sign-up/email', { ...somebody('racer'), email: `racer${n}@people.example` }),
    );
    const statuses = (await Promise.all(racing)).map((response) => response.status);
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(409)]);
    expect(await server.app.db.reader.authUser.count({ where: { email: { startsWith: 'racer' } } })).toBe(1);
  });

  it.each([
    ['a name with a capital', { name: 'Ada' }],
    ['a name of one letter', { name: 'a' }],
    ['a name of 33 letters', { name: 'a'.repeat(33) }],
    ['a name with a space', { name: 'a b' }],
    ['no name', { name: undefined }],
    ['a number for a name', { name: 7 }],
    ['an address that is none', { email: 'nobody' }],
    ['an address with U+0000', { email: 'a\u0000@people.example' }],
    ['a short password', { password: 'short' }],
    ['a password of 129 letters', { password: 'a'.repeat(129) }],
    ['a password with U+0000', { password: 'correct\u0000horse' }],
    ['a list for a password', { password: ['correct horse'] }],
  ])('refuses %s and names the field', async (_case, change) => {
    const response = await post('/auth/sign-up/email', { ...somebody('valid'), ...change });
    expect(response.status).toBe(400);
    const body = await response.json();
    expect(body.code).toBe('INVALID_INPUT');
    expect([...new Set(body.fields.map((field: { path: string }) => field.path))]).toEqual(Object.keys(change));
  });

  it.each(['{', '[]', '"text"', 'null', ''])('refuses the body %j without a server error', async (body) => {
    expect((await post('/auth/sign-up/email', body)).status).toBe(400);
  });

  it('refuses a form, which another site could send without a preflight', async () => {
    const response = await post('/auth/sign-up/email', 'name=x', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(response.status).toBe(415);
  });
});

describe('a response of the accounts API', () => {
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${server.origin}${path}`, { headers });
  const sized = (bytes: number) => `{"name":"${'x'.repeat(bytes - '{"name":""}'.length)}"}`;

  it.each<[string, () => Promise<Response>, number, object]>([
    ['a body that is no JSON', () => post('/auth/sign-up/email', '{'), 400, { code: 'INVALID_JSON' }],
    ['a body that is no object', () => post('/auth/sign-up/email', '[]'), 400, { message: /^body: / }],
    ['a body of 16 KiB', () => post('/auth/sign-up/email', sized(16_384)), 400, { code: 'INVALID_INPUT' }],
    ['a larger one', () => post('/auth/sign-up/email', sized(16_385)), 413, { code: 'INVALID_REQUEST' }],
    ['no body', () => post('/auth/sign-up/email', ''), 400, { code: 'INVALID_INPUT' }],
    ['a link without a token', () => get('/auth/verify-email'), 400, { message: /^token: / }],
    [
      'a link with a long token',
      () => get(`/auth/verify-email?token=${'x'.repeat(2_049)}`),
      400,
      { message: /^token: / },
    ],
    ['a link with another token', () => get('/auth/verify-email?token=x'), 400, { code: 'INVALID_REQUEST' }],
    ['what is not there', () => get('/auth/ok'), 404, { code: 'NOT_FOUND', message: 'Not found.' }],
    [
      'a page of another site',
      () => post('/auth/sign-out', {}, { origin: 'https://elsewhere.example' }),
      403,
      { code: 'FORBIDDEN' },
    ],
  ])('to %s describes the error', async (_what, send, status, told) => {
    const response = await send();
    const body = await response.json();
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([status, null]);
    for (const [name, expected] of Object.entries(told)) expect(body[name]).toMatch(expected);
  });

  it('of the library is not cached, and is the same for a request from another site', async () => {
    for (const origin of [server.origin, 'https://elsewhere.example']) {
      const response = await get('/auth/get-session', { origin });
      expect([response.status, await response.json()]).toEqual([200, null]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    }
  });
});

describe('sign-in', () => {
  it('accepts the e-mail address in any letter case', async () => {
    const person = await signUp(server, 'signer');
    const response = await post('/auth/sign-in/email', { email: 'SIGNER@people.example', password: person.password });
    expect(response.status).toBe(200);
    const { token } = await response.json();
    expect(token).not.toBe(person.token);
    expect(await whoIs({ authorization: `Bearer ${token}` })).toBe('signer');
  });

  it('has the same response to a wrong password and an unknown address', async () => {
    const person = await signUp(server, 'alike');
    const wrong = await post('/auth/sign-in/email', { email: person.email, password: 'wrong password' });
    const unknown = await post('/auth/sign-in/email', { email: 'nobody@people.example', password: 'wrong password' });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(await wrong.json()).toEqual(await unknown.json());
  });

  it('accepts a password with a lone surrogate, as sign-up does', async () => {
    const credentials = { ...somebody('surrogate'), password: 'correct \ud800 horse' };
    await post('/auth/sign-up/email', credentials);
    const { email, password } = credentials;
    expect((await post('/auth/sign-in/email', { email, password })).status).toBe(200);
  });

  it.each([
    ['an address', { email: 'a\u0000@people.example' }],
    ['a password', { password: 'correct\u0000horse' }],
  ])('refuses %s with U+0000 and names the field', async (_case, change) => {
    const response = await post('/auth/sign-in/email', { email: 'a@people.example', password: 'correct', ...change });
    expect(response.status).toBe(400);
    const [path] = Object.keys(change);
    const message = 'The character U+0000 is not allowed.';
    expect(await response.json()).toEqual({
      code: 'INVALID_INPUT',
      message: `${path}: ${message}`,
      fields: [{ path, code: 'STRING_TYPE_REGEX', message }],
    });
  });

  it('refuses a page of another site, and accepts both hostnames of this machine', async () => {
    const { email, password } = await signUp(server, 'origin');
    const from = (origin: string) => post('/auth/sign-in/email', { email, password }, { origin });
    expect((await from('https://elsewhere.example')).status).toBe(403);
    expect((await from('null')).status).toBe(403);
    expect((await from(server.origin)).status).toBe(200);
    expect((await from(server.origin.replace('localhost', '127.0.0.1'))).status).toBe(200);
  });
});

describe('sign-out', () => {
  it('ends this session at once and keeps the others', async () => {
    const { email, password, token } = await signUp(server, 'leaver');
    const other = await (await post('/auth/sign-in/email', { email, password })).json();
    expect(await whoIs({ authorization: `Bearer ${token}` })).toBe('leaver');
    const response = await post('/auth/sign-out', {}, { authorization: `Bearer ${token}` });
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie()[0]).toMatch(/session_token=;.*Max-Age=0/);
    expect(await whoIs({ authorization: `Bearer ${token}` })).toBeNull();
    expect(await whoIs({ authorization: `Bearer ${other.token}` })).toBe('leaver');
  });

  it('succeeds without a session', async () => {
    expect((await post('/auth/sign-out', '')).status).toBe(200);
  });
});

describe('sessions', () => {
  let keeper: Person;
  beforeAll(async () => {
    keeper = await signUp(server, 'keeper');
  });

  it('are stored only by the hash of their token', async () => {
    const { token } = await signUp(server, 'hashed');
    const stored = await server.app.db.reader.authSession.findMany({ select: { token: true } });
    expect(stored.map((session) => session.token)).toContain(hashSecret(token));
    expect(stored.map((session) => session.token)).not.toContain(token);
  });

  it('are anonymous after they expire', async () => {
    const { token } = await signUp(server, 'expired');
    await server.app.db.writer.authSession.update({
      where: { token: hashSecret(token) },
      data: { expiresAt: new Date(0) },
    });
    expect(await whoIs({ authorization: `Bearer ${token}` })).toBeNull();
  });

  it.each(['Bearer x', 'Bearer a.b.c', 'Bearer %%%', 'Bearer \u00ff'])(
    'are anonymous with the header %j, even if a valid cookie is sent',
    async (authorization) => {
      expect(await whoIs({ authorization })).toBeNull();
      expect(await whoIs({ authorization, cookie: keeper.cookie })).toBeNull();
      const response = await fetch(`${server.origin}/auth/get-session`, {
        headers: { authorization, cookie: keeper.cookie },
      });
      expect([response.status, await response.json()]).toEqual([200, null]);
    },
  );

  it.each(['', 'Bearer', 'Bearer ', 'Bot x', 'Basic YTpi', 'Bearerx y'])(
    'are not looked up for the header %j, which cannot be valid: the request is refused',
    async (authorization) => {
      const headers = { authorization, cookie: keeper.cookie };
      for (const path of ['get-session', 'sign-out', 'send-verification-email']) {
        const method = path === 'get-session' ? 'GET' : 'POST';
        const response = await fetch(`${server.origin}/auth/${path}`, { method, headers });
        expect([path, response.status, response.headers.get('www-authenticate')]).toEqual([path, 401, 'Bearer']);
        expect((await response.json()).code).toBe('UNAUTHENTICATED');
      }
      const screen = await fetch(`${server.origin}/oauth2/authorize?client_id=1`, { headers });
      expect([screen.status, await screen.text()]).toEqual([400, expect.stringContaining('This link does not work')]);
      expect(await whoIs({ cookie: keeper.cookie })).toBe('keeper');
    },
  );

  it('are anonymous with a tampered cookie', async () => {
    const { cookie } = await signUp(server, 'tamper');
    expect(await whoIs({ cookie })).toBe('tamper');
    expect(await whoIs({ cookie: `${cookie.slice(0, -6)}AAAA%3D` })).toBeNull();
  });
});

describe('another route of the accounts library', () => {
  it.each(['change-email', 'update-user', 'delete-user', 'list-accounts', 'ok', 'error', 'sign-in/social'])(
    'is not found at /auth/%s',
    async (path) => {
      expect((await post(`/auth/${path}`, {})).status).toBe(404);
      expect((await fetch(`${server.origin}/auth/${path}`)).status).toBe(404);
    },
  );
});

describe('with limits on', () => {
  it('refuses the 31st failed sign-in and the 21st sign-up of an address in a minute, with a retry time', async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    const attempt = (path: string) =>
      fetch(`${limited.origin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
    try {
      for (const [path, allowed] of [['/auth/sign-in/email', 30] as const, ['/auth/sign-up/email', 20] as const]) {
        for (let n = 0; n < allowed; n += 1) expect((await attempt(path)).status).toBe(400);
        const refused = await attempt(path);
        expect(refused.status).toBe(429);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        expect((await refused.json()).code).toBe('RATE_LIMITED');
      }
    } finally {
      await limited.stop();
    }
  });
});

describe('behind https', () => {
  it('marks the cookie Secure', async () => {
    const port = await freePort();
    const secure = await startServer({ env: { PORT: String(port), PUBLIC_URL: 'https://causeway.example' } });
    try {
      const origin = `http://127.0.0.1:${port}`;
      const response = await fetch(`${origin}/auth/sign-up/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(somebody('ada')),
      });
      const [cookie = ''] = response.headers.getSetCookie();
      expect(cookie).toMatch(/Secure/);
      const { data } = await askGraphql(
        { origin },
        '{ me { username } }',
        {},
        { cookie: cookie.split(';', 1)[0] ?? '' },
      );
      expect(data.me.username).toBe('ada');
    } finally {
      await secure.stop();
    }
  });
});
