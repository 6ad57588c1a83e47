import { type Client, type ClientOptions, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Loose } from './graphql.js';
import { nextSubscription } from './listeners.js';
import type { TestServer } from './server.js';

export interface Subscription<Data> {
  /** The next result. Fails if the stream has ended. */
  next(): Promise<{ data?: Data | null; errors?: readonly { message: string; extensions?: Loose }[] }>;
  ended: Promise<void>;
  stop(): void;
}

const serverOf = new WeakMap<Client, Pick<TestServer, 'app'>>();

export interface SocketOptions extends Pick<ClientOptions, 'retryAttempts' | 'retryWait'> {
  token?: string;
  headers?: Record<string, string>;
  /** The local IP address to connect from. */
  localAddress?: string;
  onClose?: (code: number) => void;
}

/** A portal client over WebSocket, with graphql-ws. */
export function socketClient(server: Pick<TestServer, 'origin' | 'app'>, options: SocketOptions = {}): Client {
  const { token, headers = {}, localAddress, onClose, ...retrying } = options;
  class WithHeaders extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols, { headers, localAddress });
    }
  }
  const client = createClient({
    url: `${server.origin.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WithHeaders,
    retryAttempts: 0,
    ...retrying,
    connectionParams: token === undefined ? {} : { authorization: `Bearer ${token}` },
    on: { closed: (event) => onClose?.((event as { code: number }).code) },
  });
  serverOf.set(client, server);
  return client;
}

/** Subscribes. Resolves once the server has subscribed to the bus or responded. */
export async function subscribe<Data = Loose>(
  client: Client,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Subscription<Data>> {
  const results: Loose[] = [];
  const waiting: { resolve(result: Loose): void; reject(error: Error): void }[] = [];
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let isOver = false;
  const finish = () => {
    isOver = true;
    for (const reader of waiting.splice(0)) reader.reject(new Error('the subscription has ended'));
    end();
  };
  const take = (result: Loose) => {
    const reader = waiting.shift();
    if (reader) reader.resolve(result);
    else results.push(result);
  };
  const server = serverOf.get(client);
  if (!server) throw new Error('the client was not made by socketClient');
  const listening = nextSubscription(server);
  const stop = client.subscribe(
    { query, variables },
    {
      next: take,
      error: (error) => {
        if (Array.isArray(error)) take({ errors: error });
        finish();
      },
      complete: finish,
    },
  );
  await Promise.race([listening.begun, ended]);
  listening.forget();
  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (results.length > 0) resolve(results.shift());
        else if (isOver) reject(new Error('the subscription has ended'));
        else waiting.push({ resolve, reject });
      }),
    ended,
    stop,
  };
}
