import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import type { AppContext, Visitor } from '../context.js';
import { DomainError, type ErrorCode } from '../domain/errors.js';
import { limits } from '../domain/limits.js';
import { refuseOtherMethods } from '../infra/http-methods.js';
import { originOf } from '../infra/origins.js';
import type { GraphqlContext } from './context.js';
import { renderDomainError, renderError } from './errors.js';
import type { Yoga } from './yoga.js';

/**
 * Makes an operation's context. One of somebody who is not signed in counts against their address.
 * @throws UNAUTHENTICATED for an `Authorization` header that cannot name a session, RATE_LIMITED
 */
export type ContextFor = (visitor: Visitor) => Promise<GraphqlContext>;

/** Bytes of a document with its variables. */
const MAX_JSON_BODY = 1024 * 1024;
/** Room for what stands around the files of a form, in bytes. */
const FORM_ROOM = 64 * 1024;

/**
 * GraphQL over HTTP: queries, mutations, subscriptions as server-sent events, and GraphiQL for browsers.
 * @param streaming holds the answers that last, as long as they do
 */
export function mountGraphql(
  http: FastifyInstance,
  app: AppContext,
  yoga: Yoga,
  contextFor: ContextFor,
  streaming: Set<ServerResponse>,
): void {
  http.register(async (scope) => {
    receiveBodies(scope);
    scope.setErrorHandler<FastifyError>((error, _request, reply) => refuse(app, error, reply));
    refuseOtherMethods(scope, () => {
      scope.route({
        method: ['GET', 'POST'],
        url: '/graphql',
        handler: async (request, reply) => {
          requireOrigin(app, request);
          const context = await contextFor({ headers: request.headers, address: request.ip });
          const started = process.hrtime.bigint();
          const response = await yoga.fetch(
            new URL(request.url, app.addresses.publicUrl),
            requestOf(request, reply),
            context,
          );
          const seconds = Number(process.hrtime.bigint() - started) / 1e9;
          app.metrics.requests.observe({ face: 'graphql', route: '/graphql', status: response.status }, seconds);
          return answer(reply, response, streaming);
        },
      });
    });
  });
}

function receiveBodies(http: FastifyInstance): void {
  http.removeAllContentTypeParsers();
  const keep = async (_request: FastifyRequest, body: string) => body;
  http.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_JSON_BODY }, keep);
  const keepBytes = async (_request: FastifyRequest, body: Buffer) => new Uint8Array(body);
  const formLimit = limits.requestSize + FORM_ROOM;
  http.addContentTypeParser('multipart/form-data', { parseAs: 'buffer', bodyLimit: formLimit }, keepBytes);
}

/** A page of another site must not act with a person's cookie. A link there may lead to GraphiQL, and states no origin. */
function requireOrigin(app: AppContext, { headers, method }: FastifyRequest): void {
  const isCookieUsed = headers.cookie !== undefined && headers.authorization === undefined;
  if (!isCookieUsed || originOf(app.addresses.publicUrl, headers) !== 'foreign') return;
  if (method === 'GET' && headers.origin === undefined) return;
  throw new DomainError('FORBIDDEN', 'Requests from this origin are not accepted.');
}

/** The request in the shape the GraphQL server takes; it is aborted when the caller goes away. */
function requestOf(request: FastifyRequest, reply: FastifyReply): RequestInit {
  const gone = new AbortController();
  reply.raw.once('close', () => reply.raw.writableFinished || gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && !name.startsWith(':')) headers.set(name, value);
  }
  return { method: request.method, headers, signal: gone.signal, ...bodyOf(request.body) };
}

function bodyOf(body: unknown): { body?: string | Uint8Array<ArrayBuffer> } {
  return typeof body === 'string' || isBytes(body) ? { body } : {};
}

function isBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array;
}

async function answer(reply: FastifyReply, response: Response, streaming: Set<ServerResponse>): Promise<FastifyReply> {
  // An answer may show a secret; streams say themselves how they are kept.
  reply.code(response.status).header('cache-control', 'no-store');
  response.headers.forEach((value, name) => void reply.header(name, value));
  const isStream = /^(text\/event-stream|multipart\/mixed)/.test(response.headers.get('content-type') ?? '');
  if (isStream && response.body) {
    streaming.add(reply.raw);
    reply.raw.once('close', () => streaming.delete(reply.raw));
    return reply.send(Readable.from(response.body));
  }
  return reply.send(Buffer.from(await response.arrayBuffer()));
}

/** Of refusals that are not answers to a document; 400 for all others. */
const STATUS_OF: Partial<Record<ErrorCode, number>> = { FORBIDDEN: 403, UNAUTHENTICATED: 401, RATE_LIMITED: 429 };

function refuse(app: AppContext, error: FastifyError | DomainError, reply: FastifyReply): FastifyReply {
  if (error instanceof DomainError) {
    if (error.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
    return reply.code(STATUS_OF[error.code] ?? 400).send({ errors: [renderDomainError(error)] });
  }
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return refuseSize(reply);
  const status = error.statusCode ?? 500;
  const extensions = { code: 'BAD_USER_INPUT' };
  if (status < 500) return reply.code(status).send({ errors: [new GraphQLError(error.message, { extensions })] });
  return reply.code(500).send({ errors: [renderError(error, app.log)] });
}

function refuseSize(reply: FastifyReply): FastifyReply {
  const isForm = reply.request.headers['content-type']?.startsWith('multipart/form-data') === true;
  const limit = isForm ? limits.requestSize + FORM_ROOM : MAX_JSON_BODY;
  const message = `The request body is larger than ${limit} bytes; that is the limit.`;
  return reply.code(413).send({ errors: [new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED' } })] });
}
