import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOKEN_REQUESTS_PER_ADDRESS, TOKEN_REQUESTS_PER_CLIENT } from '../../src/domain/limits.js';
import type { Limit } from '../../src/infra/rate-limits.js';
import { countHeld } from '../harness/forms.js';
import { basic, inForm, postForm } from '../harness/oauth.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../harness/people.js';
import { RawConnection } from '../harness/raw-http.js';
import { startServer, type TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';

let server: TestServer;
let ada: Person;
let client: MadeApplication;
let other: MadeApplication;
beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on', TRUST_PROXY: '1' } });
  ada = await signUp(server, 'ada');
  [client, other] = [await createApplication(ada), await createApplication(ada)];
});
afterAll(() => server.stop());

async function spend(limit: Limit, key: string): Promise<void> {
  await server.app.limits.take(limit, key, limit.points);
}

const at = (address: string) => ({ headers: { 'x-forwarded-for': address } });

const ask = (application: MadeApplication, address: string) =>
  postForm(server, { grant_type: 'client_credentials', ...inForm(application) }, at(address));

const askWrongly = (address: string, id = client.id) =>
  postForm(server, { grant_type: 'client_credentials', client_id: id, client_secret: 'wrong' }, at(address));

const refusal = { status: 429, body: { error: 'temporarily_unavailable' } };

describe('at an address with many failed authentications', () => {
  const address = '192.0.2.1';

  it('only failing clients are refused', async () => {
    expect((await askWrongly(address)).status).toBe(401);
    await spend(TOKEN_REQUESTS_PER_ADDRESS, address);
    const refused = await askWrongly(address);
    expect(refused).toMatchObject(refusal);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(client, address)).status).toBe(200);
    expect((await askWrongly('192.0.2.2')).status).toBe(401);
  });

  it('every kind of failure counts', async () => {
    for (const form of [{}, { grant_type: 'client_credentials' }, { client_id: 'x' }, { client_id: '1' }]) {
      expect(await postForm(server, form as Record<string, string>, at(address))).toMatchObject(refusal);
    }
    const headers = { ...at(address).headers, ...basic(client.id, 'wrong') };
    expect(await postForm(server, { grant_type: 'client_credentials' }, { headers })).toMatchObject(refusal);
    expect(await postForm(server, { token: 'x' }, { path: '/revoke', ...at(address) })).toMatchObject(refusal);
  });
});

describe('an incomplete form', () => {
  const SENT = 60_000;

  async function begin(path: string, address: string): Promise<RawConnection> {
    const connection = await RawConnection.open(server);
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      `X-Forwarded-For: ${address}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${SENT + 1}`,
    ];
    connection.write(...head, '', 'x'.repeat(SENT));
    return connection;
  }

  it.each([
    ['/api/v10/oauth2/token', '192.0.2.201'],
    ['/oauth2/token/revoke', '192.0.2.202'],
    ['/oauth2/authorize', '192.0.2.203'],
    ['/oauth2/sign-in', '192.0.2.204'],
    ['/oauth2/sign-up', '192.0.2.205'],
    ['/oauth2/sign-out', '192.0.2.206'],
  ])('counts against the memory quota of its address (%s)', async (path, address) => {
    const before = server.app.bodies.hold(address);
    before.add(32 * 1024 * 1024 - SENT - 1);
    const held = countHeld(server);
    const first = await begin(path, address);
    await expect.poll(() => held.bytes, { timeout: 8_000 }).toBe(SENT);
    const second = await begin(path, address);
    expect(await second.answer()).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    first.write('x');
    expect((await first.answer()).status).not.toBe(429);
    expect(held.bytes).toBe(0);
    before.release();
    for (const { socket } of [first, second]) socket.destroy();
  });
});

describe('an authenticated client', () => {
  it('has its own limit, whatever its address, and does not affect others there', async () => {
    await spend(TOKEN_REQUESTS_PER_CLIENT, other.id);
    for (const address of ['192.0.2.3', '192.0.2.4']) {
      expect(await ask(other, address)).toMatchObject(refusal);
      expect((await ask(client, address)).status).toBe(200);
    }
  });

  it('can get its tokens in spite of callers who guess its secret', async () => {
    for (let n = 0; n < 20; n += 1) await askWrongly(`198.51.100.${n}`);
    const { remaining } = await server.app.limits.peek(TOKEN_REQUESTS_PER_CLIENT, client.id);
    expect((await ask(client, '192.0.2.5')).status).toBe(200);
    expect((await server.app.limits.peek(TOKEN_REQUESTS_PER_CLIENT, client.id)).remaining).toBe(remaining - 1);
  });

  it('that is public is also limited by its address, since its id is not secret', async () => {
    const application = await createApplication(ada);
    await update(ada, application.id, { publicClient: true });
    const refresh = (address: string) =>
      postForm(server, { grant_type: 'refresh_token', refresh_token: 'x', client_id: application.id }, at(address));
    await spend(TOKEN_REQUESTS_PER_CLIENT, `${application.id}:192.0.2.6`);
    expect(await refresh('192.0.2.6')).toMatchObject(refusal);
    expect(await refresh('192.0.2.7')).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});
