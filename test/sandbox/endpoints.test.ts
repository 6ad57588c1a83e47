import { afterAll, beforeEach, describe, expect } from 'vitest';
import type { World } from '../../src/testing/index.js';
import { startEndpoint, type TestEndpoint } from '../harness/endpoint.js';
import { test } from '../harness/sandbox.js';

/** An HTTP endpoint as its author tests it. */
let world: World;
let endpoint: TestEndpoint;

test.beforeAll(async ({ instance }) => {
  world = await instance.createWorld({
    applications: [{ name: 'Post bot', commands: [{ name: 'post', description: 'Posts' }] }],
  });
  endpoint = await startEndpoint({
    publicKey: world.bot.publicKey,
    answer: () => ({ type: 4, data: { content: 'Posted.' } }),
  });
  await world.bot.setEndpoint(endpoint.url);
});

beforeEach(() => {
  endpoint.requests.length = 0;
});

afterAll(async () => {
  await endpoint.close();
  await world.dispose();
});

describe('an HTTP endpoint', () => {
  test('answers a command', async () => {
    expect((await world.person('ada').slash('post')).content).toBe('Posted.');
    expect(endpoint.requests).toMatchObject([{ isSigned: true }]);
  });

  test('is tested before it is set', async () => {
    await expect(world.bot.setEndpoint('http://localhost:9/')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('gets the interaction twice', async () => {
    const fault = await world.addFault({ endpoint: true, effect: { type: 'twice' } });
    expect((await world.person('ada').slash('post')).content).toBe('Posted.');
    expect(endpoint.requests).toHaveLength(2);
    await fault.remove();
  });

  // In these tests, the platform falls back to the gateway, where no bot takes the interaction for 3 s.
  test('refuses a bad signature', { tags: ['slow'] }, async () => {
    const fault = await world.addFault({ endpoint: true, nth: 1, effect: { type: 'badSignature' } });
    await expect(world.person('ada').slash('post')).rejects.toThrow('The endpoint responded with 401 instead of 2xx.');
    expect(endpoint.requests).toMatchObject([{ isSigned: false }]);
    expect(await fault.applied()).toBe(1);
    await fault.remove();
  });

  test('answers too late', { tags: ['slow'] }, async () => {
    const fault = await world.addFault({ endpoint: true, nth: 1, effect: { type: 'delay', ms: 3_000 } });
    const run = world.person('ada').slash('post', {}, { withinMs: 10_000 });
    await expect(run).rejects.toThrow('The endpoint did not respond within 3 seconds.');
    await fault.remove();
  });

  test('is in the transcript with the body that it answered', async () => {
    await world.person('ada').slash('post');
    const entry = (await world.transcript()).findLast(({ kind }) => kind === 'endpoint');
    expect(entry?.text).toMatch(/^Post bot ← post → 200 \(answered, \d+ ms\)$/);
    expect(JSON.stringify(entry?.data)).toContain('Posted.');
  });
});

describe('a consent screen', () => {
  const link = (query: Record<string, string>) =>
    `${world.api.replace(/\/api$/, '')}/oauth2/authorize?${new URLSearchParams(query)}`;

  test('leads an authorized application to its redirect URI with a code', async ({ instance }) => {
    const other = await instance.createWorld({
      applications: [{ name: 'Site', redirectUris: ['http://localhost:1234/callback'] }],
    });
    const url = link({
      client_id: other.bot.id,
      redirect_uri: 'http://localhost:1234/callback',
      response_type: 'code',
      scope: 'identify',
      state: 'abc',
    });
    const { redirectTo, code, state } = await other.person('grace').authorize(url);
    expect(redirectTo).toMatch(/^http:\/\/localhost:1234\/callback\?/);
    expect(state).toBe('abc');
    const token = await fetch(`${other.api}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${other.bot.id}:${other.bot.clientSecret}`)}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: code ?? '',
        redirect_uri: 'http://localhost:1234/callback',
      }),
    });
    const { access_token } = (await token.json()) as { access_token: string };
    const me = await fetch(`${other.api}/v10/users/@me`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(await me.json()).toMatchObject({ username: 'grace' });
    expect(await other.person('ada').authorize(url, 'cancel')).toMatchObject({ code: null, error: 'access_denied' });
    await other.dispose();
  });

  test('says why it refuses a link', async () => {
    const url = link({
      client_id: world.bot.id,
      redirect_uri: 'http://elsewhere.example/',
      response_type: 'code',
      scope: 'identify',
    });
    await expect(world.person('ada').authorize(url)).rejects.toMatchObject({ code: 'NO_CONSENT' });
    await expect(world.person('ada').authorize('http://localhost/login')).rejects.toMatchObject({
      code: 'INVALID_URL',
    });
  });
});
