import { type DocumentNode, type FragmentDefinitionNode, GraphQLError, Kind, type SelectionSetNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Longest cached document, in characters. Parsed, it takes about fifty times as much memory. */
const MAX_KEPT_LENGTH = 4 * 1024;
const MAX_KEPT = 250;

/** Pages send the same documents repeatedly. */
export function createDocumentCache() {
  const documents = new LRUCache<string, DocumentNode>({ max: MAX_KEPT });
  return {
    documentCache: {
      get: (text: string) => documents.get(text),
      set(text: string, document: DocumentNode) {
        if (text.length <= MAX_KEPT_LENGTH) documents.set(text, document);
      },
    },
    errorCache: { get: () => undefined, set: () => {} },
  };
}

const MAX_COMPARISONS = 5_000;
const MAX_SPREADS = 200;

/**
 * Rejects a document whose validation would be slow: the overlapping-fields rule (GraphQL, section 5.3.2) compares
 * same-named fields in
 * pairs, across fragments too. This check takes linear time.
 * @throws GraphQLError
 */
export function refuseRepeats(document: DocumentNode): void {
  new RepeatCount(document).check();
}

/** Occurrences of each response name, and the most fields below one. */
type Names = Map<string, { count: number; size: number }>;

class RepeatCount {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #ofFragment = new Map<string, Names>();
  #comparisons = 0;
  #spreads = 0;

  constructor(private readonly document: DocumentNode) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition);
    }
  }

  check(): void {
    for (const definition of this.document.definitions) {
      if (definition.kind === Kind.OPERATION_DEFINITION) this.#sizeOf(definition.selectionSet);
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#namesOfFragment(definition.name.value);
    }
  }

  /** Number of fields, nested ones included. */
  #sizeOf(set: SelectionSetNode): number {
    const names: Names = new Map();
    this.#collect(set, names);
    return this.#compare(names);
  }

  #compare(names: Names): number {
    let total = 0;
    for (const { count, size } of names.values()) {
      this.#comparisons += ((count * (count - 1)) / 2) * size;
      total += count * size;
    }
    if (this.#comparisons > MAX_COMPARISONS)
      throw tooMuch('selects the same field too often in one place. Select each field once, or use aliases');
    return total;
  }

  #collect(set: SelectionSetNode, names: Names): void {
    for (const selection of set.selections) {
      switch (selection.kind) {
        case Kind.FIELD: {
          const size = 1 + (selection.selectionSet ? this.#sizeOf(selection.selectionSet) : 0);
          add(names, selection.alias?.value ?? selection.name.value, { count: 1, size });
          break;
        }
        case Kind.INLINE_FRAGMENT:
          this.#collect(selection.selectionSet, names);
          break;
        case Kind.FRAGMENT_SPREAD:
          this.#spreads += 1;
          if (this.#spreads > MAX_SPREADS)
            throw tooMuch(`has more than ${MAX_SPREADS} fragment spreads. Use fewer fragments`);
          for (const [name, found] of this.#namesOfFragment(selection.name.value)) add(names, name, found);
          break;
      }
    }
  }

  #namesOfFragment(name: string): Names {
    const known = this.#ofFragment.get(name);
    if (known) return known;
    const names: Names = new Map();
    // Stops recursion. Another rule rejects cycles.
    this.#ofFragment.set(name, names);
    const fragment = this.#fragments.get(name);
    if (!fragment) return names;
    const found: Names = new Map();
    this.#collect(fragment.selectionSet, found);
    this.#compare(found);
    for (const [field, count] of found) names.set(field, count);
    return names;
  }
}

function add(names: Names, name: string, { count, size }: { count: number; size: number }): void {
  const known = names.get(name);
  names.set(name, { count: (known?.count ?? 0) + count, size: Math.max(known?.size ?? 0, size) });
}

function tooMuch(what: string): GraphQLError {
  return new GraphQLError(`The document ${what}.`);
}
