import { type Exchange, makeOperation, type Operation, type OperationResult } from 'urql';
import { filter, fromArray, map, mergeMap, pipe, tap } from 'wonka';

/**
 * A cache that takes what a subscription tells as the newest there is. Graphcache holds answers back while an earlier question waits for
 * its own, and keeps all that one subscription tells in the place of its first result among them: an answer that came in between would
 * hide what was told after it. Each result passes through the cache under a key of its own, and so takes a new place, on top. The answer
 * to a mutation may be older than what was told while it was on its way, which is therefore written once more after it.
 */
export function newestOnTop(cache: Exchange): Exchange {
  return ({ forward, ...input }) => {
    const originals = new WeakMap<Operation, Operation>();
    const repeated = new WeakSet<Operation>();
    const told = new ToldMeanwhile();
    let key = 0;
    const withOwnKey = (result: OperationResult): OperationResult => {
      if (result.operation.kind !== 'subscription') return result;
      // Keys of operations are positive.
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

/** What subscriptions tell while mutations are on their way. */
class ToldMeanwhile {
  readonly #told: OperationResult[] = [];
  /** How much was told when each mutation was asked for. */
  readonly #pending = new Map<number, number>();

  noteAsked(operation: Operation): void {
    if (operation.kind === 'mutation') this.#pending.set(callOf(operation), this.#told.length);
    if (operation.kind === 'teardown') this.#end(callOf(operation));
  }

  /** @returns what was told since the mutation was asked for that this answers; nothing for any other result */
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

/** Tells apart two mutations that ask for the same, which have one key. */
function callOf({ key, context }: Operation): number {
  return context._instance ?? key;
}
