import type { Client } from 'graphql-ws';
import type { BusMessage, EventName } from '../../src/domain/bus-message.js';
import { STREAM_GAP } from '../../src/infra/streams/stream.js';
import { topics } from '../../src/infra/streams/topics.js';
import type { Loose } from './graphql.js';
import type { Person } from './people.js';
import type { TestServer } from './server.js';
import { socketClient, subscribe } from './sockets.js';

export interface Told {
  /** Returns the `d` of the next event with one of these names about this user. Earlier events are dropped. */
  next(userId: bigint | string, ...names: EventName[]): Promise<Loose>;
  rest(): BusMessage[];
}

export function listenTo({ app }: Pick<TestServer, 'app'>, guildId: bigint | string): Told {
  let events: BusMessage[] = [];
  let wake: () => void = () => {};
  app.bus.subscribe(topics.guild(guildId), (message) => {
    if (message.type === STREAM_GAP) return;
    events.push(message);
    wake();
  });
  return {
    async next(userId, ...names) {
      for (;;) {
        const at = events.findIndex((one) => names.includes(one.type) && one.userId === String(userId));
        const found = events[at];
        events = events.slice(at + 1);
        if (found) return JSON.parse(found.data);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    rest: () => events,
  };
}

export interface OpenSocket {
  client: Client;
  ask(query: string, variables?: Record<string, unknown>): Promise<Loose>;
  close(): Promise<void>;
}

const KEEPS_OPEN = 'subscription { portalHomeChanged { teamInvitations { id } } }';

export async function openSocket(server: Pick<TestServer, 'origin' | 'app'>, { token }: Person): Promise<OpenSocket> {
  const client = socketClient(server, { token });
  await subscribe(client, KEEPS_OPEN);
  return {
    client,
    ask: (query, variables = {}) =>
      new Promise((resolve, reject) => {
        client.subscribe({ query, variables }, { next: resolve, error: reject, complete: () => {} });
      }),
    close: async () => client.dispose(),
  };
}
