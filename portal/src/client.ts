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

/**
 * GraphQL, by which the portal reads and does everything but signing in and out.
 * @param asked hears of all that it is asked
 */
export function createClient(asked: AskedList): Client {
  const socket = createSocket();
  // A socket speaks for the session it was opened with.
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

/** Who is signed in now, whatever pages were shown before; null for nobody, undefined where no answer came. */
export async function askWhoIsThere(): Promise<string | null | undefined> {
  const client = new Client({ ...HTTP, exchanges: [fetchExchange] });
  const { data } = await client.query(WhoIsThereDocument, {}).toPromise();
  return data && (data.me?.id ?? null);
}

function noteEnd({ graphQLErrors }: CombinedError): void {
  if (graphQLErrors.some(({ extensions }) => extensions.code === 'UNAUTHENTICATED')) endSession();
}
