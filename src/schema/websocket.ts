import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import { CloseCode, type Context, makeServer, type ServerOptions } from 'graphql-ws';
import type { AppContext } from '../context.js';
import type { Actor } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { JUST_THERE } from '../domain/presences/index.js';
import { countedAs } from '../domain/rate-limits.js';
import { originOf } from '../http/origins.js';
import type { FindPerson, Visitor } from '../http/page-sessions.js';
import { yieldToEventLoop } from '../infra/concurrency/event-loop.js';
import type { Release } from '../infra/concurrency/semaphore.js';
import { COMMAND_JSON_BOUNDS } from '../infra/network/bounded-json.js';
import { renderError } from './errors.js';
import type { ContextFor } from './http.js';
import { schema } from './index.js';
import type { Streams } from './streams.js';
import { adaptSockets, type SocketExtra, type Sockets } from './ws-adapter.js';
import type { Yoga } from './yoga.js';

const MAX_OPERATIONS_PER_SOCKET = 100;

/**
 * The `graphql-transport-ws` protocol. The session is the connection parameter `authorization`, or the cookie of an
 * upgrade without a
 * foreign origin.
 */
export function graphqlSockets(app: AppContext, parts: SocketParts): Sockets {
  return adaptSockets(app, makeServer(serverOptions(app, parts)));
}

export interface SocketParts {
  yoga: Yoga;
  contextFor: ContextFor;
  findPerson: FindPerson;
  streams: Streams;
}

type Parameters = Record<string, unknown>;
type SocketContext = Context<Parameters, SocketExtra>;
type Enveloped = ReturnType<Yoga['getEnveloped']>;

function serverOptions(
  app: AppContext,
  { yoga, contextFor, findPerson, streams }: SocketParts,
): ServerOptions<Parameters, SocketExtra> {
  // 'closed' if the socket closed before it was counted.
  const counted = new WeakMap<SocketExtra, Release | 'closed'>();
  // Presence connections of signed-in users.
  const connections = new WeakMap<SocketExtra, string>();
  const appear = async (socket: SocketContext, userId: bigint) => {
    const key = { id: randomUUID(), userId, session: null };
    connections.set(socket.extra, key.id);
    const isStillGood = async () => (await findPerson(visitorOf(app, socket).headers)).kind === 'person';
    await app.connections.open(key, JUST_THERE, isStillGood);
  };
  const prepared = new WeakMap<object, Enveloped>();
  const preparedFor = ({ contextValue }: ExecutionArgs): Enveloped => {
    const found = prepared.get(contextValue as object);
    if (!found) throw new Error('The operation has no prepared context: onSubscribe must run before it.');
    return found;
  };
  // `extensions.http` is only for the HTTP transport, which removes it.
  const show = (error: unknown) => withoutHttp(renderError(error, app.log));
  return {
    execute: (args) => preparedFor(args).execute(args),
    subscribe: async (args) => endingWithErrors(await preparedFor(args).subscribe(args), show),
    onConnect: async (socket) => {
      const visitor = visitorOf(app, socket);
      const { authorization, cookie } = visitor.headers;
      const actor = (authorization ?? cookie) ? await actorOf(findPerson(visitor.headers)) : ANONYMOUS;
      if (authorization !== undefined && actor.kind === 'anonymous') return false;
      if (counted.get(socket.extra) === 'closed') return false;
      const release = streams.openSocket(countedAs(actor, visitor));
      if (!release) {
        socket.extra.close(CloseCode.TooManyInitialisationRequests, 'Too many sockets');
        return false;
      }
      counted.set(socket.extra, release);
      if (actor.kind === 'person') {
        socket.extra.bounds = COMMAND_JSON_BOUNDS;
        // A tool with a personal token does not make its owner appear online.
        if (actor.personalTokenId === undefined) await appear(socket, actor.user.id);
      }
      return true;
    },
    onClose: ({ extra }) => {
      const release = counted.get(extra);
      if (typeof release === 'function') release();
      counted.set(extra, 'closed');
      const connectionId = connections.get(extra);
      if (connectionId !== undefined) void app.connections.close(connectionId);
    },
    onSubscribe: async (socket, _id, { query, variables, operationName }) => {
      if (Object.keys(socket.subscriptions).length > MAX_OPERATIONS_PER_SOCKET) return [show(tooManyOperations())];
      try {
        const connectionId = connections.get(socket.extra);
        const made = await contextFor(visitorOf(app, socket));
        const enveloped = yoga.getEnveloped({ ...made, ...(connectionId === undefined ? {} : { connectionId }) });
        await yieldToEventLoop();
        const document = enveloped.parse(query);
        const errors = enveloped.validate(schema, document);
        if (errors.length > 0) return errors.map(show);
        const context = await enveloped.contextFactory();
        prepared.set(context, enveloped);
        return { schema, document, contextValue: context, variableValues: variables, operationName };
      } catch (error) {
        return [show(error)];
      }
    },
  };
}

const ANONYMOUS: Actor = { kind: 'anonymous' };

async function actorOf(person: ReturnType<FindPerson>): Promise<Actor> {
  try {
    return await person;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'UNAUTHENTICATED') return ANONYMOUS;
    throw error;
  }
}

function tooManyOperations(): DomainError {
  return new DomainError('LIMIT_EXCEEDED', `A socket can run at most ${MAX_OPERATIONS_PER_SOCKET} operations at once.`);
}

function visitorOf(app: AppContext, socket: SocketContext): Visitor {
  return { headers: headersOf(app, socket), address: app.clientAddress(socket.extra.request) };
}

/** Session and `accept-language`. */
function headersOf(app: AppContext, socket: SocketContext): IncomingHttpHeaders {
  const { 'accept-language': languages } = socket.extra.request.headers;
  return { ...sessionOf(app, socket), ...(languages === undefined ? {} : { 'accept-language': languages }) };
}

function sessionOf(app: AppContext, socket: SocketContext): IncomingHttpHeaders {
  const { headers } = socket.extra.request;
  const authorization = authorizationOf(socket) ?? headers.authorization;
  if (authorization !== undefined) return { authorization };
  return headers.cookie !== undefined && originOf(app.addresses.publicUrl, headers) !== 'foreign'
    ? { cookie: headers.cookie }
    : {};
}

function authorizationOf({ connectionParams = {} }: SocketContext): string | undefined {
  const given = connectionParams.authorization ?? connectionParams.Authorization;
  if (typeof given !== 'string' || given === '') return undefined;
  return /^bearer /i.test(given) ? given : `Bearer ${given}`;
}

type Results = AsyncIterableIterator<ExecutionResult>;

/** Sends an error as the last result, so that the socket and its other streams stay open. */
function endingWithErrors(
  outcome: AsyncIterable<ExecutionResult> | ExecutionResult,
  show: (error: unknown) => GraphQLError,
): Results | ExecutionResult {
  if (!(Symbol.asyncIterator in outcome)) return outcome;
  const inner = outcome[Symbol.asyncIterator]();
  const end: IteratorResult<ExecutionResult> = { value: undefined, done: true };
  let failed = false;
  const results: Results = {
    async next() {
      if (failed) return end;
      try {
        return await inner.next();
      } catch (error) {
        failed = true;
        return { value: { errors: [show(error)] }, done: false };
      }
    },
    async return() {
      await inner.return?.();
      return end;
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}

function withoutHttp(error: GraphQLError): GraphQLError {
  const { http: _, ...extensions } = error.extensions;
  return new GraphQLError(error.message, { nodes: error.nodes, path: error.path, extensions });
}
