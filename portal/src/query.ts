import { useCallback, useEffect, useRef } from 'react';
import {
  type AnyVariables,
  type CombinedError,
  createRequest,
  type UseQueryArgs,
  type UseQueryState,
  useQuery as useUrqlQuery,
} from 'urql';
import { waitToRetry } from './live.js';

export interface Answer<Data, Variables extends AnyVariables> extends UseQueryState<Data, Variables> {
  /** Fetches from the network. The function is stable while query and variables are the same. */
  again: () => void;
}

/**
 * Query that shows cached data first, then fresh data. If a refetch fails, the previous data stays unless access was
 * lost.
 * It retries while the server is unreachable. A partially failed response is not shown.
 */
export function useQuery<Data, Variables extends AnyVariables>(
  args: UseQueryArgs<Variables, Data>,
): Answer<Data, Variables> {
  const [state, ask] = useUrqlQuery<Data, Variables>(args);
  const again = useCallback(() => ask({ requestPolicy: 'network-only' }), [ask]);
  const { key } = createRequest(args.query, args.variables as Variables);
  const kept = useRef<{ key: number; data: Data }>(undefined);
  if (state.data && !state.error) kept.current = { key, data: state.data };
  useRetry(state.error, again);
  if (!state.error) return { ...state, again };
  const isKept = kept.current?.key === key && !isShutOut(state.error);
  return { ...state, data: isKept ? kept.current?.data : undefined, again };
}

/** Whether the data no longer exists for the user. */
function isShutOut({ graphQLErrors }: CombinedError): boolean {
  return graphQLErrors.some(({ extensions: { code } }) => code === 'FORBIDDEN' || code === 'NOT_FOUND');
}

/** Retries with backoff while the server is unreachable. */
function useRetry(error: CombinedError | undefined, again: () => void): void {
  const tries = useRef(0);
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    if (!error?.networkError) {
      tries.current = 0;
      return;
    }
    let isOver = false;
    void waitToRetry(tries.current++).then(() => isOver || latest.current());
    return () => {
      isOver = true;
    };
  }, [error]);
}
