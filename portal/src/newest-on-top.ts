import { type Exchange, makeOperation, type Operation, type OperationResult } from 'urql';
import { filter, fromArray, map, mergeMap, pipe, tap } from 'wonka';

/**
 * Keeps older responses from hiding newer subscription results in Graphcache.
 * Graphcache defers responses while an earlier query is pending, and stores all results of a subscription in the layer
 * of its first.
 * Each result therefore gets its own operation key and, with it, a new top layer.
 * A mutation's response may be older than results that arrived during it, so these are written again.
 */
export function newestOnTop(cache: Exchange): Exchange {
  return ({ forward, ...input }) => {
    const originals = new WeakMap<Operation, Operation>();
    const repeated = new WeakSet<Operation>();
    const told = new ToldMeanwhile();
    let key = 0;
    const withOwnKey = (result: OperationResult): OperationResult => {
      if (result.operation.kind !== 'subscription') return result;
      // Keys of real operations are positive.
      const operation = makeOperation('subscription', { ...result.operation, key: --key }, result.operation.context);
      originals.set(operation, result.operation);
      return { ...result, operation };
    };
    const again = (result: OperationResult): OperationResult => {
      const repeat = withOwnKey(result);
      repeated.add(repeat.operation);
      return repeat;
    };
    const withKeyOfOperation = (result: OperationResult): OperationResult => ({
      ...result,
      operation: originals.get(result.operation) ?? result.operation,
    });
    const through = cache({
      ...input,
      forward: (operations) =>
        pipe(
          forward(
            pipe(
              operations,
              tap((operation) => told.noteAsked(operation)),
            ),
          ),
          mergeMap((result) => fromArray([withOwnKey(result), ...told.noteResult(result).map(again)])),
        ),
    });
    return (operations) =>
      pipe(
        through(operations),
        filter(({ operation }) => !repeated.has(operation)),
        map(withKeyOfOperation),
      );
  };
}

class ToldMeanwhile {
  readonly #told: OperationResult[] = [];
  /** Number of results at the start of each mutation, by call. */
  readonly #pending = new Map<number, number>();

  noteAsked(operation: Operation): void {
    if (operation.kind === 'mutation') this.#pending.set(callOf(operation), this.#told.length);
    if (operation.kind === 'teardown') this.#end(callOf(operation));
  }

  /** @returns the results since this mutation was sent; empty for other operations */
  noteResult(result: OperationResult): OperationResult[] {
    const { kind } = result.operation;
    const call = callOf(result.operation);
    if (kind === 'subscription' && this.#pending.size > 0) this.#told.push(result);
    if (kind !== 'mutation') return [];
    const since = this.#told.slice(this.#pending.get(call) ?? this.#told.length);
    this.#end(call);
    return since;
  }

  #end(call: number): void {
    this.#pending.delete(call);
    if (this.#pending.size === 0) this.#told.length = 0;
  }
}

/** Identical mutations share a key. */
function callOf({ key, context }: Operation): number {
  return context._instance ?? key;
}
