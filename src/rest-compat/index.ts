import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AppContext, callContext } from '../context.js';
import type { FindPerson } from '../domain/accounts/index.js';
import type { Actor, CallContext } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { parseInput } from '../domain/input.js';
import type { Face } from '../face.js';
import { type HeldBody, senderOf } from '../http/bodies.js';
import { readAuditReason } from './audit-reason.js';
import { readBody, wrongContentType } from './body.js';
import { Credentials, requireCaller } from './credentials.js';
import {
  BAD_REQUEST,
  INTERNAL_ERROR,
  METHOD_NOT_ALLOWED,
  NOT_FOUND,
  type RestError,
  renderRestError,
  UNKNOWN_API_VERSION,
} from './errors.js';
import type { ReceivedBody } from './multipart.js';
import { callerOf, type LimitVerdict, RequestLimits } from './rate-limiting.js';
import type { Route } from './route.js';
import { parseParams } from './schemas.js';
import { routes } from './table.js';

/** The same routes under each of these; `{base_url}` is any of the three. */
const PREFIXES = ['/api/v10', '/api', ''];

const MALFORMED_CONTENT_TYPE = renderRestError(wrongContentType(true)) ?? BAD_REQUEST;

/** The REST shim: the table of wire routes, run by one interpreter. */
export function createRestFace(app: AppContext, findPerson: FindPerson): Face {
  return {
    async mount(http) {
      await http.register(async (scope) => {
        mountTable(scope, new Interpreter(app, findPerson));
        mountVersions(scope);
      });
    },
  };
}

/** Answers what no face has a route for, and what fails outside a face's own rules, for all faces that are mounted after it. */
export function answerForNoFace(app: AppContext, http: FastifyInstance): void {
  http.setNotFoundHandler((_request, reply) => sendError(reply, NOT_FOUND));
  http.setErrorHandler<FastifyError>((error, request, reply) => {
    if (request.is404) return sendError(reply, NOT_FOUND);
    if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return sendError(reply, MALFORMED_CONTENT_TYPE);
    const refusal = renderRestError(error);
    if (refusal) return sendError(reply, refusal);
    app.log.error({ err: error, requestId: request.id, method: request.method }, 'a request failed');
    return sendError(reply, INTERNAL_ERROR);
  });
}

function mountTable(http: FastifyInstance, interpreter: Interpreter): void {
  for (const [path, ofPath] of groupByPath(routes)) {
    const allowed = [...ofPath.keys()].join(', ');
    for (const prefix of PREFIXES) {
      http.route({
        method: http.supportedMethods,
        url: prefix + path,
        exposeHeadRoute: false,
        handler: (request, reply) => {
          const route = ofPath.get(request.method === 'HEAD' ? 'GET' : request.method);
          if (!route) return sendError(reply.header('allow', allowed), METHOD_NOT_ALLOWED);
          return interpreter.answer(route, request, reply);
        },
      });
    }
  }
}

/** `/api/vN` for any other N. */
function mountVersions(http: FastifyInstance): void {
  const answer = (request: FastifyRequest<{ Params: { version: string } }>, reply: FastifyReply) =>
    sendError(reply, request.params.version === '10' ? NOT_FOUND : UNKNOWN_API_VERSION);
  for (const url of ['/api/v:version(^\\d+$)', '/api/v:version(^\\d+$)/*']) {
    http.route({ method: http.supportedMethods, url, exposeHeadRoute: false, handler: answer });
  }
}

function groupByPath(table: readonly Route[]): Map<string, Map<string, Route>> {
  const paths = new Map<string, Map<string, Route>>();
  for (const route of table) {
    const ofPath = paths.get(route.path) ?? new Map<string, Route>();
    if (ofPath.has(route.method)) throw new Error(`two rows for ${route.method} ${route.path}`);
    paths.set(route.path, ofPath.set(route.method, route));
  }
  return paths;
}

/** Runs a request through its row: authenticate, limit, parse, run, render. Every request gets an answer. */
class Interpreter {
  readonly #limits: RequestLimits;

  readonly #credentials: Credentials;

  constructor(
    private readonly app: AppContext,
    findPerson: FindPerson,
  ) {
    this.#limits = new RequestLimits(app);
    this.#credentials = new Credentials(app, findPerson);
  }

  async answer(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const finish = this.app.metrics.requests.startTimer({ face: 'rest', route: `${route.method} ${route.path}` });
    if (route.showsSecret) reply.header('cache-control', 'no-store');
    const { actor, fault } = await this.#identify(route, request);
    const caller = callerOf(actor, request);
    try {
      const shutOut = await this.#limits.isShutOut(caller);
      if (shutOut) obey(shutOut, reply);
      if (fault !== undefined) await this.#refuse(fault, caller, reply);
      obey(await this.#limits.take(route, caller, majorOf(route, request)), reply);
      requireCaller(route.callers, actor);
      const body = await this.#run(route, request, actor);
      return body === undefined ? reply.code(204).send() : sendJson(reply.code(route.status), body);
    } catch (error) {
      return sendError(reply, this.#refusalOf(error, request));
    } finally {
      finish({ status: reply.statusCode });
      await this.#limits.noteAnswer(caller, reply.statusCode);
    }
  }

  /** Who calls. Somebody whose credential is refused is nobody known, and `fault` says what is wrong with it. */
  async #identify(route: Route, { headers }: FastifyRequest): Promise<{ actor: Actor; fault?: unknown }> {
    try {
      return { actor: await this.#credentials.identify(route.callers, headers) };
    } catch (fault) {
      return { actor: { kind: 'anonymous' }, fault };
    }
  }

  /** Counts what is refused for its credential, or for want of one. @throws fault, Refusal */
  async #refuse(fault: unknown, caller: string, reply: FastifyReply): Promise<never> {
    if (fault instanceof DomainError) obey(await this.#limits.takeOverall(caller), reply);
    throw fault;
  }

  async #run(route: Route, request: FastifyRequest, actor: Actor): Promise<unknown> {
    const auditReason = readAuditReason(request.headers['x-audit-log-reason']);
    const call = callContext(this.app, actor, { requestId: request.id, auditReason });
    const params = parseParams(route.params, request.params);
    const query = parseInput(route.query, request.query);
    const received = await this.#receive(route, request, { call, params });
    try {
      const body = route.body ? parseInput(route.body, received.value) : {};
      return await route.run({ app: this.app, call }, { params, query, body, files: received.files });
    } finally {
      received.held.release();
      await Promise.all(received.files.map((file) => file.blob.discard()));
    }
  }

  /** Receives the body of a route that has one; `held` is its share of the memory for bodies. */
  async #receive(
    route: Route,
    request: FastifyRequest,
    { call, params }: { call: CallContext; params: Record<string, unknown> },
  ): Promise<ReceivedBody & { held: HeldBody }> {
    const { blobs, bodies } = this.app;
    const sender = senderOf(call, request.ip);
    const held = bodies.hold(sender);
    if (!route.body) return { value: {}, files: [], held };
    try {
      const { admitFiles } = route;
      const admit = admitFiles && (() => admitFiles(call, params));
      const receiver = { blobs, held, admitFiles: admit, beginForm: () => bodies.beginForm(sender) };
      return { ...(await readBody({ headers: request.headers, stream: request.raw }, receiver, route)), held };
    } catch (error) {
      held.release();
      throw error;
    }
  }

  #refusalOf(error: unknown, request: FastifyRequest): RestError {
    if (error instanceof Refusal) return error.answer;
    const refusal = renderRestError(error);
    if (refusal) return refusal;
    this.app.log.error({ err: error, requestId: request.id, method: request.method }, 'a REST request failed');
    return INTERNAL_ERROR;
  }
}

/** An answer that was decided before the domain was asked. */
class Refusal extends Error {
  constructor(readonly answer: RestError) {
    super(answer.body.message);
  }
}

/** Shows the caller how they stand with their limits. @throws Refusal when they are beyond one */
function obey(verdict: LimitVerdict, reply: FastifyReply): void {
  reply.headers(verdict.headers);
  if (verdict.refusal) throw new Refusal(verdict.refusal);
}

function majorOf(route: Route, request: FastifyRequest): string {
  const { major } = route.bucket;
  const value = major === undefined ? undefined : (request.params as Record<string, string | undefined>)[major];
  // One channel has one bucket, however its id is written.
  return (value ?? '').replace(/^0+/, '').slice(0, 32);
}

/** Sends JSON as exactly `application/json`: with a charset behind it, some libraries do not parse the body. */
function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.header('content-type', 'application/json').send(Buffer.from(JSON.stringify(body)));
}

function sendError(reply: FastifyReply, error: RestError): FastifyReply {
  return sendJson(reply.code(error.status).headers(error.headers ?? {}), error.body);
}

/** The address as the table writes it: some libraries encode the `@` of `@me`. */
export function canonicalAddress(url: string): string {
  return url.replace(/\/%40me(?=\/|\?|$)/g, '/@me');
}
