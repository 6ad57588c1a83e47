import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * What pages of other origins may read of an answer (https://fetch.spec.whatwg.org/#http-cors-protocol). Browsers send no cookies with such
 * requests, since no answer allows credentials. An entry point that reads cookies never sends these headers.
 */
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [
    'Retry-After',
    'WWW-Authenticate',
    'X-Causeway-Reason',
    'X-RateLimit-Bucket',
    'X-RateLimit-Global',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-RateLimit-Reset-After',
    'X-RateLimit-Scope',
  ].join(', '),
};

/** How long browsers may keep the answer to a preflight, in seconds. Chromium keeps none longer than two hours. */
const PREFLIGHT_SECONDS = 7_200;

/** The method that a preflight asks for; undefined for a request that is none. */
export function preflightMethod(method: string, headers: IncomingHttpHeaders): string | undefined {
  const { origin, 'access-control-request-method': asked } = headers;
  return method === 'OPTIONS' && origin !== undefined ? asked : undefined;
}

/** The headers of the answer to a preflight, whose status is 204. The wildcard for headers leaves out Authorization. */
export const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': '*, Authorization',
  'access-control-max-age': String(PREFLIGHT_SECONDS),
};

/** Opens everything that is mounted on `http` to pages of other origins, refusals included. Nothing of it may read a cookie. */
export function allowOtherOrigins(http: FastifyInstance): void {
  http.addHook('onRequest', async ({ method, headers }, reply) => {
    if (preflightMethod(method, headers) !== undefined) return reply.code(204).headers(PREFLIGHT_HEADERS).send();
    reply.headers(CORS_HEADERS);
  });
}
