import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ClockMove } from '../../sandbox/protocol.js';
import type { ControlAddress } from '../control.js';

/** Does not keep the process alive. */
export function askForMove(
  { url, token }: ControlAddress,
  query: { follower: string; after: number; withinMs: number },
): Promise<ClockMove> {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/clock/moves?${parameters}`, { headers: { authorization: `Bearer ${token}` } });
    // The first answer is awaited before anything else keeps the process alive.
    if (query.withinMs > 0) asked.on('socket', (socket) => socket.unref());
    asked.on('error', reject);
    asked.on('response', (response) => {
      void text(response).then((body) => {
        if (response.statusCode === 200) resolve(JSON.parse(body));
        else reject(new Error(`${url} answered with status ${response.statusCode}: ${body}`));
      }, reject);
    });
    asked.end();
  });
}
