import { print } from '@0no-co/graphql.web';
import { type AnyVariables, type Exchange, getOperationName, mapExchange, type Operation } from 'urql';

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

/** What the pages of one person asked for and did, the newest first: each document once for the same variables. */
export class AskedList {
  #kept: (Pick<Operation, 'key' | 'query' | 'variables'> & { kind: Kind })[] = [];
  #open = new Set<number>();

  /** Hears of all that is asked, also of what is known without the server. */
  readonly exchange: Exchange = mapExchange({
    onOperation: ({ key, kind, query, variables }) => {
      if (kind === 'teardown') this.#open.delete(key);
      // What is shown is asked for once more with every change, by nobody's hand.
      if (kind === 'teardown' || this.#open.has(key)) return;
      if (kind !== 'mutation') this.#open.add(key);
      const others = this.#kept.filter((one) => one.key !== key);
      this.#kept = [{ key, kind, query, variables }, ...others].slice(0, MOST);
    },
  });

  read(): Asked[] {
    return this.#kept.map(({ key, kind, query, variables }) => ({
      key,
      kind,
      name: getOperationName(query) ?? kind,
      text: print(query),
      variables: inLines(variables),
    }));
  }
}

function inLines(variables: AnyVariables): string {
  const text = JSON.stringify(variables ?? {}, (_key, value) => withoutFiles(value), 2);
  return text === '{}' ? '' : text;
}

/** Files go in a request of several parts, and nobody reads a picture in letters. */
function withoutFiles(value: unknown): unknown {
  if (value instanceof Blob) return null;
  return typeof value === 'string' && value.startsWith('data:') ? 'data:…' : value;
}
