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

/** The close code of a socket that nobody needs any more (RFC 6455, section 7.4.1). */
const NORMAL = 1_000;

const LONGEST_WAIT_MS = 10_000;

/**
 * A ping is sent this long after the socket was opened or the last ping was answered, and has that long for its answer, in milliseconds.
 * With the second in which a loss is not shown, a dead connection is shown within 10 s.
 */
const PING_AFTER_MS = 4_000;
const PONG_WITHIN_MS = 4_000;

/** How long opening the socket may take, in milliseconds. A browser alone waits for minutes. */
const OPEN_WITHIN_MS = 10_000;

/**
 * The socket of all subscriptions. While somebody subscribes, it is opened again after each loss, and every subscription starts over with
 * the present state. A socket that stays silent is given up without its closing handshake, for which browsers wait a minute.
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

/** Waits longer after each try, and not at all once the browser says that there is a network, or somebody looks at the page again. */
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

/**
 * Subscribes for as long as somebody wants to hear of it: one that broke begins again after a while. Its end for good is told, as it is
 * when the caller may not see something any more.
 * @returns what ends it
 */
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

/** Whether something went wrong that may be right the next time: the connection was closed, or the server was busy or failed. */
function isBreak(reason: unknown): boolean {
  if (!Array.isArray(reason)) return true;
  return reason.some((fault: { extensions?: { code?: unknown } }) => PASSING.has(fault.extensions?.code));
}

/** The codes with which one breaks. */
const PASSING: ReadonlySet<unknown> = new Set(['LIMIT_EXCEEDED', 'RATE_LIMITED', 'INTERNAL']);

/** Hears of something, but not while nobody is signed in; once somebody is, it goes on. */
export function useSubscription<Data, Result = Data, Variables extends AnyVariables = AnyVariables>(
  args: UseSubscriptionArgs<Variables, Data>,
  handler?: SubscriptionHandler<Data, Result>,
): UseSubscriptionResponse<Result, Variables> {
  const isSignedOut = useStore(sessionEnded);
  const asked = { ...args, pause: isSignedOut || args.pause === true } as UseSubscriptionArgs<Variables, Data>;
  return useUrqlSubscription(asked, handler);
}

/**
 * Shows the state of something as it is, after each change. Begins with the present state, after a lost connection and a lost
 * session too.
 * @returns whether it ended, as it does once the caller may not see it any more
 */
export function useLive<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): boolean {
  const [{ error }] = useSubscription({ query, variables } as UseSubscriptionArgs<Variables, Data>);
  return error?.graphQLErrors.some(({ extensions }) => OVER.has(extensions.code)) ?? false;
}

/** The codes with which it ends for good. */
const OVER: ReadonlySet<unknown> = new Set(['NOT_FOUND', 'FORBIDDEN']);
