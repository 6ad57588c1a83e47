import { expect, test } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../../src/rest-compat/openapi.js';
import { bucketId } from '../../src/rest-compat/rate-limiting.js';
import { CLOUD, onServerOf, route } from '../../src/rest-compat/route.js';
import { ids, queryBoolean, queryInteger } from '../../src/rest-compat/schemas.js';

const limit = { name: 'test', points: 7, seconds: 3 };
const rows = [
  route({
    method: 'GET',
    path: '/guilds/:guildId/things',
    summary: 'List things',
    callers: ['bot', { scope: 'guilds' }, 'session'],
    bucket: { limit, major: ['guildId'] },
    where: onServerOf('guildId'),
    params: ids('guildId'),
    query: z.object({ limit: queryInteger(1, 100, 50), with_counts: queryBoolean }),
    run: async () => [],
    render: (things) => things,
  }),
  route({
    method: 'POST',
    path: '/guilds/:guildId/things',
    summary: 'Create a thing',
    description: 'With files.',
    callers: ['bot'],
    bucket: { limit, major: [] },
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: ids('guildId'),
    body: z.object({ name: z.string() }),
    admitFiles: async () => {},
    run: async () => null,
    status: { oneOf: [201, 204], of: () => 204 },
    render: () => null,
  }),
  route({
    method: 'DELETE',
    path: '/things/@me',
    summary: 'Delete the thing',
    callers: ['token'],
    bucket: { limit, major: [] },
    where: CLOUD,
    params: z.object({}),
    body: z.object({ why: z.string().optional() }),
    run: async () => null,
  }),
];

const guildId = { name: 'guild_id', in: 'path', required: true, schema: expect.objectContaining({ type: 'string' }) };
const reason = {
  name: 'X-Audit-Log-Reason',
  in: 'header',
  schema: {
    type: 'string',
    description: 'Reason for the audit log, URL-encoded. At most 512 characters after decoding.',
  },
};
const refusals = {
  429: { $ref: '#/components/responses/TooManyRequests' },
  default: { $ref: '#/components/responses/Refused' },
};
const jsonOf = (description: string) => ({ description, content: { 'application/json': {} } });
const noBody = { description: 'No content.' };
const rateLimit = (...divided_by: string[]) => ({ bucket: bucketId(limit), limit: 7, seconds: 3, divided_by });
const named = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
};

const why = { type: 'object', properties: { why: { type: 'string' } } };

test("a route becomes an operation with all details that OpenAPI and Causeway's extensions can express", () => {
  const { paths, ...rest } = openApiDocument(rows, 'https://chat.example');
  expect(rest).toMatchObject({ openapi: '3.1.0', info: { title: 'Causeway', version: 'v10' } });
  expect(paths).toEqual({
    '/api/v10/guilds/{guild_id}/things': {
      get: {
        operationId: 'get_guilds_guild_id_things',
        tags: ['guilds'],
        summary: 'List things',
        parameters: [
          guildId,
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 } },
          { name: 'with_counts', in: 'query', schema: { type: 'boolean' } },
        ],
        responses: { 200: jsonOf('Success.'), ...refusals },
        security: [{ BotToken: [] }, { OAuth2: ['guilds'] }, { Session: [] }, { SessionCookie: [] }],
        'x-rate-limit': rateLimit('guild_id'),
        'x-runs-on': { by: 'guild_id', self_hosted: 'forward' },
      },
      post: {
        operationId: 'post_guilds_guild_id_things',
        tags: ['guilds'],
        summary: 'Create a thing',
        description: 'With files.',
        parameters: [guildId, reason],
        requestBody: {
          content: {
            'application/json': { schema: named },
            'application/x-www-form-urlencoded': { schema: named },
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: { payload_json: { ...named, description: 'The body as JSON.' } },
                patternProperties: {
                  '^files\\[\\d+\\]$': { type: 'string', contentMediaType: 'application/octet-stream' },
                },
              },
            },
          },
        },
        responses: { 201: jsonOf('Created.'), 204: noBody, ...refusals },
        security: [{ BotToken: [] }],
        'x-rate-limit': rateLimit(),
        'x-runs-on': { by: 'guild_id', self_hosted: 'notFound' },
      },
    },
    '/api/v10/things/@me': {
      delete: {
        operationId: 'delete_things_me',
        tags: ['things'],
        summary: 'Delete the thing',
        parameters: [reason],
        requestBody: {
          content: { 'application/json': { schema: why }, 'application/x-www-form-urlencoded': { schema: why } },
        },
        responses: { 204: noBody, ...refusals },
        security: [{ OAuth2: [] }],
        'x-rate-limit': rateLimit(),
        'x-runs-on': 'cloud',
      },
    },
  });
});

test("the components contain the instance's credentials and the schema of errors", () => {
  const componentsAt = (publicUrl: string) => openApiDocument([], publicUrl).components;
  const scopes = [
    ...['identify', 'email', 'guilds', 'guilds.join', 'bot', 'applications.commands'],
    'applications.commands.permissions.update',
  ];
  const tokenUrl = 'https://chat.example/api/v10/oauth2/token';
  const named = Object.fromEntries(scopes.map((scope) => [scope, scope]));
  const error = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  expect(componentsAt('https://chat.example')).toEqual({
    securitySchemes: {
      BotToken: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: '`Bot ` followed by the bot token.',
      },
      OAuth2: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://chat.example/oauth2/authorize',
            tokenUrl,
            refreshUrl: tokenUrl,
            scopes: named,
          },
          clientCredentials: { tokenUrl, scopes: named },
        },
      },
      Session: {
        type: 'http',
        scheme: 'bearer',
        description: 'Token of a portal session, from `POST /auth/sign-in/email`.',
      },
      SessionCookie: { type: 'apiKey', in: 'cookie', name: '__Secure-causeway.session_token' },
    },
    responses: {
      Refused: { description: 'The request was refused.', content: error },
      TooManyRequests: {
        description: 'Too many requests.',
        headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait.' } },
        content: {
          'application/json': {
            schema: {
              allOf: [{ $ref: '#/components/schemas/Error' }],
              required: ['retry_after', 'global'],
              properties: {
                retry_after: { type: 'number', description: 'Seconds to wait.' },
                global: { type: 'boolean' },
              },
            },
          },
        },
      },
    },
    schemas: {
      Error: {
        type: 'object',
        required: ['message', 'code'],
        properties: {
          message: { type: 'string' },
          code: { type: 'integer' },
          errors: { type: 'object', description: 'Errors of the input, nested by field, each list under `_errors`.' },
        },
      },
    },
  });
  expect(componentsAt('http://localhost:3000')).toMatchObject({
    securitySchemes: { SessionCookie: { name: 'causeway.session_token' } },
  });
});
