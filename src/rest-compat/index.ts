import type { AppContext } from '../context.js';
import type { Entrypoint } from '../entrypoint.js';
import type { FindPerson } from '../http/page-sessions.js';
import { mountReference } from '../http/pages/api-reference.js';
import { credentialSchemes } from './credentials.js';
import { type AnswerRequest, mountDocument, mountTable } from './http.js';
import { Interpreter } from './interpreter.js';
import type { Directory } from './locate.js';
import { RouteTable } from './match.js';
import { openApiDocument } from './openapi.js';
import type { RestAnswer, RestRequest } from './request.js';
import { pathsWithoutMethods, routes } from './table.js';

/** Stands between a request and its answer. */
export type RestInterceptor = (
  request: RestRequest,
  answer: (request: RestRequest) => Promise<RestAnswer>,
) => Promise<RestAnswer>;

export function createRestEntrypoint(
  app: AppContext,
  findPerson: FindPerson,
  directory: Directory,
  interceptor?: RestInterceptor,
): Entrypoint {
  const schemes = credentialSchemes(app, findPerson);
  const interpreter = new Interpreter(app, { rows: routes, pathsWithoutMethods, schemes, directory });
  return {
    mount(http) {
      const answer: AnswerRequest = (request) => interpreter.answer(request);
      mountTable(http, interpreter.table.roots, interceptor ? (request) => interceptor(request, answer) : answer);
      mountDocument(http, '/openapi.json', () => openApiDocument(routes, app.addresses.publicUrl));
      mountReference(http);
    },
  };
}

/** The routes of the entry point. */
export function createRouteTable(): RouteTable {
  return new RouteTable(routes, pathsWithoutMethods);
}

export { createEndpoints } from './endpoint-delivery.js';
export { performHanded } from './handed.js';
export { everythingHere } from './locate.js';
export { parityRows } from './parity.js';
export type { RestAnswer, RestRequest };
