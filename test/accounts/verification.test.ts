import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outboxOf, type SmtpSink, startSmtpSink } from '../harness/mails.js';
import { type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';

let sink: SmtpSink;
let server: TestServer;
beforeAll(async () => {
  sink = await startSmtpSink();
  server = await startServer({ env: { SMTP_URL: sink.url, MAIL_FROM: 'portal@causeway.example' } });
});
afterAll(async () => {
  await server.stop();
  await sink.close();
});

async function isVerified(person: Person, at = server): Promise<boolean> {
  const { emailVerified } = await at.app.db.reader.authUser.findUniqueOrThrow({ where: { id: person.id } });
  return emailVerified;
}

async function nextLink(): Promise<URL> {
  const { mail } = await sink.next();
  return new URL(/^https?:\/\/\S+$/m.exec(mail.body)?.[0] ?? '');
}

const follow = (link: URL, headers: Record<string, string> = {}) => fetch(link, { redirect: 'manual', headers });

function askAgain(person?: Person, at = server): Promise<Response> {
  const headers: Record<string, string> = person ? { authorization: `Bearer ${person.token}` } : {};
  return fetch(`${at.origin}/auth/send-verification-email`, { method: 'POST', headers });
}

describe('with a mail server, a new account', () => {
  it('is verified by the mailed link, which leads to the portal, and works before that', async () => {
    const ada = await signUp(server, 'ada');
    const { from, to, mail } = await sink.next();
    expect([from, to]).toEqual(['portal@causeway.example', ['ada@people.example']]);
    expect(await isVerified(ada)).toBe(false);
    expect(await ada.graphql('{ me { username } }')).toEqual({ me: { username: 'ada' } });
    const link = new URL(/^https?:\/\/\S+$/m.exec(mail.body)?.[0] ?? '');
    expect(`${link.origin}${link.pathname}`).toBe(`${server.origin}/auth/verify-email`);
    const answer = await follow(link);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await isVerified(ada)).toBe(true);
    expect((await follow(link)).status).toBe(303);
  });

  it('is not verified by the link of another account, whatever session follows it', async () => {
    const bob = await signUp(server, 'bob');
    await nextLink();
    const cleo = await signUp(server, 'cleo');
    const link = await nextLink();
    await follow(link, { authorization: `Bearer ${bob.token}`, cookie: bob.cookie });
    expect([await isVerified(bob), await isVerified(cleo)]).toEqual([false, true]);
  });

  it('ignores a redirect to another site in the link', async () => {
    await signUp(server, 'dan');
    const link = await nextLink();
    link.searchParams.set('callbackURL', 'https://elsewhere.example');
    const answer = await follow(link);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
  });

  it.each([
    ['no token', ''],
    ['an empty token', '?token='],
    ['a token that is none', '?token=abc'],
    ['two tokens', '?token=a&token=b'],
    ['a very long token', `?token=${'a'.repeat(3_000)}`],
    ['an unsigned token', `?token=${unsigned({ email: 'eve@people.example', exp: 9_999_999_999 })}`],
  ])('is not verified by a link with %s', async (_case, query) => {
    const answer = await fetch(`${server.origin}/auth/verify-email${query}`, { redirect: 'manual' });
    expect(answer.status).toBe(400);
    expect((await answer.json()).code).toMatch(/^INVALID_/);
  });

  it('gets another mail on request until it is verified', async () => {
    const fay = await signUp(server, 'fay');
    await nextLink();
    expect((await askAgain(fay)).status).toBe(200);
    expect((await follow(await nextLink())).status).toBe(303);
    expect(await isVerified(fay)).toBe(true);
    expect((await askAgain(fay)).status).toBe(409);
  });

  it('gets no mail on request without a session', async () => {
    expect((await askAgain()).status).toBe(401);
  });
});

function unsigned(payload: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode(payload)}.`;
}

describe('with limits on, an account', () => {
  it('gets five further mails an hour', async () => {
    const limited = await startServer({ env: { SMTP_URL: sink.url, RATE_LIMITS: 'on' } });
    try {
      const gil = await signUp(limited, 'gil');
      for (let n = 0; n < 5; n += 1) expect((await askAgain(gil, limited)).status).toBe(200);
      expect((await askAgain(gil, limited)).status).toBe(429);
    } finally {
      await limited.stop();
    }
  });
});

describe('with an unreachable mail server, a new account', () => {
  it('is created anyway', async () => {
    const lonely = await startServer({ env: { SMTP_URL: 'smtp://127.0.0.1:1' } });
    try {
      expect(await isVerified(await signUp(lonely, 'hal'), lonely)).toBe(false);
    } finally {
      await lonely.stop();
    }
  });
});

describe('without a mail server, a new account', () => {
  it('is verified at once, and no mail is sent', async () => {
    const plain = await startServer();
    try {
      const ida = await signUp(plain, 'ida');
      expect(await isVerified(ida, plain)).toBe(true);
      expect(await outboxOf(plain, ida.email)).toEqual([]);
      expect((await askAgain(ida, plain)).status).toBe(409);
    } finally {
      await plain.stop();
    }
  });
});
