import {
  createRequest,
  type Exchange,
  type ExchangeInput,
  makeOperation,
  makeResult,
  type Operation,
  type OperationContext,
} from 'urql';
import { expect, it } from 'vitest';
import { makeSubject, map, pipe, subscribe } from 'wonka';
import { newestOnTop } from '../../portal/src/newest-on-top.js';

const CONTEXT = { url: '', requestPolicy: 'cache-and-network' } as const;

let instances = 0;
const operation = (kind: 'mutation' | 'subscription', text: string): Operation =>
  makeOperation(kind, createRequest(`${kind} { ${text} }`, {}), {
    ...CONTEXT,
    _instance: kind === 'mutation' ? (++instances as OperationContext['_instance']) : undefined,
  });

/** Runs the exchange, and records what it writes to the cache and what it returns. */
function around() {
  const [written, heard]: [string[], string[]] = [[], []];
  const asked = makeSubject<Operation>();
  const answered = makeSubject<ReturnType<typeof makeResult>>();
  const cache: Exchange =
    ({ forward }) =>
    (operations) =>
      pipe(
        forward(operations),
        map((result) => {
          written.push(result.data.said);
          return result;
        }),
      );
  const input = {
    forward: (operations: typeof asked.source) => {
      pipe(
        operations,
        subscribe(() => {}),
      );
      return answered.source;
    },
  } as unknown as ExchangeInput;
  pipe(
    newestOnTop(cache)(input)(asked.source),
    subscribe((result) => heard.push(`${result.operation.key > 0 ? 'own' : 'other'} ${result.data.said}`)),
  );
  return {
    written,
    heard,
    ask: asked.next,
    answer: (to: Operation, said: string) => answered.next(makeResult(to, { data: { said } })),
  };
}

it('newestOnTop writes updates that came while a mutation was pending again after its response, and returns none twice', () => {
  const { written, heard, ask, answer } = around();
  const [changes, rename] = [operation('subscription', 'changes'), operation('mutation', 'rename')];
  ask(changes);
  answer(changes, 'first');
  ask(rename);
  answer(changes, 'second');
  answer(changes, 'third');
  answer(rename, 'renamed');
  answer(changes, 'fourth');
  expect(written).toEqual(['first', 'second', 'third', 'renamed', 'second', 'third', 'fourth']);
  expect(heard).toEqual(['own first', 'own second', 'own third', 'own renamed', 'own fourth']);
});

it('newestOnTop writes after each of two mutations the updates that came since it was sent', () => {
  const { written, ask, answer } = around();
  const changes = operation('subscription', 'changes');
  const [rename, move] = [operation('mutation', 'rename'), operation('mutation', 'move')];
  ask(rename);
  answer(changes, 'a');
  ask(move);
  answer(changes, 'b');
  answer(move, 'moved');
  answer(rename, 'renamed');
  answer(changes, 'c');
  expect(written).toEqual(['a', 'b', 'moved', 'b', 'renamed', 'a', 'b', 'c']);
});

it('newestOnTop distinguishes two mutations with the same request', () => {
  const { written, ask, answer } = around();
  const changes = operation('subscription', 'changes');
  const [one, other] = [operation('mutation', 'rename'), operation('mutation', 'rename')];
  ask(one);
  answer(changes, 'a');
  ask(other);
  answer(changes, 'b');
  answer(one, 'older');
  answer(other, 'newer');
  expect(written).toEqual(['a', 'b', 'older', 'a', 'b', 'newer', 'b']);
});

it('newestOnTop forgets a mutation without a subscriber', () => {
  const { written, ask, answer } = around();
  const [changes, rename] = [operation('subscription', 'changes'), operation('mutation', 'rename')];
  ask(rename);
  answer(changes, 'a');
  ask(makeOperation('teardown', rename, rename.context));
  answer(rename, 'renamed');
  expect(written).toEqual(['a', 'renamed']);
});
