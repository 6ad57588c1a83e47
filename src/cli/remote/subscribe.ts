import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { Failure } from '../failure.js';
import { type GraphqlError, NoAnswer, refusalOf } from './graphql.js';
import { requireToken, type ServerOptions, USAGE_ERROR } from './options.js';

/** Close code of a refused token. */
const FORBIDDEN = 4403;

const LONGEST_PAUSE_MS = 5_000;

interface Subscription<Data> {
  query: string;
  variables: Record<string, unknown>;
  /** Called again after each lost connection. */
  onOpen(): void;
  onLost(): void;
  onData(data: Data): void;
}

/**
 * Subscribes until the process is interrupted. Connects again after a lost connection, but not if the first one fails.
 * @throws {Refusal} @throws {NoAnswer} @throws {Failure}
 */
export async function subscribe<Data>(options: ServerOptions, subscription: Subscription<Data>): Promise<void> {
  const { url } = options;
  const client = connect(options, subscription);
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  const ended = new Promise<void>((resolve, reject) => {
    const { query, variables, onData } = subscription;
    client.subscribe<Data>(
      { query, variables },
      {
        next: ({ data, errors }) => {
          const [error] = errors ?? [];
          if (error) reject(refusalOf(error as GraphqlError, url));
          else if (data) onData(data);
        },
        error: (error) => reject(failureOf(error, url)),
        complete: () => resolve(),
      },
    );
  });
  try {
    await Promise.race([interrupted, ended]);
  } finally {
    await client.dispose();
  }
}

function connect(options: ServerOptions, { onOpen, onLost }: Pick<Subscription<unknown>, 'onOpen' | 'onLost'>): Client {
  const { url } = options;
  let wasOpen = false;
  let failures = 0;
  return createClient({
    url: socketUrl(url),
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${requireToken(options)}` },
    lazy: true,
    keepAlive: 10_000,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: (problem) => wasOpen && codeOf(problem) !== FORBIDDEN,
    retryWait: () => {
      failures += 1;
      const ms = Math.min(250 * 2 ** failures, LONGEST_PAUSE_MS);
      return new Promise((resolve) => setTimeout(resolve, ms * (0.5 + Math.random() / 2)));
    },
    on: {
      connected: () => {
        wasOpen = true;
        failures = 0;
        onOpen();
      },
      closed: (event) => {
        if (wasOpen && failures === 0 && codeOf(event) !== 1000) onLost();
      },
    },
  });
}

/** @throws {Failure} */
function socketUrl(url: string): string {
  if (!URL.canParse('/graphql', url))
    throw new Failure(`${url} is not a URL; correct --url or CAUSEWAY_URL`, USAGE_ERROR);
  const address = new URL('/graphql', url);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  return address.href;
}

function codeOf(problem: unknown): unknown {
  return typeof problem === 'object' && problem !== null ? Reflect.get(problem, 'code') : undefined;
}

/** The client reports errors of GraphQL, closed connections and failed ones in the same way. */
function failureOf(problem: unknown, url: string): Failure {
  if (Array.isArray(problem)) return refusalOf(problem[0] as GraphqlError, url);
  if (codeOf(problem) === FORBIDDEN) return refusalOf({ message: '', extensions: { code: 'UNAUTHENTICATED' } }, url);
  const reason = problem instanceof Error ? problem.message : `connection closed with ${codeOf(problem)}`;
  return new NoAnswer(`${url} could not be reached (${reason}); check --url or CAUSEWAY_URL`);
}
