import { createClient, type Sink, type Client as Socket, type SubscribePayload } from 'graphql-ws';
import {
  type AnyVariables,
  type ExecutionResult,
  type SubscriptionHandler,
  type TypedDocumentNode,
  type UseSubscriptionArgs,
  type UseSubscriptionResponse,
  useSubscription as useUrqlSubscription,
} from 'urql';
import { connection } from './connection.js';
import { sessionEnded } from './session.js';
import { useStore } from './store.js';

/** Normal closure (RFC 6455, section 7.4.1). */
const NORMAL = 1_000;

const LONGEST_WAIT_MS = 10_000;

/**
 * Time between a pong and the next ping, and limit for the pong, in milliseconds.
 * With the 1 s before a loss is shown, a dead connection is shown within 10 s.
 */
const PING_AFTER_MS = 4_000;
const PONG_WITHIN_MS = 4_000;

/** Time limit for opening, in milliseconds. Browsers would wait for minutes. */
const OPEN_WITHIN_MS = 10_000;

/**
 * The socket of all subscriptions. It reconnects while there are any, and each then starts with the current state.
 * A silent socket is terminated, because browsers wait a minute for a closing handshake.
 */
export function createSocket(): Socket {
  let deadline: ReturnType<typeof setTimeout> | undefined;
  const met = () => clearTimeout(deadline);
  const expectWithin = (ms: number) => {
    met();
    deadline = setTimeout(() => socket.terminate(), ms);
  };
  const socket = createClient({
    url: `${window.location.origin.replace(/^http/, 'ws')}/graphql`,
    lazy: true,
    lazyCloseTimeout: 5_000,
    keepAlive: PING_AFTER_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    retryWait: waitToRetry,
    on: {
      connecting: () => expectWithin(OPEN_WITHIN_MS),
      connected: () => {
        met();
        connection.set('live');
      },
      closed: (event) => {
        met();
        connection.set((event as CloseEvent).code === NORMAL ? 'none' : 'lost');
      },
      ping: (isReceived) => isReceived || expectWithin(PONG_WITHIN_MS),
      pong: (isReceived) => isReceived && met(),
    },
  });
  window.addEventListener('offline', () => socket.terminate());
  return socket;
}

/** Backoff with jitter. Ends early if the browser goes online or the tab becomes visible. */
export function waitToRetry(retries: number): Promise<void> {
  const longest = Math.min(LONGEST_WAIT_MS, 500 * 2 ** retries);
  return new Promise((resolve) => {
    const stop = new AbortController();
    const goOn = () => {
      stop.abort();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(goOn, longest * (0.5 + Math.random() / 2));
    window.addEventListener('online', goOn, { signal: stop.signal });
    const isSeen = () => document.visibilityState === 'visible' && goOn();
    document.addEventListener('visibilitychange', isSeen, { signal: stop.signal });
  });
}

/** Subscribes again after transient errors. Permanent ones reach the sink. @returns unsubscribe function */
export function subscribeAgain(socket: Socket, payload: SubscribePayload, sink: Sink<ExecutionResult>): () => void {
  let tries = 0;
  let isOver = false;
  let end = () => {};
  const begin = () => {
    end = socket.subscribe<Record<string, unknown>, Record<string, unknown>>(payload, {
      next: (value) => {
        tries = 0;
        sink.next(value);
      },
      error: (reason) =>
        isBreak(reason) ? void waitToRetry(tries++).then(() => isOver || begin()) : sink.error(reason),
      complete: () => sink.complete(),
    });
  };
  begin();
  return () => {
    isOver = true;
    end();
  };
}

/** Whether a retry may succeed: the connection closed, or the server was busy or failed. */
function isBreak(reason: unknown): boolean {
  if (!Array.isArray(reason)) return true;
  return reason.some((fault: { extensions?: { code?: unknown } }) => PASSING.has(fault.extensions?.code));
}

const PASSING: ReadonlySet<unknown> = new Set(['LIMIT_EXCEEDED', 'RATE_LIMITED', 'INTERNAL']);

/** Pauses while the user is signed out. */
export function useSubscription<Data, Result = Data, Variables extends AnyVariables = AnyVariables>(
  args: UseSubscriptionArgs<Variables, Data>,
  handler?: SubscriptionHandler<Data, Result>,
): UseSubscriptionResponse<Result, Variables> {
  const isSignedOut = useStore(sessionEnded);
  const asked = { ...args, pause: isSignedOut || args.pause === true } as UseSubscriptionArgs<Variables, Data>;
  return useUrqlSubscription(asked, handler);
}

/**
 * Subscribes to an object, starting with its current state, also after reconnects and sign-ins.
 * @returns true once the user has lost access
 */
export function useLive<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): boolean {
  const [{ error }] = useSubscription({ query, variables } as UseSubscriptionArgs<Variables, Data>);
  return error?.graphQLErrors.some(({ extensions }) => OVER.has(extensions.code)) ?? false;
}

const OVER: ReadonlySet<unknown> = new Set(['NOT_FOUND', 'FORBIDDEN']);
