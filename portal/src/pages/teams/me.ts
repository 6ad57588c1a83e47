import { useQuery } from 'urql';
import { MeDocument } from '../../gql/teams/me.js';

/** The caller's id; undefined until it is known, which it is since the frame asked. */
export function useMyId(): string | undefined {
  const [{ data }] = useQuery({ query: MeDocument, requestPolicy: 'cache-first' });
  return data?.me?.id;
}
