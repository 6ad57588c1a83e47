import { gql, type TypedDocumentNode } from 'urql';

/** A document of GraphQL with the types of its answer and its variables, which `npm run schema` writes. */
export function document<Data, Variables extends object>(text: string): TypedDocumentNode<Data, Variables> {
  return gql<Data, Variables>(text);
}
