import { print } from '@0no-co/graphql.web';
import { type AnyVariables, type Exchange, getOperationName, type Operation } from 'urql';
import { pipe, tap } from 'wonka';

/** How many are kept. */
const MOST = 30;

type Kind = 'query' | 'mutation' | 'subscription';

/** What was asked of GraphQL. */
export interface Asked {
  key: number;
  kind: Kind;
  name: string;
  /** The document, in lines. */
  text: string;
  /** As JSON, in lines; empty where there are none. */
  variables: string;
}

type Kept = Pick<Asked, 'key' | 'kind' | 'variables'> & Pick<Operation, 'query'>;

/** What the pages of one person asked for and did, the newest first: each document once for the same variables. */
export class AskedList {
  #kept: Kept[] = [];
  #open = new Set<number>();

  /** Hears of all that is asked, also of what is known without the server. */
  readonly exchange: Exchange =
    ({ forward }) =>
    (operations) =>
      pipe(
        operations,
        tap((operation) => this.#note(operation)),
        forward,
      );

  #note({ key, kind, query, variables }: Operation): void {
    if (kind === 'teardown') {
      this.#open.delete(key);
      return;
    }
    // What is shown is asked for once more with every change, by nobody's hand.
    if (this.#open.has(key)) return;
    if (kind !== 'mutation') this.#open.add(key);
    const others = this.#kept.filter((one) => one.key !== key);
    this.#kept = [{ key, kind, query, variables: inLines(variables) }, ...others].slice(0, MOST);
  }

  read(): Asked[] {
    return this.#kept.map(({ query, ...kept }) => ({
      ...kept,
      name: getOperationName(query) ?? kept.kind,
      text: print(query),
    }));
  }
}

/** Files go in a request of several parts, and no JSON can hold them: of each there is its name, which the server refuses. */
function inLines(variables: AnyVariables): string {
  const text = JSON.stringify(
    variables ?? {},
    (_key, value) => (value instanceof File ? `<file ${value.name}>` : value),
    2,
  );
  return text === '{}' ? '' : text;
}
