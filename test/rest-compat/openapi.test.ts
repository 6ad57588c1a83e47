import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect } from 'vitest';
import { z } from 'zod';
import { snowflake } from '../../src/domain/input.js';
import { documentPath, openApiDocument } from '../../src/rest-compat/openapi.js';
import { type Caller, type Route, route } from '../../src/rest-compat/route.js';
import { routes } from '../../src/rest-compat/table.js';
import { wireName } from '../../src/wire/names.js';
import { test } from '../harness/fixtures.js';
import { ask } from '../harness/rest.js';
import type { TestServer } from '../harness/server.js';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: { type?: unknown; properties?: object } }> };
  responses: Record<string, object>;
  security: Record<string, string[]>[];
  'x-rate-limit': { limit: number; seconds: number; divided_by: string[] };
  'x-runs-on': unknown;
}

const fixture = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures', name), 'utf8'));

let server: TestServer;
let document: { paths: Record<string, Record<string, Operation>>; servers: object; components: object };
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  document = (await ask(server, 'GET', `${server.origin}/openapi.json`)).body;
});

function operationOf(row: Route): Operation {
  const operation = document.paths[`/api/v10${documentPath(row)}`]?.[row.method.toLowerCase()];
  if (!operation) throw new Error('there is no such operation');
  return operation;
}

const namesIn = (place: string, { parameters = [] }: Operation) =>
  parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);

const bodyNames = ({ requestBody }: Operation) =>
  Object.keys(requestBody?.content['application/json']?.schema.properties ?? {});

const table = routes.map((row) => [`${row.method} ${row.path}`, row] as const);

describe('GET /openapi.json', () => {
  test('is valid by the official OpenAPI 3.1 schema', () => {
    const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(
      fixture('openapi-3.1-schema.json'),
    );
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
  });

  test('is checked by a schema that detects mistakes', () => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(fixture('openapi-3.1-schema.json'));
    expect(validate({ ...document, paths: { 'no-slash': {} } })).toBe(false);
    expect(validate({ ...document, paths: { '/a': { get: { parameters: [{ in: 'path' }] } } } })).toBe(false);
  });

  test('has every route of the table, and no others', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const rows = routes.map((row) => `${row.method} /api/v10${documentPath(row)}`);
    expect(operations.toSorted()).toEqual(rows.toSorted());
  });

  test('has unique operation ids', () => {
    const ids = routes.map((row) => operationOf(row).operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('names the URL of the instance', () => {
    expect(document.servers).toEqual([{ url: server.app.addresses.publicUrl }]);
  });

  test('refuses other methods', async () => {
    const answer = await ask(server, 'POST', `${server.origin}/openapi.json`);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a route', () => {
  const run = async () => null;
  const bucket = { limit: { name: 'test', points: 1, seconds: 1 }, major: ['webhookId', 'token'] };
  const params = z.object({ webhookId: snowflake(), token: z.string() });
  const where = { by: 'webhookId', selfHosted: () => 'forward' as const } as const;
  const path = '/webhooks/:webhookId/:token';
  const callers = ['webhookToken', 'interactionToken'] as const;
  const row = route({
    method: 'POST',
    path,
    summary: 'Test',
    callers,
    bucket,
    where,
    params,
    body: z.object({ deaf: z.boolean() }),
    run,
  });
  const shown = openApiDocument([row], 'https://example.org');

  test('with a token in its path requires no other credential', () => {
    const operation = shown.paths['/api/v10/webhooks/{webhook_id}/{token}']?.post;
    expect(operation).toMatchObject({ security: [], 'x-token-in-path': callers });
  });

  test('with a token in its path or another credential requires neither', () => {
    const spec = { method: 'GET', path, summary: 'Test', bucket, where, params } as const;
    const both = route({ ...spec, callers: ['webhookToken', 'bot'], run });
    const { paths } = openApiDocument([both], 'https://example.org');
    const operation = paths['/api/v10/webhooks/{webhook_id}/{token}']?.get;
    expect(operation).toMatchObject({ security: [{ BotToken: [] }, {}], 'x-token-in-path': ['webhookToken'] });
  });

  test('documents that its location depends on the body', () => {
    const operation = shown.paths['/api/v10/webhooks/{webhook_id}/{token}']?.post;
    expect(operation).toMatchObject({ 'x-runs-on': { by: 'webhook_id', self_hosted: 'depends on the body' } });
    expect(operation).toMatchObject({ 'x-rate-limit': { divided_by: ['webhook_id', 'token'] } });
  });
});

const SECURITY: Record<string, Record<string, string[]>[]> = {
  bot: [{ BotToken: [] }],
  session: [{ Session: [] }, { SessionCookie: [] }],
  token: [{ OAuth2: [] }],
};

const securityOf = (caller: Caller) =>
  typeof caller === 'object' ? [{ OAuth2: [caller.scope] }] : (SECURITY[caller] ?? []);

function placeOf({ where }: Route): unknown {
  if (typeof where === 'string') return 'cloud';
  const { by, selfHosted } = where;
  return { by: wireName(by), self_hosted: typeof selfHosted === 'string' ? selfHosted : 'depends on the body' };
}

describe.each(table)('%s', (_name, row) => {
  test('documents its parameters', () => {
    const operation = operationOf(row);
    const inPath = [...documentPath(row).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(namesIn('path', operation)).toEqual(inPath);
    for (const { in: place, required, schema } of operation.parameters ?? []) {
      expect(Object.keys(schema)).not.toEqual([]);
      if (place === 'path') expect(required).toBe(true);
    }
    const ids = (operation.parameters ?? []).filter(
      ({ name }) => name.endsWith('_id') || (name === 'before' && !row.path.endsWith('/pins')),
    );
    for (const { schema } of ids) expect(schema).toMatchObject({ type: 'string', format: 'snowflake' });
  });

  test('documents its callers, statuses, limit and location', () => {
    const { security, responses, 'x-rate-limit': limit, 'x-runs-on': runsOn } = operationOf(row);
    expect(security).toEqual(row.callers.flatMap(securityOf));
    expect(Object.keys(responses)).toEqual([...row.statuses.map(String), '429', 'default']);
    const { points, seconds } = row.bucket.limit;
    expect(limit).toMatchObject({ limit: points, seconds });
    expect(limit.divided_by).toHaveLength(row.bucket.major.length);
    expect(runsOn).toEqual(placeOf(row));
  });

  test('documents its body with a usable schema', () => {
    const { requestBody } = operationOf(row);
    expect(requestBody !== undefined).toBe(row.body !== null);
    const types = Object.keys(requestBody?.content ?? {});
    const isObject = requestBody?.content['application/json']?.schema.type === 'object';
    const forms = [isObject && 'application/x-www-form-urlencoded', row.admitFiles && 'multipart/form-data'];
    expect(types).toEqual(row.body ? ['application/json', ...forms.filter(Boolean)] : []);
    for (const { schema } of Object.values(requestBody?.content ?? {})) {
      expect(() => new Ajv2020({ strict: false, formats: { snowflake: true } }).compile(schema)).not.toThrow();
    }
  });
});

describe('a list as a body', () => {
  const bodyOf = (method: string, path: string) => {
    const row = routes.find((each) => each.method === method && each.path === path);
    if (!row) throw new Error('there is no such row');
    return operationOf(row).requestBody?.content['application/json']?.schema;
  };

  test.each(['/applications/:applicationId/commands', '/applications/:applicationId/guilds/:guildId/commands'])(
    'documents its items: PUT %s',
    (path) => {
      const one = bodyOf('POST', path);
      expect(bodyOf('PUT', path)).toEqual({ type: 'array', maxItems: 130, items: one });
      const validate = new Ajv2020({ strict: false }).compile(bodyOf('PUT', path) ?? {});
      const command = { name: 'a', description: 'b', options: [{ type: 3, name: 'c', description: 'd' }] };
      expect(validate([command])).toBe(true);
      expect(validate([{ ...command, options: [{ type: 3 }] }])).toBe(false);
      expect(validate([{ description: 'b' }])).toBe(false);
    },
  );
});

describe('the names match those of the reference platform', () => {
  const { operations } = fixture('reference-operations.json') as {
    operations: Record<string, { query?: string[]; body?: string[] }>;
  };
  const nameless = (path: string) => path.replace(/\{\w+\}/g, '{}');
  const reference = new Map(Object.entries(operations).map(([name, facts]) => [nameless(name), { name, ...facts }]));
  const shared = table.flatMap(([name, row]) => {
    const known = reference.get(`${row.method} ${nameless(documentPath(row))}`);
    return known ? [{ name, row, known }] : [];
  });

  test('for most of the table', () => {
    expect(shared.length).toBeGreaterThan(20);
  });

  test.each(shared)('$name', ({ row, known }) => {
    const operation = operationOf(row);
    // The emoji segment of a guild emoji contains the id, not only the name.
    expect(`${row.method} ${documentPath(row)}`.replace('{emoji}', '{emoji_name}')).toBe(known.name);
    const { query = [], body = [] } = known;
    // discord.py sends this field in the query.
    const said = row.path.endsWith('/bans/:userId') ? ['delete_message_seconds'] : [];
    expect([...query, ...said]).toEqual(expect.arrayContaining(namesIn('query', operation)));
    // All routes that send a message accept these fields.
    const sent = row.path.startsWith('/webhooks/') ? ['message_reference', 'nonce', 'enforce_nonce'] : [];
    // This route also mutes and deafens, unlike that of the reference platform.
    const ofVoice = row.path.includes('/voice-states/') ? ['mute', 'deaf'] : [];
    // Clients send this field, and the route refuses it.
    const ofOwner = row.method === 'PATCH' && row.path === '/guilds/:guildId' ? ['owner_id'] : [];
    if (body.length > 0)
      expect([...body, ...sent, ...ofVoice, ...ofOwner]).toEqual(expect.arrayContaining(bodyNames(operation)));
  });
});
