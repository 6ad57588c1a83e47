import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeQueuedResponses } from '../../src/http/queued-responses.js';
import { RawConnection } from '../harness/raw-http.js';
import { until } from '../harness/until.js';

const responses: ServerResponse[] = [];
const closed: ServerResponse[] = [];
const server = createServer((_request, response) => {
  responses.push(response);
  response.on('close', () => closed.push(response));
});
closeQueuedResponses(server);

let connection: RawConnection;
beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  connection = await RawConnection.open({ origin: `http://127.0.0.1:${port}` });
  const request = ['GET / HTTP/1.1', 'Host: localhost', ''];
  connection.write(...request, ...request, ...request, '');
  await until(() => responses.length === 3);
});
afterEach(async () => {
  responses.length = 0;
  closed.length = 0;
  connection.socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

it('every response is closed once with its connection, in or out of turn, and later listeners learn of it', async () => {
  connection.socket.destroy();
  await until(() => closed.length === 3);
  expect(new Set(closed).size).toBe(3);
  for (const response of responses) {
    expect(response.destroyed).toBe(true);
    await finished(response).catch(() => {});
  }
  expect(closed).toHaveLength(3);
});

it('a finished response is closed once at its end, and the others with the connection', async () => {
  const [first] = responses;
  first?.end('done');
  await until(() => closed.length === 1);
  connection.socket.destroy();
  await until(() => closed.length === 3);
  expect(closed[0]).toBe(first);
  expect(new Set(closed).size).toBe(3);
});
