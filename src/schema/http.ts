import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { requireUser } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { countedAs, nameOf } from '../domain/rate-limits.js';
import { type BodySource, type HeldBody, readBytes, readText, requestTooLarge } from '../http/bodies.js';
import { refuseOtherMethods } from '../http/methods.js';
import { originOf } from '../http/origins.js';
import type { Visitor } from '../http/page-sessions.js';
import { charsetOf, requireUncompressed } from '../http/text.js';
import { URL_ENCODED, urlEncodedFields } from '../http/url-encoded.js';
import {
  COMMAND_JSON_BOUNDS,
  isWithinBounds,
  JSON_BOUNDS,
  type JsonBounds,
  JsonBoundsError,
} from '../infra/bounded-json.js';
import type { Lazy } from '../infra/lazy.js';
import { nextTurn } from '../infra/turns.js';
import type { GraphqlContext } from './context.js';
import { type OperationForm, openOperationForm } from './forms.js';
import { mountGraphiqlFiles } from './graphiql.js';
import type { Yoga } from './yoga.js';

/**
 * Makes an operation's context. One of somebody who is not signed in counts against their address.
 * @param requestId of the request; a name of its own where it is none
 * @throws UNAUTHENTICATED for an `Authorization` header that cannot name a session, RATE_LIMITED
 */
export type ContextFor = (visitor: Visitor, requestId?: string) => Promise<GraphqlContext>;

/** Bytes of a document with its variables, from somebody who is signed in and from anybody. */
const MAX_BODY = 1024 * 1024;
const MAX_ANONYMOUS_BODY = 64 * 1024;

/** What is known of a request before its body is received. */
interface Admission {
  context: GraphqlContext;
  held: HeldBody;
  /** What the body was, where it was a form. */
  form?: OperationForm;
}

/**
 * GraphQL over HTTP: queries, mutations, subscriptions as server-sent events, and GraphiQL for browsers.
 * @param streaming holds the answers that last, as long as they do
 */
export function mountGraphql(
  http: FastifyInstance,
  app: AppContext,
  yoga: Lazy<Yoga>,
  contextFor: ContextFor,
  streaming: Set<ServerResponse>,
): void {
  const admissions = new WeakMap<FastifyRequest, Admission>();
  const admissionOf = (request: FastifyRequest): Admission => {
    const admission = admissions.get(request);
    if (!admission) throw new Error('a request was received before it was admitted');
    return admission;
  };
  http.register(async (scope) => {
    receiveBodies(scope, app, admissionOf);
    scope.setErrorHandler<FastifyError>(async (error, _request, reply) => {
      const { refuse } = await import('./refusals.js');
      return refuse(app, error, reply);
    });
    refuseOtherMethods(scope, () => {
      mountGraphiqlFiles(scope);
      scope.route({
        method: ['GET', 'POST'],
        url: '/graphql',
        // Who calls is known, or counted, before a body is received.
        onRequest: async (request) => {
          requireOrigin(app, request);
          requireBounds(jsonInParams(request.url.split('?', 2)[1] ?? ''), JSON_BOUNDS);
          const visitor = { headers: request.headers, address: request.ip };
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

/** Measures the time to an answer, which a stream outlasts; but not of somebody who went away, whose request was over then. */
function measureOnce({ metrics }: AppContext, request: FastifyRequest, status: number, seconds: number): void {
  if (request.isMeasured) return;
  request.isMeasured = true;
  metrics.requests.observe({ face: 'graphql', route: `${request.method} /graphql`, status }, seconds);
}

/** Runs the operation, and lets go of what its body holds. */
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
    // To check a document takes milliseconds: many that come at once do not keep others waiting for all of them.
    await nextTurn();
    return await server.fetch(new URL(request.url, app.addresses.publicUrl), operation, context);
  } finally {
    held.release();
    await form?.close();
  }
}

/** Somebody who is not signed in sends a short document, and no files. */
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

/** The JSON in a body, by the content types that the GraphQL library takes. */
function jsonInBody({ headers }: FastifyRequest, text: string): string[] {
  const type = headers['content-type'] ?? '';
  if (/^application\/graphql(?!\+)/.test(type)) return [];
  return type.startsWith('application/x-www-form-urlencoded') ? jsonInParams(text) : [text];
}

function jsonInParams(text: string): string[] {
  const params = new URLSearchParams(text);
  return ['variables', 'extensions'].flatMap((name) => params.getAll(name));
}

/** Checked here because the GraphQL library parses JSON without bounds. @throws INVALID_INPUT */
function requireBounds(texts: string[], bounds: JsonBounds): void {
  if (!isWithin(texts, bounds)) throw new DomainError('INVALID_INPUT', new JsonBoundsError(bounds).message);
}

function isWithin(texts: string[], bounds: JsonBounds): boolean {
  return texts.every((text) => isWithinBounds(text, bounds));
}

/** The body as UTF-8, which is what the GraphQL library takes it for. @throws INVALID_INPUT, and what `readText` throws */
async function readOperation({ headers, stream }: BodySource, max: number, held: HeldBody): Promise<string> {
  const type = headers['content-type'];
  if (!type?.toLowerCase().startsWith(URL_ENCODED)) return readText({ headers, stream }, max, held);
  requireUncompressed(headers);
  const fields = urlEncodedFields(await readBytes(stream, max, held), charsetOf(type));
  return String(new URLSearchParams(fields));
}

function bodyTooLarge(max: number): DomainError {
  return requestTooLarge(`The request body is larger than ${max} bytes; that is the limit.`);
}

/** A page of another site must not act with a person's cookie. A link there may lead to GraphiQL, and states no origin. */
function requireOrigin(app: AppContext, { headers, method }: FastifyRequest): void {
  const isCookieUsed = headers.cookie !== undefined && headers.authorization === undefined;
  if (!isCookieUsed || originOf(app.addresses.publicUrl, headers) !== 'foreign') return;
  if (method === 'GET' && headers.origin === undefined) return;
  throw new DomainError('FORBIDDEN', 'Requests from this origin are not accepted.');
}

/** Aborted when the caller goes away before the whole answer was sent. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  onceClosed(raw, () => raw.writableFinished || gone.abort(callerIsGone()));
  return gone.signal;
}

/** Calls when a response is over, at once where it is: of that nobody would be told again. */
function onceClosed(response: ServerResponse, call: () => unknown): void {
  if (response.destroyed) call();
  else response.once('close', call);
}

/** The request in the shape the GraphQL server takes. */
function requestOf(request: FastifyRequest, signal: AbortSignal): RequestInit {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && !name.startsWith(':')) headers.set(name, value);
  }
  const body = typeof request.body === 'string' ? { body: request.body } : {};
  return { method: request.method, headers, signal, ...body };
}

/** Why an operation ends that nobody waits for any more; a refusal, since it is no fault of ours. */
function callerIsGone(): DomainError {
  return new DomainError('INVALID_REQUEST', 'The caller did not wait for the answer.');
}

async function answer(reply: FastifyReply, response: Response, streaming: Set<ServerResponse>): Promise<FastifyReply> {
  // An answer may show a secret; streams say themselves how they are kept.
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
