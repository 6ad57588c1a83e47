import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { requireUser } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { countedAs, nameOf } from '../domain/rate-limits.js';
import { type BodySource, type HeldBody, readBytes, readText, requestTooLarge } from '../http/bodies.js';
import { isFromMachine } from '../http/machine-socket.js';
import { refuseOtherMethods } from '../http/methods.js';
import { originOf } from '../http/origins.js';
import type { Visitor } from '../http/page-sessions.js';
import type { LargeScript } from '../http/pages/large-script.js';
import { charsetOf, requireUncompressed } from '../http/text.js';
import { URL_ENCODED, urlEncodedFields } from '../http/url-encoded.js';
import type { Lazy } from '../infra/caching/lazy.js';
import { yieldToEventLoop } from '../infra/concurrency/event-loop.js';
import {
  COMMAND_JSON_BOUNDS,
  isWithinBounds,
  JSON_BOUNDS,
  type JsonBounds,
  JsonBoundsError,
} from '../infra/network/bounded-json.js';
import type { GraphqlContext } from './context.js';
import { type OperationForm, openOperationForm } from './forms.js';
import type { Yoga } from './yoga.js';

/**
 * Anonymous callers count against their address.
 * @param requestId random by default
 * @throws UNAUTHENTICATED if the `Authorization` header cannot be a session, RATE_LIMITED
 */
export type ContextFor = (visitor: Visitor, requestId?: string) => Promise<GraphqlContext>;

/** In bytes. */
const MAX_BODY = 1024 * 1024;
const MAX_ANONYMOUS_BODY = 64 * 1024;

interface Admission {
  context: GraphqlContext;
  held: HeldBody;
  /** Set if the body was a form. */
  form?: OperationForm;
}

/**
 * Serves queries, mutations, subscriptions as server-sent events, and GraphiQL.
 * @param streaming set of open streams' responses, which this function maintains
 */
export function mountGraphql(
  http: FastifyInstance,
  app: AppContext,
  { yoga, graphiql }: { yoga: Lazy<Yoga>; graphiql: LargeScript },
  contextFor: ContextFor,
  streaming: Set<ServerResponse>,
): void {
  const admissions = new WeakMap<FastifyRequest, Admission>();
  const admissionOf = (request: FastifyRequest): Admission => {
    const admission = admissions.get(request);
    if (!admission) throw new Error('The request has no admission: onRequest must run before the body is read.');
    return admission;
  };
  http.register(async (scope) => {
    receiveBodies(scope, app, admissionOf);
    scope.setErrorHandler<FastifyError>(async (error, _request, reply) => {
      const { refuse } = await import('./refusals.js');
      return refuse(app, error, reply);
    });
    refuseOtherMethods(scope, () => {
      graphiql.mount(scope);
      scope.route({
        method: ['GET', 'POST'],
        url: '/graphql',
        // Limits apply before the body is received.
        onRequest: async (request) => {
          requireOrigin(app, request);
          requireBounds(jsonInParams(request.url.split('?', 2)[1] ?? ''), JSON_BOUNDS);
          const { headers, ip: address, raw } = request;
          const visitor = { headers, address, isMachine: isFromMachine(raw) };
          const context = await contextFor(visitor, request.id);
          if (request.trace) request.trace.who = nameOf(context.call.actor);
          admissions.set(request, { context, held: app.bodies.hold(countedAs(context.call.actor, visitor)) });
        },
        handler: async (request, reply) => {
          const started = process.hrtime.bigint();
          const response = await execute(app, yoga, request, reply, admissionOf(request));
          const seconds = Number(process.hrtime.bigint() - started) / 1e9;
          measureOnce(app, request, response.status, seconds);
          return answer(reply, response, streaming);
        },
      });
    });
  });
}

/** Measures the time to the response, not the length of a stream. */
function measureOnce({ metrics }: AppContext, request: FastifyRequest, status: number, seconds: number): void {
  if (request.isMeasured) return;
  request.isMeasured = true;
  metrics.requests.observe({ face: 'graphql', route: `${request.method} /graphql`, status }, seconds);
}

async function execute(
  app: AppContext,
  yoga: Lazy<Yoga>,
  request: FastifyRequest,
  reply: FastifyReply,
  { context, held, form }: Admission,
): Promise<Response> {
  try {
    const gone = goneSignal(reply);
    context.gone = gone;
    const operation = requestOf(request, gone);
    const server = await yoga.get();
    // Checking a document takes milliseconds, so concurrent operations yield before it.
    await yieldToEventLoop();
    return await server.fetch(new URL(request.url, app.addresses.publicUrl), operation, context);
  } finally {
    held.release();
    await form?.close();
  }
}

/** Anonymous callers may send only short documents and no files. */
function receiveBodies(
  http: FastifyInstance,
  app: AppContext,
  admissionOf: (request: FastifyRequest) => Admission,
): void {
  http.removeAllContentTypeParsers();
  http.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) => {
    const { context, held } = admissionOf(request);
    const isAnonymous = context.call.actor.kind === 'anonymous';
    const max = isAnonymous ? MAX_ANONYMOUS_BODY : MAX_BODY;
    if (Number(request.headers['content-length'] ?? 0) > max) throw bodyTooLarge(max);
    const text = await readOperation({ headers: request.headers, stream }, max, held).catch((error: unknown) => {
      throw error instanceof DomainError && error.code === 'REQUEST_TOO_LARGE' ? bodyTooLarge(max) : error;
    });
    const json = jsonInBody(request, text);
    requireBounds(json, isAnonymous ? JSON_BOUNDS : COMMAND_JSON_BOUNDS);
    if (!isWithin(json, JSON_BOUNDS)) await context.budget.payForLongInput();
    return text;
  });
  http.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, stream: IncomingMessage) => {
    const admission = admissionOf(request);
    const { call } = admission.context;
    requireUser(call);
    const end = app.bodies.beginForm(countedAs(call.actor, { address: request.ip }));
    try {
      const form = await openOperationForm({ headers: request.headers, stream }, app.blobs, admission.held);
      admission.context.formParams = form.params;
      admission.form = {
        params: form.params,
        close() {
          end();
          return form.close();
        },
      };
    } catch (error) {
      end();
      throw error;
    }
  });
}

/** By the content types that Yoga accepts. */
function jsonInBody({ headers }: FastifyRequest, text: string): string[] {
  const type = headers['content-type'] ?? '';
  if (/^application\/graphql(?!\+)/.test(type)) return [];
  return type.startsWith('application/x-www-form-urlencoded') ? jsonInParams(text) : [text];
}

function jsonInParams(text: string): string[] {
  const params = new URLSearchParams(text);
  return ['variables', 'extensions'].flatMap((name) => params.getAll(name));
}

/** Yoga parses JSON without bounds. @throws INVALID_INPUT */
function requireBounds(texts: string[], bounds: JsonBounds): void {
  if (!isWithin(texts, bounds)) throw new DomainError('INVALID_INPUT', new JsonBoundsError(bounds).message);
}

function isWithin(texts: string[], bounds: JsonBounds): boolean {
  return texts.every((text) => isWithinBounds(text, bounds));
}

/** Yoga assumes UTF-8, so other charsets are decoded here. @throws INVALID_INPUT, and what `readText` throws */
async function readOperation({ headers, stream }: BodySource, max: number, held: HeldBody): Promise<string> {
  const type = headers['content-type'];
  if (!type?.toLowerCase().startsWith(URL_ENCODED)) return readText({ headers, stream }, max, held);
  requireUncompressed(headers);
  const fields = urlEncodedFields(await readBytes(stream, max, held), charsetOf(type));
  return String(new URLSearchParams(fields));
}

function bodyTooLarge(max: number): DomainError {
  return requestTooLarge(`The request body must not exceed ${max} bytes.`);
}

/** Rejects other sites' use of the session cookie. A link to GraphiQL has no `Origin` and is allowed. */
function requireOrigin(app: AppContext, { headers, method }: FastifyRequest): void {
  const isCookieUsed = headers.cookie !== undefined && headers.authorization === undefined;
  if (!isCookieUsed || originOf(app.addresses.publicUrl, headers) !== 'foreign') return;
  if (method === 'GET' && headers.origin === undefined) return;
  throw new DomainError('FORBIDDEN', 'Requests from this origin are not accepted.');
}

/** Aborted if the caller disconnects before the full response was sent. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  onceClosed(raw, () => raw.writableFinished || gone.abort(callerIsGone()));
  return gone.signal;
}

/** Calls immediately if the response is already closed, because it emits no more events. */
function onceClosed(response: ServerResponse, call: () => unknown): void {
  if (response.destroyed) call();
  else response.once('close', call);
}

function requestOf(request: FastifyRequest, signal: AbortSignal): RequestInit {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && !name.startsWith(':')) headers.set(name, value);
  }
  const body = typeof request.body === 'string' ? { body: request.body } : {};
  return { method: request.method, headers, signal, ...body };
}

/** A domain error, so that the disconnect is not logged as a failure. */
function callerIsGone(): DomainError {
  return new DomainError('INVALID_REQUEST', 'The caller disconnected before the response was sent.');
}

async function answer(reply: FastifyReply, response: Response, streaming: Set<ServerResponse>): Promise<FastifyReply> {
  // Responses can contain secrets. Streams set their own header.
  reply.code(response.status).header('cache-control', 'no-store');
  response.headers.forEach((value, name) => void reply.header(name, value));
  const isStream = /^(text\/event-stream|multipart\/mixed)/.test(response.headers.get('content-type') ?? '');
  if (isStream && response.body) {
    streaming.add(reply.raw);
    onceClosed(reply.raw, () => streaming.delete(reply.raw));
    return reply.send(Readable.from(response.body));
  }
  return reply.send(Buffer.from(await response.arrayBuffer()));
}
