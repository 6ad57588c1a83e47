import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  SIGN_IN_AT_HOME,
  SIGN_IN_PER_ACCOUNT,
  SIGN_IN_PER_ADDRESS,
  SIGN_UP_PER_ADDRESS,
} from '../../src/domain/limits.js';
import { hashSecret } from '../../src/infra/crypto/secrets.js';
import type { Limit } from '../../src/infra/rate-limits.js';
import { type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
let owner: Person;
let names = 0;
/** Prefix of the addresses of one test. */
let network: string;
beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on', TRUST_PROXY: '1' } });
});
beforeEach(async () => {
  names += 1;
  network = `192.0.${names}`;
  owner = await signUp(server, `owner${names}`, { 'x-forwarded-for': `${network}.200` });
});
afterAll(() => server.stop());

function post(path: string, body: unknown, address: string): Promise<Response> {
  return fetch(`${server.origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(body),
  });
}

const signIn = (email: string, password: string, address: string) =>
  post('/auth/sign-in/email', { email, password }, address);

const wrong = (email: string, address: string) => signIn(email, 'not the password', address);

const right = (person: Person, address: string) => signIn(person.email, person.password, address);

async function guessAt(email: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 1; n <= times; n += 1) statuses.push((await wrong(email, `${network}.${n}`)).status);
  return statuses;
}

async function spend(limit: Limit, key: string): Promise<void> {
  await server.app.limits.take(limit, key, limit.points);
}

const spendAccount = () => spend(SIGN_IN_PER_ACCOUNT, hashSecret(owner.email));

describe('sign-in attempts at one account', () => {
  it('are counted together over all addresses', async () => {
    expect(await guessAt(owner.email, SIGN_IN_PER_ACCOUNT.points)).toEqual(Array(10).fill(401));
    const refused = await wrong(owner.email, `${network}.100`);
    expect(refused.status).toBe(429);
    expect((await refused.json()).code).toBe('RATE_LIMITED');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(500);
    expect(seconds).toBeLessThanOrEqual(600);
    expect((await right(owner, `${network}.101`)).status).toBe(429);
  });

  it('are counted in the same way for an unknown account, and in any spelling of the address', async () => {
    const email = `nobody${names}@people.example`;
    await spend(SIGN_IN_PER_ACCOUNT, hashSecret(email));
    expect((await wrong(email, `${network}.100`)).status).toBe(429);
    expect((await wrong(` ${email.toUpperCase()} `, `${network}.100`)).status).toBe(429);
  });

  it('do not block a user at an address where they have a session', async () => {
    await spendAccount();
    expect((await right(owner, `${network}.200`)).status).toBe(200);
    expect((await right(owner, `${network}.201`)).status).toBe(429);
  });

  it('are limited there, too', { tags: ['slow'] }, async () => {
    await spendAccount();
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) statuses.push((await wrong(owner.email, `${network}.200`)).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });

  it('do not count if they succeed', { tags: ['slow'] }, async () => {
    for (let n = 0; n <= SIGN_IN_PER_ACCOUNT.points; n += 1) {
      expect((await right(owner, `${network}.${n + 1}`)).status).toBe(200);
    }
  });
});

describe('sign-in attempts from one address', () => {
  it('are blocked at that address only', async () => {
    await spend(SIGN_IN_PER_ADDRESS, `${network}.1`);
    const refused = await right(owner, `${network}.1`);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await right(owner, `${network}.2`)).status).toBe(200);
  });

  it('do not count at accounts after they are refused, and leave no record of the accounts', async () => {
    await spend(SIGN_IN_PER_ADDRESS, `${network}.1`);
    const madeUp = `nobody${names}@people.example`;
    for (const email of [owner.email, madeUp]) {
      expect((await wrong(email, `${network}.1`)).status).toBe(429);
      const account = hashSecret(email);
      const counts = [
        await server.app.limits.peek(SIGN_IN_PER_ACCOUNT, account),
        await server.app.limits.peek(SIGN_IN_AT_HOME, `${account}:${network}.1`),
      ];
      expect(counts.map(({ resetAfterMs }) => resetAfterMs)).toEqual([0, 0]);
    }
  });

  it('do not block a user who has a session at that address', async () => {
    await spend(SIGN_IN_PER_ADDRESS, `${network}.200`);
    expect((await right(owner, `${network}.200`)).status).toBe(200);
  });

  it('are counted by the /64 network of an IPv6 address', async () => {
    const prefix = `2001:db8:0:${names}`;
    for (let n = 1; n <= SIGN_IN_PER_ADDRESS.points; n += 1) {
      expect((await post('/auth/sign-in/email', {}, `${prefix}::${n}`)).status).toBe(400);
    }
    expect((await right(owner, `${prefix}:ffff::1`)).status).toBe(429);
    expect((await right(owner, `2001:db8:1:${names}::1`)).status).toBe(200);
  });

  it('do not block a user with a session in the same IPv6 network', async () => {
    const prefix = `2001:db8:2:${names}`;
    expect((await right(owner, `${prefix}::1`)).status).toBe(200);
    await spendAccount();
    expect((await right(owner, `${prefix}::2`)).status).toBe(200);
  });
});

it('sign-ups count by the address that the proxy reports', async () => {
  const attempt = (address: string) => post('/auth/sign-up/email', {}, address);
  for (let n = 0; n < SIGN_UP_PER_ADDRESS.points; n += 1) expect((await attempt(`${network}.1`)).status).toBe(400);
  expect((await attempt(`${network}.1`)).status).toBe(429);
  expect((await attempt(`198.51.100.1, ${network}.1`)).status).toBe(429);
  expect((await attempt(`${network}.2`)).status).toBe(400);
});
