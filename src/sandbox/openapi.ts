import { jsonSchema } from '../domain/json-schema.js';
import type { Route } from './route.js';

type JsonObject = Record<string, unknown>;

/** The prefix of the control API. */
export const CONTROL_PATH = '/sandbox';

const ERROR = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    fields: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

const DESCRIPTION = `Controls the worlds of a sandbox. It exists only in programs that were started as a sandbox, answers only this machine, and needs the token that the start prints.

People can do what the platform allows them. Messages and answers are in Discord's format. A request that waits for a bot takes \`withinMs\`.`;

/** OpenAPI 3.1 document of the control API (https://spec.openapis.org/oas/v3.1.1). */
export function controlDocument(rows: readonly Route[], origin: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const row of rows) {
    const path = CONTROL_PATH + (row.path === '/' ? '' : row.path.replace(/:(\w+)/g, '{$1}'));
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operation(row) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Causeway sandbox', version: '1', description: DESCRIPTION },
    servers: [{ url: origin }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: ERROR },
    },
  };
}

function operation({ method, path, summary, body, query, contentTypes }: Route): JsonObject {
  const names = [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => name ?? []);
  const inPath = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const { properties = {}, required = [] } = query ? jsonSchema(query) : {};
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
  return {
    operationId: [method.toLowerCase(), ...(path.match(/[\w-]+/g) ?? [])].join('_'),
    summary,
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(body) } } } }),
    responses: {
      200: { description: 'Success.', content: Object.fromEntries(contentTypes.map((type) => [type, {}])) },
      204: { description: 'Success without content.' },
      default: {
        description: 'Refused. The message says why and what to do.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}
