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

/** What was asked for, as far as it is there. */
export interface Answer<Data, Variables extends AnyVariables> extends UseQueryState<Data, Variables> {
  /** Asks the server once more; the same function for as long as the same is asked for. */
  again: () => void;
}

/**
 * Asks for something that a page shows: what is known at once, then as it is now. Where it is not answered this time, what was shown
 * stays; while the server cannot be reached, it is asked again by itself. Nothing is shown of an answer of which a part failed.
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

/** Whether what was shown is not there for the caller any more. */
function isShutOut({ graphQLErrors }: CombinedError): boolean {
  return graphQLErrors.some(({ extensions: { code } }) => code === 'FORBIDDEN' || code === 'NOT_FOUND');
}

/** Asks again, later each time, for as long as the server cannot be reached. */
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
