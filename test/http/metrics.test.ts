import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayClient } from '../harness/gateway-client.js';
import { holdCallers } from '../harness/held-callers.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type Person,
  signUp,
} from '../harness/people.js';
import { ask, formOf } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';

interface Shown {
  type: string;
  labels: Set<string>;
}

const shownBy = async (origin: string) => (await fetch(`${origin}/metrics`)).text();

/** Returns Causeway's metrics from Prometheus text, with the labels of their series except those of histograms. */
function readMetrics(text: string): Map<string, Shown> {
  const metrics = new Map<string, Shown>();
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (causeway_\w+) (\w+)$/gm)) {
    const series = new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{([^}]*)\\}`, 'gm');
    const labels = [...text.matchAll(series)].flatMap(([, list = '']) => [...list.matchAll(/(\w+)="/g)]);
    metrics.set(name, { type, labels: new Set(labels.map(([, label = '']) => label).filter((one) => one !== 'le')) });
  }
  return metrics;
}

async function readTable(): Promise<Map<string, Shown>> {
  const text = await readFile(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8');
  const rows = text.matchAll(/^\| `(\w+)` \| (\w+) \|([^|]*)\|/gm);
  return new Map(
    [...rows].map(([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: new Set([...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)) },
    ]),
  );
}

function readSeries(text: string, series: string): number | null {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}

function readRequests(text: string): Map<string, number> {
  const series = /^causeway_request_seconds_count\{face="(\w+)",route="([^"]*)",status="(\d+)"\} (\d+)$/gm;
  return new Map(
    [...text.matchAll(series)].map(([, face, route, status, count]) => [`${face} ${route} ${status}`, Number(count)]),
  );
}

function added(before: Map<string, number>, after: Map<string, number>): Record<string, number> {
  const more = [...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(more.filter(([, count]) => count > 0));
}

describe('the metrics', () => {
  let server: TestServer;
  let ada: Person;
  let bot: MadeApplication;
  let messages: string;

  beforeAll(async () => {
    // Redis is unreachable, and its metrics are still exposed.
    server = await startServer({ env: { REDIS_URL: 'redis://127.0.0.1:1', RATE_LIMITS: 'on' } });
  });
  afterAll(() => server.stop());

  it('expose all series with known values from the start', async () => {
    const text = await shownBy(server.origin);
    for (const series of [
      'causeway_boxes_away',
      'causeway_degraded{part="files"}',
      'causeway_gateway_client_closes_total{how="lost"}',
      'causeway_gateway_closes_total{code="4009"}',
      'causeway_gateway_unsent_events',
      'causeway_gateway_waiting_sessions',
      'causeway_gateway_admissions_total{outcome="identified"}',
      'causeway_gateway_admissions_total{outcome="resumed"}',
      'causeway_gateway_admissions_total{outcome="invalid_session"}',
      'causeway_limit_refusals_total{scope="global"}',
      'causeway_limit_refusals_total{scope="address"}',
      'causeway_mails_total{outcome="failed"}',
      'causeway_redis_faults_total{reason="timeout"}',
      'causeway_file_bytes_total{direction="received"}',
      'causeway_relay_requests_total{outcome="504"}',
      'causeway_graphql_subscriptions',
      'causeway_redis_up',
    ]) {
      expect([series, readSeries(text, series)]).toEqual([series, 0]);
    }
  });

  it('count requests of every entry point, without identifying names', async () => {
    ada = await signUp(server, 'ada');
    bot = await createApplication(ada);
    const guild = await createGuild(ada);
    await install(ada, bot, guild, { permissions: '8' });
    messages = `/channels/${guild.textChannelId}/messages`;
    const get = (path: string) => fetch(server.origin + path, { redirect: 'manual' });
    const headers = { authorization: `Bot ${bot.botToken}` };
    await fetch(`${server.origin}/api/v10/users/@me`, { headers });
    for (const path of [
      '/',
      '/openapi.json',
      '/cdn/embed/avatars/0.png',
      '/nowhere',
      '/healthz',
      '/invite/secret',
      '/portal/applications',
      '/portal/secret',
    ]) {
      await (await get(path)).arrayBuffer();
    }
    for (const path of ['/oauth2/sign-in', '/auth/get-session', '/api/v10/no/such/route', '/favicon.ico'])
      await (await get(path)).text();
    const text = await shownBy(server.origin);
    const routes = [...readRequests(text).keys()];
    expect(routes).toEqual(
      expect.arrayContaining([
        'rest GET /users/@me 200',
        'rest none 404',
        'graphql POST /graphql 200',
        'accounts GET /auth/get-session 200',
        'oauth GET /oauth2/sign-in 200',
        'openapi GET /openapi.json 200',
        'portal GET / 302',
        'portal GET /portal/* 200',
        'portal GET /portal/* 404',
        'portal GET /favicon.ico 200',
        'none none 404',
      ]),
    );
    expect(routes.filter((route) => /secret|nowhere|healthz|metrics/.test(route))).toEqual([]);
    expect(readSeries(text, 'causeway_file_bytes_total{direction="sent"}')).toBeGreaterThan(100);
    expect(readSeries(text, 'causeway_database_statement_seconds_count')).toBeGreaterThan(3);
  });

  it('count a request once, whatever its entry point', async () => {
    const before = readRequests(await shownBy(server.origin));
    const get = async (path: string, authorization: string) => {
      const answer = await fetch(server.origin + path, { headers: { authorization } });
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    };
    await get('/api/v10/users/@me', `Bot ${bot.botToken}`);
    await get('/graphql?query={me{id}}', `Bearer ${ada.token}`);
    await get('/auth/get-session', `Bearer ${ada.token}`);
    const after = async () => added(before, readRequests(await shownBy(server.origin)));
    const counted = {
      'rest GET /users/@me 200': 1,
      'graphql GET /graphql 200': 1,
      'accounts GET /auth/get-session 200': 1,
    };
    await expect.poll(after).toEqual(counted);
  });

  it('count an abandoned request once, with the status 499', async () => {
    const before = readRequests(await shownBy(server.origin));
    const after = async () => added(before, readRequests(await shownBy(server.origin)));
    const callers = holdCallers(server);
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${ada.token}` };
    const path = `${server.origin}/graphql?query={me{id}}`;
    const left = fetch(path, { headers, signal: leaving.signal });
    await expect.poll(() => callers.count).toBe(1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(after).toEqual({ 'graphql GET /graphql 499': 1 });
    callers.letGo();
    for (let n = 1; n < 4; n += 1) {
      await (await fetch(path, { headers })).arrayBuffer();
      expect(await after()).toEqual({ 'graphql GET /graphql 499': 1, 'graphql GET /graphql 200': n });
    }
  });

  it('count an aborted download with the status 499, and none of its bytes', async () => {
    const form = formOf(undefined, { name: 'files[0]', content: new Uint8Array(10_000_000), filename: 'long.bin' });
    const headers = { authorization: `Bot ${bot.botToken}` };
    const { body } = await ask(server, 'POST', messages, { headers, form });
    const sentBytes = (text: string) => readSeries(text, 'causeway_file_bytes_total{direction="sent"}');
    const before = await shownBy(server.origin);
    await (await fetch(body.attachments[0].url)).body?.cancel();
    const route = 'cdn GET /cdn/attachments/:channelId/:attachmentId/:filename';
    const after = async () => added(readRequests(before), readRequests(await shownBy(server.origin)));
    await expect.poll(after).toEqual({ [`${route} 499`]: 1 });
    expect(sentBytes(await shownBy(server.origin))).toBe(sentBytes(before));
  });

  it('count gateway clients, lost connections and refused uses of limits', async () => {
    const first = await GatewayClient.open(server.origin);
    await first.ready(bot.botToken);
    const second = await GatewayClient.open(server.origin);
    second.identify(bot.botToken);
    await second.op(9);
    await second.close();
    first.socket.terminate();
    const lost = 'causeway_gateway_client_closes_total{how="lost"}';
    await expect.poll(async () => readSeries(await shownBy(server.origin), lost)).toBe(1);
    const text = await shownBy(server.origin);
    expect(readSeries(text, 'causeway_gateway_client_closes_total{how="closed"}')).toBe(0);
    expect(readSeries(text, 'causeway_gateway_waiting_sessions')).toBe(1);
    expect(readSeries(text, 'causeway_gateway_admissions_total{outcome="identified"}')).toBe(1);
    expect(readSeries(text, 'causeway_gateway_admissions_total{outcome="invalid_session"}')).toBe(1);
    expect(readSeries(text, 'causeway_limit_refusals_total{scope="identify"}')).toBe(1);
  });

  it('match docs/metrics.md exactly', async () => {
    const [table, shown] = [await readTable(), readMetrics(await shownBy(server.origin))];
    expect([...shown.keys()].sort()).toEqual([...table.keys()].sort());
    for (const [name, { type, labels }] of shown) {
      expect([name, type]).toEqual([name, table.get(name)?.type]);
      // A label appears with its first series.
      if (labels.size > 0) expect([name, labels]).toEqual([name, table.get(name)?.labels]);
    }
  });
});

it('metrics on a port of their own are not served at the main port', async () => {
  const server = await startServer({ env: { METRICS_PORT: '0' } });
  expect((await fetch(`${server.app.addresses.operationsUrl}/metrics`)).status).toBe(200);
  for (const path of ['/metrics', '/healthz', '/readyz']) {
    expect((await fetch(server.origin + path)).status).toBe(404);
  }
  await server.stop();
});
