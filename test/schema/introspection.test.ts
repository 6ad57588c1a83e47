import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GRAPHQL_PER_CALLER } from '../../src/domain/limits.js';
import { OPERATION_COST } from '../../src/schema/budget.js';
import { askGraphql } from '../harness/graphql.js';
import { type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
let ada: Person;
beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  ada = await signUp(server, 'ada');
});
afterAll(() => server.stop());

/** Points that remain for a caller without a credential. */
async function left(): Promise<number> {
  return (await server.app.limits.peek(GRAPHQL_PER_CALLER, '127.0.0.1')).remaining;
}

const TYPE = 'name kind ofType { name kind ofType { name kind } }';
const PART = `types { name fields { name args { name type { ${TYPE} } } type { ${TYPE} } } }`;

it('an introspection result is computed once, and then served from the cache', async () => {
  const query = getIntrospectionQuery({ inputValueDeprecation: true });
  const costs: number[] = [];
  const answers = [];
  for (let n = 0; n < 3; n += 1) {
    const before = await left();
    answers.push(await askGraphql(server, `${query} # ${n}`));
    costs.push(before - (await left()));
  }
  expect(buildClientSchema(answers[0]?.data).getQueryType()?.getFields()).toHaveProperty('guild');
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
  expect(costs[0]).toBeGreaterThan(OPERATION_COST);
  expect(costs.slice(1)).toEqual([OPERATION_COST, OPERATION_COST]);
});

it('a document with errors costs more for each error', async () => {
  const before = await left();
  const { errors } = await askGraphql(server, `{ me { ${Array.from({ length: 50 }, (_, n) => `x${n}`).join(' ')} } }`);
  expect(errors).toHaveLength(11);
  await expect.poll(left).toBe(before - OPERATION_COST - 1_100);
});

it('an operation costs more with many values in its variables', async () => {
  const limit = () => server.app.limits.peek(GRAPHQL_PER_CALLER, ada.id);
  const before = (await limit()).remaining;
  await ada.ask('{ me { username } }', { x: Array.from({ length: 20_000 }, () => 1) });
  expect(before - (await limit()).remaining).toBeGreaterThanOrEqual(OPERATION_COST + 10_000);
});

it('an operation is refused if it asks for the schema many times', async () => {
  const aliases = Array.from({ length: 100 }, (_, n) => `a${n}: __schema { ${PART} }`);
  expect(await askGraphql(server, `{ ${aliases.join(' ')} }`)).toMatchObject({
    data: null,
    errors: [{ message: expect.stringContaining('10000 objects'), extensions: { code: 'LIMIT_EXCEEDED' } }],
  });
});

it('a result is not cached if it has other fields than the schema or depends on variables', async () => {
  const me = `{ me { username } __schema { queryType { name } } }`;
  expect((await ada.graphql(me)).me).toEqual({ username: 'ada' });
  expect((await askGraphql(server, me)).data.me).toBeNull();
  const type = 'query ($name: String!) { __type(name: $name) { name } }';
  for (const name of ['Guild', 'Team', 'Nothing']) {
    const { data } = await askGraphql(server, type, { name });
    expect(data.__type).toEqual(name === 'Nothing' ? null : { name });
  }
});

it('a result is cached for each operation of a document', async () => {
  const query = 'query a { __type(name: "Guild") { name } } query b { __type(name: "Team") { name } }';
  for (const [operationName, name] of Object.entries({ a: 'Guild', b: 'Team' })) {
    const response = await fetch(`${server.origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, operationName }),
    });
    expect(await response.json()).toEqual({ data: { __type: { name } } });
  }
});
