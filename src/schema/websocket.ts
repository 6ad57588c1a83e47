import type { IncomingHttpHeaders } from 'node:http';
import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import { type Context, makeServer, type ServerOptions } from 'graphql-ws';
import type { AppContext, Visitor } from '../context.js';
import { DomainError } from '../domain/errors.js';
import type { Face } from '../face.js';
import { originOf } from '../infra/origins.js';
import { renderError } from './errors.js';
import type { ContextFor } from './http.js';
import { schema } from './index.js';
import { adaptSockets, type SocketExtra } from './ws-adapter.js';
import type { Yoga } from './yoga.js';

const MAX_OPERATIONS_A_SOCKET = 100;

/**
 * Subscriptions over WebSocket (the `graphql-transport-ws` protocol). The session comes in the connection parameter
 * `authorization`, or as the cookie of an upgrade that states no foreign origin.
 */
export function graphqlSockets(app: AppContext, yoga: Yoga, contextFor: ContextFor): Pick<Face, 'upgrades' | 'drain'> {
  return adaptSockets(app, makeServer(serverOptions(app, yoga, contextFor)));
}

type Parameters = Record<string, unknown>;
type SocketContext = Context<Parameters, SocketExtra>;
type Enveloped = ReturnType<Yoga['getEnveloped']>;

function serverOptions(app: AppContext, yoga: Yoga, contextFor: ContextFor): ServerOptions<Parameters, SocketExtra> {
  // Each operation has a context of its own, by which its prepared functions are found again.
  const prepared = new WeakMap<object, Enveloped>();
  const preparedFor = ({ contextValue }: ExecutionArgs): Enveloped => {
    const found = prepared.get(contextValue as object);
    if (!found) throw new Error('an operation was run that was not prepared');
    return found;
  };
  const show = (error: unknown) => renderError(error, app.log);
  return {
    execute: (args) => preparedFor(args).execute(args),
    subscribe: async (args) => endingWithErrors(await preparedFor(args).subscribe(args), show),
    onConnect: async (socket) => {
      const visitor = visitorOf(app, socket);
      if (visitor.headers.authorization === undefined) return true;
      return isPerson(contextFor(visitor));
    },
    onSubscribe: async (socket, _id, { query, variables, operationName }) => {
      if (Object.keys(socket.subscriptions).length > MAX_OPERATIONS_A_SOCKET) return [show(tooManyOperations())];
      try {
        const enveloped = yoga.getEnveloped(await contextFor(visitorOf(app, socket)));
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

/** Whether the credentials name a session; text that is no credential names none. */
async function isPerson(context: ReturnType<ContextFor>): Promise<boolean> {
  try {
    return (await context).call.actor.kind === 'person';
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

function tooManyOperations(): DomainError {
  return new DomainError('LIMIT_EXCEEDED', `At most ${MAX_OPERATIONS_A_SOCKET} operations may run on one socket.`);
}

function visitorOf(app: AppContext, socket: SocketContext): Visitor {
  return { headers: headersOf(app, socket), address: socket.extra.request.socket.remoteAddress ?? '' };
}

/** The session a socket was opened with, in the headers an HTTP request would carry it in. */
function headersOf(app: AppContext, socket: SocketContext): IncomingHttpHeaders {
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

/** A stream that fails tells its reader why, as a last result, and leaves the socket and its other streams alone. */
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
