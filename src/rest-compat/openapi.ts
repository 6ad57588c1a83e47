import type { z } from 'zod';
import { HONOURED_SCOPES } from '../domain/installations/index.js';
import { jsonSchema } from '../domain/json-schema.js';
import { limits } from '../domain/limits.js';
import { sessionCookie } from '../http/page-sessions.js';
import { REST_PATH } from '../http/rest-paths.js';
import { URL_ENCODED } from '../http/url-encoded.js';
import { wireName } from '../wire/names.js';
import { bucketId } from './rate-limiting.js';
import { type Caller, CLOUD, type Route, type Success } from './route.js';
import { isInPath } from './schemes.js';
import { areaOf } from './table.js';

type JsonObject = Record<string, unknown>;

interface OpenApiDocument extends JsonObject {
  paths: Record<string, JsonObject>;
}

const INTRODUCTION = `REST API for bots, OAuth2 applications and webhooks. It uses the wire format of Discord's API v10.

Bots authenticate with \`Authorization: Bot TOKEN\`. The developer portal's routes take the token of a portal session.`;

/**
 * OpenAPI 3.1 document of the table (https://spec.openapis.org/oas/v3.1.1). Extensions: `x-rate-limit`,
 * `x-token-in-path` and `x-runs-on`, which is `cloud`, or how the server is located and what self-hosted ones do.
 * @param publicUrl the origin of the instance
 */
export function openApiDocument(rows: readonly Route[], publicUrl: string): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const row of rows) {
    const path = REST_PATH + documentPath(row);
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operation(row) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Causeway',
      version: 'v10',
      description: INTRODUCTION,
    },
    servers: [{ url: publicUrl }],
    paths,
    components: { securitySchemes: securitySchemes(publicUrl), responses: RESPONSES, schemas: { Error: ERROR } },
  };
}

export function documentPath({ path }: Pick<Route, 'path'>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => `{${wireName(name)}}`);
}

function operation(row: Route): JsonObject {
  const parameters = [...pathParameters(row), ...queryParameters(row), ...headerParameters(row)];
  const tokensInPath = row.callers.filter(isInPath);
  return {
    operationId: [row.method.toLowerCase(), ...(documentPath(row).match(/\w+/g) ?? [])].join('_'),
    tags: [areaOf(row)],
    summary: row.summary,
    ...(row.description !== null && { description: row.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(row.body && { requestBody: requestBody(row, row.body) }),
    responses: responses(row),
    security: securityOf(row),
    ...(tokensInPath.length > 0 && { 'x-token-in-path': tokensInPath }),
    'x-rate-limit': rateLimit(row),
    'x-runs-on': runsOn(row),
  };
}

function pathParameters({ params, paramNames }: Route): JsonObject[] {
  const { properties = {} } = jsonSchema(params);
  return paramNames.map((name) => ({
    name: wireName(name),
    in: 'path',
    required: true,
    schema: properties[name],
  }));
}

function queryParameters({ query }: Route): JsonObject[] {
  const { properties = {} } = jsonSchema(query);
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }));
}

function headerParameters({ method }: Route): JsonObject[] {
  if (method === 'GET') return [];
  const schema = {
    type: 'string',
    description: `Reason for the audit log, URL-encoded. At most ${limits.auditReason} characters after decoding.`,
  };
  return [{ name: 'X-Audit-Log-Reason', in: 'header', schema }];
}

function requestBody({ admitFiles }: Route, body: z.ZodType): JsonObject {
  const schema = jsonSchema(body);
  const content: JsonObject = { 'application/json': { schema } };
  if (schema.type === 'object') content[URL_ENCODED] = { schema };
  if (!admitFiles) return { content };
  const file = { type: 'string', contentMediaType: 'application/octet-stream' };
  const form = {
    type: 'object',
    properties: { payload_json: { ...schema, description: 'The body as JSON.' } },
    patternProperties: { '^files\\[\\d+\\]$': file },
  };
  return { content: { ...content, 'multipart/form-data': { schema: form } } };
}

const DESCRIPTIONS: Record<Success, string> = { 200: 'Success.', 201: 'Created.', 204: 'No content.' };

function responses({ statuses, answer }: Route): JsonObject {
  const type = answer?.headers['content-type'] ?? 'application/json';
  const done = statuses.map((status) => [
    String(status),
    status === 204
      ? { description: DESCRIPTIONS[status] }
      : { description: DESCRIPTIONS[status], content: { [type]: {} } },
  ]);
  return {
    ...Object.fromEntries(done),
    429: { $ref: '#/components/responses/TooManyRequests' },
    default: { $ref: '#/components/responses/Refused' },
  };
}

function securityOf({ callers }: Route): JsonObject[] {
  const required = callers.flatMap(requirements);
  return required.length > 0 && callers.some(isInPath) ? [...required, {}] : required;
}

/** Alternatives. A token in the path needs none. */
function requirements(caller: Caller): JsonObject[] {
  if (typeof caller === 'object') return [{ OAuth2: [caller.scope] }];
  switch (caller) {
    case 'bot':
      return [{ BotToken: [] }];
    case 'session':
      return [{ Session: [] }, { SessionCookie: [] }];
    case 'token':
      return [{ OAuth2: [] }];
    case 'webhookToken':
    case 'interactionToken':
      return [];
  }
}

function rateLimit({ bucket: { limit, major } }: Route): JsonObject {
  return { bucket: bucketId(limit), limit: limit.points, seconds: limit.seconds, divided_by: major.map(wireName) };
}

function runsOn({ where }: Route): unknown {
  if (where === CLOUD) return CLOUD;
  const { by, selfHosted } = where;
  return { by: wireName(by), self_hosted: typeof selfHosted === 'function' ? 'depends on the body' : selfHosted };
}

function securitySchemes(publicUrl: string): JsonObject {
  const tokenUrl = `${publicUrl}${REST_PATH}/oauth2/token`;
  const scopes = Object.fromEntries(HONOURED_SCOPES.map((scope) => [scope, scope]));
  const authorizationCode = {
    authorizationUrl: `${publicUrl}/oauth2/authorize`,
    tokenUrl,
    refreshUrl: tokenUrl,
    scopes,
  };
  return {
    BotToken: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Bot ` followed by the bot token.' },
    OAuth2: { type: 'oauth2', flows: { authorizationCode, clientCredentials: { tokenUrl, scopes } } },
    Session: {
      type: 'http',
      scheme: 'bearer',
      description: 'Token of a portal session, from `POST /auth/sign-in/email`.',
    },
    SessionCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookie(publicUrl),
    },
  };
}

const ERROR = {
  type: 'object',
  required: ['message', 'code'],
  properties: {
    message: { type: 'string' },
    code: { type: 'integer' },
    errors: { type: 'object', description: 'Errors of the input, nested by field, each list under `_errors`.' },
  },
};

const RESPONSES = {
  Refused: {
    description: 'The request was refused.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  },
  TooManyRequests: {
    description: 'Too many requests.',
    headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait.' } },
    content: {
      'application/json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Error' }],
          required: ['retry_after', 'global'],
          properties: { retry_after: { type: 'number', description: 'Seconds to wait.' }, global: { type: 'boolean' } },
        },
      },
    },
  },
};
