import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { RawConnection } from '../harness/raw-http.js';
import { ask } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
afterEach(() => server.stop());

const GET = (path: string) => [`GET ${path} HTTP/1.1`, 'Host: localhost', '', ''];

interface Outcome {
  answered: number;
  refused: number;
  faults: string[];
}

/** Sends requests over one connection until the server refuses them. */
function callBusily(origin: string): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const outcome: Outcome = { answered: 0, refused: 0, faults: [] };
  return new Promise((resolve) => {
    const again = () => {
      const asked = request(`${origin}/api/v10/gateway`, { agent }, (response) => {
        response.resume().on('end', () => {
          outcome.answered += 1;
          if (response.statusCode !== 200) outcome.faults.push(String(response.statusCode));
          again();
        });
      });
      asked.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') outcome.refused += 1;
        else outcome.faults.push(`${error.code} ${error.message}`);
        agent.destroy();
        resolve(outcome);
      });
      asked.end();
    };
    again();
  });
}

describe('a shutdown', () => {
  it.each([
    ['no load balancer watches', false],
    ['a load balancer watches, for a while after the readiness check failed', true],
  ])('resets no request of sixteen busy callers, if %s', async (_where, isWatched) => {
    server = await startServer({ env: { DRAIN_DELAY_MS: '300' } });
    if (isWatched) await ask(server, 'GET', `${server.origin}/readyz`);
    const callers = Array.from({ length: 16 }, () => callBusily(server.origin));
    await ask(server, 'GET', '/gateway');
    await server.stop();
    const outcomes = await Promise.all(callers);
    expect(outcomes.flatMap(({ faults }) => faults)).toEqual([]);
    expect(outcomes.map(({ refused }) => refused)).toEqual(callers.map(() => 1));
    expect(Math.min(...outcomes.map(({ answered }) => answered))).toBeGreaterThan(0);
  });

  it('answers a request on an idle connection, and announces that it closes', async () => {
    server = await startServer();
    const connection = await RawConnection.open(server);
    connection.write(...GET('/api/v10/gateway'));
    expect((await connection.answer()).headers.connection).toBe('keep-alive');
    const stopped = server.stop();
    connection.write(...GET('/api/v10/gateway'));
    expect(await connection.answer()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await connection.closed;
    await stopped;
  });

  it('is reported at /readyz and /healthz for DRAIN_DELAY_MS, before the listener closes', async () => {
    server = await startServer({ env: { DRAIN_DELAY_MS: '1000' } });
    expect((await ask(server, 'GET', `${server.origin}/readyz`)).status).toBe(200);
    const stopped = server.stop();
    const unavailable = { status: 'unavailable', reason: 'draining', degraded: [] };
    const [ready, health, work] = await Promise.all(
      ['/readyz', '/healthz', '/api/v10/gateway'].map((path) => ask(server, 'GET', server.origin + path)),
    );
    expect([ready?.status, ready?.body]).toEqual([503, unavailable]);
    expect(health?.status).toBe(503);
    expect([work?.status, work?.headers.get('connection')]).toEqual([200, 'keep-alive']);
    await stopped;
    const { hostname, port } = new URL(server.origin);
    const late = connect(Number(port), hostname);
    await expect(new Promise((resolve, reject) => late.on('connect', resolve).on('error', reject))).rejects.toThrow();
  });
});
