import { print } from '@0no-co/graphql.web';
import { type AnyVariables, type Exchange, getOperationName, type Operation } from 'urql';
import { pipe, tap } from 'wonka';

const MOST = 30;

type Kind = 'query' | 'mutation' | 'subscription';

export interface Asked {
  key: number;
  kind: Kind;
  name: string;
  /** The formatted document. */
  text: string;
  /** Formatted JSON; empty if there are no variables. */
  variables: string;
}

type Kept = Pick<Asked, 'key' | 'kind' | 'variables'> & Pick<Operation, 'query'>;

/** Latest operations, newest first, without duplicates. */
export class AskedList {
  #kept: Kept[] = [];
  #open = new Set<number>();

  /** Includes operations answered from the cache. */
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
    // Graphcache repeats an open query on each update.
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

/** JSON cannot hold files, so they appear by name. The server rejects that placeholder. */
function inLines(variables: AnyVariables): string {
  const text = JSON.stringify(
    variables ?? {},
    (_key, value) => (value instanceof File ? `<file ${value.name}>` : value),
    2,
  );
  return text === '{}' ? '' : text;
}
