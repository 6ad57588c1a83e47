import { gql, type TypedDocumentNode } from 'urql';

/** Typed GraphQL document. `npm run schema` generates the calls. */
export function document<Data, Variables extends object>(text: string): TypedDocumentNode<Data, Variables> {
  return gql<Data, Variables>(text);
}
