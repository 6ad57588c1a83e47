import { FrameDocument } from './gql/frame.js';
import type { FrameQuery } from './gql/types.js';
import { useQuery } from './query.js';

/** Who is signed in; undefined until it is known, which it is since the frame asked. */
export function useMe(): FrameQuery['me'] | undefined {
  const { data } = useQuery({ query: FrameDocument, requestPolicy: 'cache-first' });
  return data?.me;
}

/** The caller's id, as {@link useMe} knows it. */
export function useMyId(): string | undefined {
  return useMe()?.id;
}
