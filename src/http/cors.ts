import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Without credentials, so browsers send no cookies (https://fetch.spec.whatwg.org/#http-cors-protocol). Entry points
 * that read cookies must never send these headers.
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

/** Chromium's maximum. */
const PREFLIGHT_SECONDS = 7_200;

/** Undefined if the request is no preflight. */
export function preflightMethod(method: string, headers: IncomingHttpHeaders): string | undefined {
  const { origin, 'access-control-request-method': asked } = headers;
  return method === 'OPTIONS' && origin !== undefined ? asked : undefined;
}

/** The wildcard for headers does not cover Authorization. */
export const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': '*, Authorization',
  'access-control-max-age': String(PREFLIGHT_SECONDS),
};

/** Lets other origins read all responses of `http`. Its routes must not read cookies. */
export function allowOtherOrigins(http: FastifyInstance): void {
  http.addHook('onRequest', async ({ method, headers }, reply) => {
    if (preflightMethod(method, headers) !== undefined) return reply.code(204).headers(PREFLIGHT_HEADERS).send();
    reply.headers(CORS_HEADERS);
  });
}
