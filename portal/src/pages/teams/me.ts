import { useQuery } from 'urql';
import { FrameDocument } from '../../gql/frame.js';

/** The caller's id; undefined until it is known, which it is since the frame asked. */
export function useMyId(): string | undefined {
  const [{ data }] = useQuery({ query: FrameDocument, requestPolicy: 'cache-first' });
  return data?.me?.id;
}
