import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowOtherOrigins } from '../http/cors.js';
import { refuseOtherMethods } from '../http/methods.js';
import type { RestAnswer, RestQuery, RestRequest } from './request.js';

export type AnswerRequest = (request: RestRequest) => Promise<RestAnswer>;

type Asked = FastifyRequest<{ Querystring: RestQuery }>;

/** Serves the table under `/api`, and under each route's first segment for clients whose `{base_url}` is the origin. */
export function mountTable(http: FastifyInstance, roots: Iterable<string>, answer: AnswerRequest): void {
  // Runs before Fastify checks the content type, because each row accepts its own.
  const onRequest = async (request: Asked, reply: FastifyReply) => send(reply, await answer(restRequest(request)));
  for (const root of ['api', ...roots]) {
    for (const url of [`/${root}`, `/${root}/*`]) {
      http.route<{ Querystring: RestQuery }>({
        method: http.supportedMethods,
        url,
        exposeHeadRoute: false,
        onRequest,
        handler: (_request, reply) => reply,
      });
    }
  }
}

export function mountDocument(http: FastifyInstance, url: string, make: () => object): void {
  let document: Buffer | undefined;
  http.register(async (scope) => {
    allowOtherOrigins(scope);
    refuseOtherMethods(scope, () => {
      scope.get(url, (_request, reply) => {
        document ??= Buffer.from(JSON.stringify(make()));
        return reply.header('content-type', 'application/json').send(document);
      });
    });
  });
}

/** The address is lazy, because most requests do not need it. */
function restRequest(request: Asked): RestRequest {
  const { id, method, query, headers, raw, trace } = request;
  request.isMeasured = true;
  return {
    id,
    trace,
    method,
    path: pathOf(raw.url ?? '/'),
    query,
    headers,
    body: raw,
    get address() {
      return request.ip;
    },
  };
}

/** The target can be an absolute URL (RFC 9112, section 3.2.2). */
function pathOf(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  return path.startsWith('/') ? path : path.replace(/^https?:\/\/[^/]*/i, '');
}

/** Fastify adds a charset to text, but not to bytes. */
function send(reply: FastifyReply, { status, headers, body }: RestAnswer): FastifyReply {
  return reply
    .code(status)
    .headers(headers)
    .send(body === null ? undefined : Buffer.from(body));
}
