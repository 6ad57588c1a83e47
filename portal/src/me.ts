import { FrameDocument } from './gql/frame.js';
import type { FrameQuery } from './gql/types.js';
import { useQuery } from './query.js';

/** @returns undefined before the frame query has loaded */
export function useMe(): FrameQuery['me'] | undefined {
  const { data } = useQuery({ query: FrameDocument, requestPolicy: 'cache-first' });
  return data?.me;
}

export function useMyId(): string | undefined {
  return useMe()?.id;
}
