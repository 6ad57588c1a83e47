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
  /** Refetches. Stable while query and variables are the same. */
  again: () => void;
}

/**
 * Shows cached data first, then fresh data. If a refetch fails, the data stays unless access was lost.
 * Retries while the server is unreachable. Never returns data of a partly failed response.
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

function isShutOut({ graphQLErrors }: CombinedError): boolean {
  return graphQLErrors.some(({ extensions: { code } }) => code === 'FORBIDDEN' || code === 'NOT_FOUND');
}

/** Backs off while the server is unreachable. */
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
