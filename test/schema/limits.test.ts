import { execute, GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, parse } from 'graphql';
import { beforeEach, expect, it } from 'vitest';
import { DomainError } from '../../src/domain/errors.js';
import { OBJECTS_PER_TURN, OPERATION_COST, OperationBudget, operationLimits } from '../../src/schema/budget.js';
import { limitOperations } from '../../src/schema/limits.js';
import { eachRound } from '../harness/turns.js';

/** Number of objects with a resolved field, for each turn of the event loop. */
let made: number[];
beforeEach(() => {
  made = [0];
  return eachRound(() => void made.push(0));
});

const Item: GraphQLObjectType = new GraphQLObjectType({
  name: 'Item',
  fields: () => ({
    length: {
      type: new GraphQLNonNull(GraphQLInt),
      resolve: (length: number) => {
        made.push((made.pop() ?? 0) + 1);
        return length;
      },
    },
    items: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(Item))),
      resolve: (length: number) => Array.from({ length }, () => length),
    },
  }),
});
const schema = limitOperations(
  new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: { item: { type: Item, resolve: (length: number) => length } },
    }),
    subscription: new GraphQLObjectType({
      name: 'Subscription',
      fields: { changed: { type: Item, resolve: (length: number) => length } },
    }),
  }),
);

const run = (query: string, length: number, budget: OperationBudget) =>
  execute({ schema, document: parse(query), rootValue: length, contextValue: { budget } });

it.each([
  ['one list', '{ item { items { length } } }', 9_000],
  ['a list in each entry of another', '{ item { items { items { length } } } }', 90],
  ['lists next to each other', `{ item { ${'abcdefghi'.replace(/./g, ' $&: items { length }')} } }`, 1_000],
])('%s: an operation yields to the event loop after each batch of objects', async (_case, query, length) => {
  const paid: number[] = [];
  const result = await run(query, length, new OperationBudget(async (objects) => void paid.push(objects)));
  expect(result.errors).toBeUndefined();
  const total = made.reduce((sum, count) => sum + count, 0);
  expect(total).toBeGreaterThanOrEqual(8_100);
  expect(Math.max(...made)).toBeLessThanOrEqual(Math.max(length, OBJECTS_PER_TURN + length));
  const sum = paid.reduce((all, objects) => all + objects, OPERATION_COST);
  expect(sum).toBeGreaterThan(total - OBJECTS_PER_TURN);
});

it('an operation that is stopped resolves no further fields', async () => {
  const budget = new OperationBudget(async () => {});
  const result = await run('{ item { items { items { length } } } }', 200, budget);
  expect(budget.refusal).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  expect(result.data).toEqual({ item: null });
  const total = made.reduce((sum, count) => sum + count, 0);
  expect(total).toBeLessThanOrEqual(operationLimits.objects);
});

it('an operation is stopped if the caller cannot pay for more objects', async () => {
  const refusal = new Error('enough');
  const budget = new OperationBudget(async () => {
    throw refusal;
  });
  const result = await run('{ item { items { items { length } } } }', 90, budget);
  expect(result.data).toEqual({ item: null });
  const total = made.reduce((sum, count) => sum + count, 0);
  expect(total).toBeLessThanOrEqual(OBJECTS_PER_TURN);
});

it('events pay for their objects, and the next event pays what one left unpaid', async () => {
  const paid: number[] = [];
  const contextValue = { budget: new OperationBudget(async (objects) => void paid.push(objects)) };
  const document = parse('subscription { changed { items { length } } }');
  for (let n = 0; n < 1_000; n += 1) await execute({ schema, document, rootValue: 10, contextValue });
  const sum = paid.reduce((all, objects) => all + objects, OPERATION_COST);
  expect(sum).toBeGreaterThan(1_000 * 41 - OBJECTS_PER_TURN);
  expect(Math.min(...paid)).toBeGreaterThanOrEqual(OBJECTS_PER_TURN);
});

it('an event that the caller cannot pay for is refused, and so are later ones until the caller can pay', async () => {
  let isBeyond = true;
  const budget = new OperationBudget(async () => {
    if (isBeyond) throw new DomainError('RATE_LIMITED', 'enough');
  });
  const contextValue = { budget };
  const next = async () => {
    const document = parse('subscription { changed { length } }');
    return (await execute({ schema, document, rootValue: 1, contextValue })).errors?.[0]?.message;
  };
  for (let n = 0; n < 40; n += 1) await next();
  const refused = [await next(), await next(), await next()];
  expect(refused).toEqual(['enough', 'enough', 'enough']);
  isBeyond = false;
  expect(await next()).toBeUndefined();
});
