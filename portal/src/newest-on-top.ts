import { type Exchange, makeOperation, type Operation, type OperationResult } from 'urql';
import { map, pipe } from 'wonka';

/**
 * A cache that takes what a subscription tells as the newest there is. Graphcache holds answers back while an earlier question waits for
 * its own, and keeps all that one subscription tells in the place of its first result among them: an answer that came in between would
 * hide what was told after it. Each result passes through the cache under a key of its own, and so takes a new place, on top.
 */
export function newestOnTop(cache: Exchange): Exchange {
  return ({ forward, ...input }) => {
    const originals = new WeakMap<Operation, Operation>();
    let key = 0;
    const withOwnKey = (result: OperationResult): OperationResult => {
      if (result.operation.kind !== 'subscription') return result;
      // Keys of operations are positive.
      const operation = makeOperation('subscription', { ...result.operation, key: --key }, result.operation.context);
      originals.set(operation, result.operation);
      return { ...result, operation };
    };
    const withKeyOfOperation = (result: OperationResult): OperationResult => ({
      ...result,
      operation: originals.get(result.operation) ?? result.operation,
    });
    const through = cache({ ...input, forward: (operations) => pipe(forward(operations), map(withOwnKey)) });
    return (operations) => pipe(through(operations), map(withKeyOfOperation));
  };
}
