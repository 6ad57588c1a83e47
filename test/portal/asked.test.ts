import { type AnyVariables, Client, fetchExchange } from 'urql';
import { beforeEach, describe, expect, it } from 'vitest';
import { AskedList } from '../../portal/src/asked.js';

const QUERY = 'query Things($first: Int) {\n  things(first: $first) {\n    id\n  }\n}';
const MUTATION = 'mutation Rename($input: RenameInput!) { rename(input: $input) { id } }';

describe('the list of operations that pages sent', () => {
  let asked: AskedList;
  let client: Client;
  beforeEach(() => {
    asked = new AskedList();
    client = new Client({
      url: 'http://localhost/graphql',
      preferGetMethod: false,
      exchanges: [asked.exchange, fetchExchange],
      fetch: async () => new Response('{"data":{}}', { headers: { 'content-type': 'application/json' } }),
    });
  });

  const look = (variables: AnyVariables) => client.query(QUERY, variables).subscribe(() => {});
  const change = (input: object) => client.mutation(MUTATION, { input }).toPromise();
  const names = () => asked.read().map(({ kind, name }) => `${kind} ${name}`);
  const variables = () => asked.read().map((one) => one.variables);

  it('shows each operation as text, with its variables', () => {
    look({ first: 3 });
    expect(asked.read()).toEqual([
      { key: expect.any(Number), kind: 'query', name: 'Things', text: QUERY, variables: '{\n  "first": 3\n}' },
    ]);
  });

  it('shows no variables if there are none', () => {
    look({});
    expect(variables()).toEqual(['']);
  });

  it('begins with the newest operation', async () => {
    look({ first: 3 });
    await change({ name: 'Otter' });
    expect(names()).toEqual(['mutation Rename', 'query Things']);
  });

  it('keeps a query that is still shown in its place, however often it is sent again', async () => {
    look({ first: 3 });
    await change({ name: 'Otter' });
    look({ first: 3 });
    expect(names()).toEqual(['mutation Rename', 'query Things']);
  });

  it('moves a query that is shown again or a repeated mutation to the front, and lists it once', async () => {
    const shown = look({ first: 3 });
    await change({ name: 'Otter' });
    shown.unsubscribe();
    look({ first: 3 });
    expect(names()).toEqual(['query Things', 'mutation Rename']);
    await change({ name: 'Otter' });
    expect(names()).toEqual(['mutation Rename', 'query Things']);
  });

  it('has at most thirty operations', () => {
    for (let first = 1; first <= 31; first += 1) look({ first });
    expect(asked.read()).toHaveLength(30);
    expect(variables().at(-1)).toBe('{\n  "first": 2\n}');
  });

  it('shows a file by its name, and text as it was typed', async () => {
    await change({ icon: new File(['…'], 'otter.png'), name: 'data: see below', banner: null });
    expect(JSON.parse(variables()[0] ?? '')).toEqual({
      input: { icon: '<file otter.png>', name: 'data: see below', banner: null },
    });
  });
});
