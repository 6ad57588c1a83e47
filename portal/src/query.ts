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
 * Asks for something that a page shows: what is known at once, then as it is now. While the server cannot be reached, what was
 * shown stays, and it is asked again by itself.
 */
export function useQuery<Data, Variables extends AnyVariables>(
  args: UseQueryArgs<Variables, Data>,
): Answer<Data, Variables> {
  const [state, ask] = useUrqlQuery<Data, Variables>(args);
  const again = useCallback(() => ask({ requestPolicy: 'network-only' }), [ask]);
  const { key } = createRequest(args.query, args.variables as Variables);
  const kept = useRef<{ key: number; data: Data }>(undefined);
  if (state.data) kept.current = { key, data: state.data };
  useRetry(state.error, again);
  const isKept = state.error?.networkError !== undefined && kept.current?.key === key;
  return { ...state, data: isKept ? kept.current?.data : state.data, again };
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
