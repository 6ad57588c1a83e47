import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestServer } from './server.js';

/**
 * Sends requests on one connection without waiting for responses, and counts the responses by status.
 * @param headers values of the request with this number, by name
 */
export async function flood(
  { origin }: Pick<TestServer, 'origin'>,
  path: string,
  count: number,
  headers: (n: number) => Record<string, string>,
): Promise<Record<string, number>> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ port: Number(port), host: hostname === 'localhost' ? '127.0.0.1' : hostname });
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  const statuses: Record<string, number> = {};
  let rest = '';
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, status] = /HTTP\/1\.1 (\d{3}) /.exec(line) ?? [];
      if (status) statuses[status] = (statuses[status] ?? 0) + 1;
    }
  });
  for (let n = 0; n < count; n += 1) {
    const isLast = n === count - 1;
    const all = { host: 'localhost', ...headers(n), connection: isLast ? 'close' : 'keep-alive' };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    const isTaken = socket.write(`${[`GET ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
    if (!isTaken) await Promise.race([once(socket, 'drain'), ended]);
  }
  await ended;
  return statuses;
}
