import { Client, type CombinedError, fetchExchange, mapExchange, subscriptionExchange } from 'urql';
import type { AskedList } from './asked.js';
import { createCache } from './cache.js';
import { moveErrorsToNull } from './errors.js';
import { fetchInTime } from './fetch-in-time.js';
import { WhoIsThereDocument } from './gql/frame.js';
import { createSocket, subscribeAgain } from './live.js';
import { newestOnTop } from './newest-on-top.js';
import { endSession, sessionEnded } from './session.js';

const HTTP = { url: '/graphql', preferGetMethod: false, fetch: fetchInTime } as const;

/** @param asked records every operation of the client */
export function createClient(asked: AskedList): Client {
  const socket = createSocket();
  // A socket stays bound to the session that opened it.
  sessionEnded.subscribe(() => !sessionEnded.get() && socket.terminate());
  return new Client({
    ...HTTP,
    requestPolicy: 'cache-and-network',
    exchanges: [
      asked.exchange,
      newestOnTop(createCache()),
      mapExchange({ onError: noteEnd, onResult: moveErrorsToNull }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe: (sink) => ({ unsubscribe: subscribeAgain(socket, { query, variables }, sink) }),
        }),
      }),
    ],
  });
}

/** Bypasses the cache. @returns the user's id; null if signed out, undefined if there was no response */
export async function askWhoIsThere(): Promise<string | null | undefined> {
  const client = new Client({ ...HTTP, exchanges: [fetchExchange] });
  const { data } = await client.query(WhoIsThereDocument, {}).toPromise();
  return data && (data.me?.id ?? null);
}

function noteEnd({ graphQLErrors }: CombinedError): void {
  if (graphQLErrors.some(({ extensions }) => extensions.code === 'UNAUTHENTICATED')) endSession();
}
