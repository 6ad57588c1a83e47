import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askGraphql } from '../harness/graphql.js';
import { readableLog, readLines } from '../harness/log.js';
import { createGuild, type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
let ada: Person;
const { log, lines } = readableLog();
beforeAll(async () => {
  server = await startServer({ log });
  ada = await signUp(server, 'ada');
});
afterAll(() => server.stop());

const ME = '{ me { username } }';

function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

describe('an unauthenticated caller', () => {
  it('gets null for me', async () => {
    expect(await askGraphql(server, ME)).toEqual({ status: 200, data: { me: null }, errors: [] });
  });

  it.each([
    '{ applications { id } }',
    '{ application(id: "1") { id } }',
    '{ guilds { id } }',
    '{ guild(id: "1") { id } }',
    '{ channel(id: "1") { id } }',
    'mutation { createGuild(input: { name: "guild" }) { guild { id } } }',
    'mutation { createApplication(input: { name: "application" }) { botToken } }',
    'mutation { startTyping(input: { channelId: "1" }) { channel { id } } }',
  ])('gets UNAUTHENTICATED for %s', async (query) => {
    const { errors } = await askGraphql(server, query);
    expect(errors.map((error) => error.extensions.code)).toEqual(['UNAUTHENTICATED']);
  });
});

describe('a response', () => {
  it('is never stored by caches, because it may show a secret', async () => {
    const query = 'mutation { createApplication(input: { name: "Secretive" }) { clientSecret botToken } }';
    const response = await post({ query }, { authorization: `Bearer ${ada.token}` });
    expect((await response.json()).data.createApplication.botToken).toEqual(expect.any(String));
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('an unexpected error', () => {
  it('is masked, and logged under the request id that the caller sees', async () => {
    const { id } = await createGuild(ada);
    const { guilds } = server.app;
    const { view } = guilds;
    guilds.view = () => Promise.reject(new Error('the secret inside'));
    const { data, errors } = await ada.ask('query ($id: ID!) { guild(id: $id) { name } }', { id });
    guilds.view = view;
    expect(data).toEqual({ guild: null });
    expect(JSON.stringify(errors)).not.toContain('secret');
    const requestId = errors[0]?.extensions.requestId;
    expect(errors[0]?.message).toBe(`Internal error (request ${requestId})`);
    expect(readLines(lines).find((line) => line.requestId === requestId)).toMatchObject({
      err: { message: 'the secret inside' },
    });
  });
});

describe('a document', () => {
  const replies = (levels: number, innermost = 'id') =>
    `${'referencedMessage { '.repeat(levels)} ${innermost} ${'}'.repeat(levels)}`;
  /** With `replies(levels)` inside, the document is `levels` + 5 deep. */
  const deep = (inside: string) => `{ channel(id: "1") { messages(first: 1) { edges { node { ${inside} } } } } }`;
  const codesOf = async (query: string) => (await ada.ask(query)).errors.map((error) => error.extensions.code);

  it('may nest 12 levels deep and no deeper, also through fragments', async () => {
    expect(await codesOf(deep(replies(7)))).toEqual(['NOT_FOUND']);
    const messageFor = async (query: string) => (await ada.ask(query)).errors[0]?.message;
    expect(await messageFor(deep(replies(8)))).toMatch(/nested 13 levels deep/);
    const inFragments = `${deep('...A')} fragment A on Message { ${replies(4, '...B')} } fragment B on Message { ${replies(4)} }`;
    expect(await messageFor(inFragments)).toMatch(/nested 13 levels deep/);
  });

  it('may have 100 aliases and no more', async () => {
    const aliases = (count: number) => `{ ${Array.from({ length: count }, (_, n) => `a${n}: me { id }`).join(' ')} }`;
    expect(await codesOf(aliases(100))).toEqual([]);
    expect(await codesOf(aliases(101))).toEqual(['BAD_USER_INPUT']);
  });

  it('may cost 8,000 points and no more', async () => {
    const { id } = await createGuild(ada);
    const page = (size: number) =>
      `{ guild(id: "${id}") { channels { messages(last: ${size}) { edges { node { author { id } } } } } } }`;
    expect(await codesOf(page(100))).toEqual([]);
    const costly = await ada.ask(
      `{ guild(id: "${id}") { channels { messages(last: 100) { edges { node { ${'a b c d e f g h'.replaceAll(
        /\w/g,
        '$&: author { id }',
      )} } } } } } }`,
    );
    expect(costly.errors[0]?.message).toMatch(/costs \d+; the limit is 8000/);
    expect(costly.errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });

  it('may introspect the schema', async () => {
    const { data, errors } = await askGraphql(server, getIntrospectionQuery());
    expect(errors).toEqual([]);
    expect(data.__schema.queryType.name).toBe('Query');
  });

  it('may have 5,000 tokens and no more', async () => {
    const words = (count: number) => `{ me { ${'id '.repeat(count - 5)} } }`;
    const tokens = (count: number) => words(count).match(/\w+|[{}]/g)?.length;
    expect([tokens(5_000), tokens(5_001)]).toEqual([5_000, 5_001]);
    const messageFor = async (query: string) => (await ada.ask(query)).errors[0]?.message ?? '';
    expect(await messageFor(words(5_001))).toBe(
      'The document has more than 5000 tokens. Split it into smaller operations.',
    );
    expect(await messageFor(words(5_000))).not.toContain('tokens');
    expect(await codesOf(words(5_001))).toEqual(['BAD_USER_INPUT']);
  });

  it('is refused with the limit that it exceeds if the GraphQL library gives up', async () => {
    const often = await ada.ask(`{ ${'me { id } '.repeat(1_200)} }`);
    expect(often.errors.map(({ message }) => message)).toEqual([
      'The document selects the same field too often in one place. Select each field once, or use aliases.',
    ]);
    const faulty = await ada.ask(`{ me { ${Array.from({ length: 200 }, (_, n) => `nothing${n}`).join(' ')} } }`);
    expect(faulty.errors).toHaveLength(11);
    expect(faulty.errors.at(-1)?.message).toBe('The document has more than 10 errors. Only the first 10 are listed.');
    expect(faulty.errors[0]).toMatchObject({
      message: 'Cannot query field "nothing0" on type "User".',
      locations: [{ line: 1, column: 8 }],
      extensions: { code: 'BAD_USER_INPUT', fields: {} },
    });
  });

  it.each([
    ['an unknown field', '{ mee { id } }'],
    ['an unknown type', 'query ($x: Strin) { me { id } }'],
    ['an unknown argument', '{ guild(ids: "1") { id } }'],
  ])('gets a suggestion for %s only if the caller is signed in', async (_case, query) => {
    const messages = async (answer: Promise<{ errors: { message: string }[] }>) => (await answer).errors[0]?.message;
    expect(await messages(ada.ask(query))).toContain('Did you mean');
    // Errors are cached with their document, so this document differs.
    expect(await messages(askGraphql(server, `${query} # without a session`))).not.toContain('Did you mean');
  });

  it.each([
    ['what it cannot parse', '{', {}],
    ['an unknown field', '{ nothing }', {}],
    ['a missing variable', 'query ($id: ID!) { guild(id: $id) { id } }', {}],
    ['a variable of a wrong type', 'query ($id: ID!) { guild(id: $id) { id } }', { id: {} }],
    [
      'an input field that does not exist',
      'mutation ($i: CreateGuildInput!) { createGuild(input: $i) { guild { id } } }',
      { i: { name: 'aa', x: 1 } },
    ],
    ['a fragment that contains itself', '{ me { ...A } } fragment A on User { ...A }', {}],
  ])('is refused as bad input for %s', async (_case, query, variables) => {
    const { errors } = await ada.ask(query, variables);
    expect(errors.map((error) => error.extensions.code)).toEqual(['BAD_USER_INPUT']);
    expect(errors[0]?.extensions.fields).toBeDefined();
  });
});

describe('a request body', () => {
  it.each([
    '',
    '{',
    '[]',
    'null',
    '"text"',
    '{"query":1}',
    '[{"query":"{me{id}}"},{"query":"{me{id}}"}]',
    '{"query":"{me{id}}","variables":1}',
  ])('of %j is refused without an internal error', async (body) => {
    const response = await post(body);
    expect(response.status).toBeLessThan(500);
    const { errors } = await response.json();
    expect(errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const TOO_DEEP = 'JSON may nest at most 64 levels deep and have at most';

  it.each([
    ['of JSON', 'application/json', `{"query":"{me{id}}","variables":{"x":${deep(63)}}}`],
    ['of JSON under another name', 'application/graphql+json', `{"variables":{"x":${deep(63)}}}`],
    ['of JSON with many values', 'application/json', `{"query":"{me{id}}","extensions":[${'[],'.repeat(5_000)}1]}`],
    ['of a form', 'application/x-www-form-urlencoded', `variables=${encodeURIComponent(deep(65))}`],
  ])('%s beyond the limits is refused before it is parsed', async (_what, type, body) => {
    const response = await post(body, { 'content-type': type });
    const { errors } = await response.json();
    expect({ status: response.status, code: errors[0].extensions.code }).toEqual({
      status: 400,
      code: 'BAD_USER_INPUT',
    });
    expect(errors[0].message).toContain(TOO_DEEP);
  });

  it('may have as many values as all commands of an application if the user is signed in', async () => {
    const variables = { x: Array.from({ length: 100_000 }, () => 1) };
    expect((await post({ query: ME, variables }, { authorization: `Bearer ${ada.token}` })).status).toBe(200);
  });

  it('has the same nesting limit as JSON in the URL', async () => {
    const response = await fetch(`${server.origin}/graphql?query=${encodeURIComponent(ME)}&variables=${deep(65)}`);
    expect((await response.json()).errors[0].message).toContain(TOO_DEEP);
  });

  it('has the same nesting limit as JSON in a document', async () => {
    const overwrite = (levels: number) =>
      `mutation { overwriteCommands(input: { applicationId: "1", commands: ${deep(levels)} }) { __typename } }`;
    const messages = async (levels: number) => (await askGraphql(server, overwrite(levels))).errors[0]?.message;
    expect(await messages(64)).not.toContain('levels deep');
    expect(await messages(65)).toContain('JSON may nest at most 64 levels deep');
  });

  it.each([
    ['a mebibyte', () => ({ authorization: `Bearer ${ada.token}` }), 1024 * 1024],
    ['64 KiB, from a caller who is not signed in,', () => ({}), 64 * 1024],
  ])('of more than %s is refused as too large', async (_size, headers, limit) => {
    const bodyOf = (size: number) => JSON.stringify({ query: ME }).padEnd(size);
    expect((await post(bodyOf(limit), headers())).status).toBe(200);
    const response = await post(bodyOf(limit + 1), headers());
    expect(response.status).toBe(413);
    expect((await response.json()).errors).toEqual([
      {
        message: `The request body must not exceed ${limit} bytes.`,
        extensions: { code: 'LIMIT_EXCEEDED' },
      },
    ]);
  });
});

describe('a session cookie', () => {
  const cookieOf = () => ({ cookie: ada.cookie });
  const nameIn = async (response: Response) => (await response.json()).data?.me?.username;

  it('is accepted from a page of this origin and from a client that sends no origin', async () => {
    expect(await nameIn(await post({ query: ME }, { ...cookieOf(), origin: server.origin }))).toBe('ada');
    const loopback = server.origin.replace('localhost', '127.0.0.1');
    expect(await nameIn(await post({ query: ME }, { ...cookieOf(), origin: loopback }))).toBe('ada');
    expect(await nameIn(await post({ query: ME }, cookieOf()))).toBe('ada');
  });

  it('is refused from a page of another site', async () => {
    const foreign: Record<string, string>[] = [
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      const response = await post({ query: ME }, { ...cookieOf(), ...headers });
      expect(response.status).toBe(403);
      expect((await response.json()).errors[0].extensions.code).toBe('FORBIDDEN');
    }
  });

  it('is refused in a GET request of another site, which may still link to GraphiQL', async () => {
    const address = `${server.origin}/graphql?${new URLSearchParams({ query: ME })}`;
    const asked = { ...cookieOf(), 'x-graphql-yoga-csrf': '1', origin: 'https://elsewhere.example' };
    expect((await fetch(address, { headers: asked })).status).toBe(403);
    const link = { ...cookieOf(), 'sec-fetch-site': 'cross-site', accept: 'text/html' };
    const page = await fetch(`${server.origin}/graphql`, { headers: link });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  });

  it.each<Record<string, string>>([{}, { origin: 'https://elsewhere.example' }])(
    'is ignored next to an Authorization header that cannot name a session (%j)',
    async (origin) => {
      for (const authorization of ['Basic YTpi', 'Bot x', 'Bearer', '']) {
        const response = await post({ query: ME }, { ...cookieOf(), ...origin, authorization });
        expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
        expect((await response.json()).errors[0].extensions.code).toBe('UNAUTHENTICATED');
      }
    },
  );

  it('is ignored next to the bearer token of a session that has ended', async () => {
    const headers = { ...cookieOf(), authorization: 'Bearer ended', origin: 'https://elsewhere.example' };
    expect(await (await post({ query: ME }, headers)).json()).toEqual({ data: { me: null } });
  });

  it('is refused in a request that another site can make a browser send', async () => {
    const form = new FormData();
    form.set('operations', JSON.stringify({ query: ME }));
    form.set('map', '{}');
    const asForm = await fetch(`${server.origin}/graphql`, { method: 'POST', headers: cookieOf(), body: form });
    expect(asForm.status).toBe(403);
    expect((await asForm.json()).errors[0].extensions).toEqual({ code: 'FORBIDDEN' });
    const asGet = await fetch(`${server.origin}/graphql?${new URLSearchParams({ query: ME })}`, {
      headers: cookieOf(),
    });
    expect(asGet.status).toBe(403);
    const asked = await fetch(`${server.origin}/graphql?${new URLSearchParams({ query: ME })}`, {
      headers: { ...cookieOf(), 'x-graphql-yoga-csrf': '1' },
    });
    expect(await nameIn(asked)).toBe('ada');
    const bySite = (site: string) =>
      fetch(`${server.origin}/graphql?${new URLSearchParams({ query: ME })}`, {
        headers: { ...cookieOf(), 'sec-fetch-site': site },
      });
    expect(await nameIn(await bySite('same-origin'))).toBe('ada');
    for (const site of ['same-site', 'cross-site', 'none']) expect((await bySite(site)).status).toBe(403);
  });

  it('is not required: a bearer token is accepted from any origin', async () => {
    const headers = { authorization: `Bearer ${ada.token}`, origin: 'https://elsewhere.example' };
    const response = await post({ query: ME }, headers);
    expect(await nameIn(response)).toBe('ada');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('GET /graphql', () => {
  it('returns GraphiQL, which loads nothing from other origins', async () => {
    const response = await fetch(`${server.origin}/graphql`, { headers: { accept: 'text/html', cookie: ada.cookie } });
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    const page = await response.text();
    expect(page).toContain('YogaGraphiQL.renderYogaGraphiQL');
    expect(page).not.toMatch(/<(script|link)[^>]+(src|href)="https?:/);
    expect(page.length).toBeLessThan(5_000);
  });

  const script = async () => {
    const page = await (await fetch(`${server.origin}/graphql`, { headers: { accept: 'text/html' } })).text();
    return server.origin + /src="(\/graphql\/files\/graphiql-\w{16}\.js)"/.exec(page)?.[1];
  };

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate, br;q=0', 'gzip'],
    ['identity', null],
    ['gzip;q=0.0, br ; q=0', null],
  ])('serves the script of GraphiQL for Accept-Encoding %s as %s, cacheable forever', async (accepted, encoding) => {
    const request = get(await script(), { headers: { 'accept-encoding': accepted } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const { headers } = response;
    const body = await buffer(response);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    expect(headers['content-encoding'] ?? null).toBe(encoding);
    const text = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body;
    expect(text.length).toBeGreaterThan(8_000_000);
    expect(text.includes('YogaGraphiQL')).toBe(true);
  });

  it('serves the script of GraphiQL under no other name', async () => {
    const address = (await script()).replace(/\w{16}\.js/, '0123456789abcdef.js');
    expect((await fetch(address)).status).toBe(404);
    expect((await fetch(await script(), { method: 'POST' })).status).toBe(405);
  });

  it('runs no mutations', async () => {
    const query = 'mutation { createGuild(input: { name: "by get" }) { guild { id } } }';
    const response = await fetch(`${server.origin}/graphql?${new URLSearchParams({ query })}`, {
      headers: { authorization: `Bearer ${ada.token}` },
    });
    expect(response.status).toBe(405);
    expect(await server.app.db.reader.guild.count({ where: { name: 'by get' } })).toBe(0);
  });
});

describe('a request that GraphQL does not accept', () => {
  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])('%s gets 405 with the allowed methods', async (method) => {
    const response = await fetch(`${server.origin}/graphql`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD']);
    expect(await response.json()).toEqual({ message: '405: Method Not Allowed', code: 0 });
  });

  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])(
    'gets 405 with a body of %s, before the body is read',
    async (type) => {
      const response = await fetch(`${server.origin}/graphql`, {
        method: 'PUT',
        headers: { 'content-type': type },
        body: '{}',
      });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD']);
    },
  );

  it('of another content type gets 415 in the format of all errors', async () => {
    const headers = { 'content-type': 'text/plain' };
    const response = await fetch(`${server.origin}/graphql`, { method: 'POST', headers, body: '{ __typename }' });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });
});
