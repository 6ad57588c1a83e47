import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../infra/observability/logger.js';
import type { Metrics } from '../infra/observability/metrics.js';

export interface RequestTrace {
  /** Path pattern, if the listener's routes do not give it. Paths contain tokens and are never logged. */
  route: string | null;
  /** Caller for rate limits; null if unknown. */
  who: string | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null unless the log level is `debug`. */
    trace: RequestTrace | null;
    /** Whether it is measured, or its entry point measures it. */
    isMeasured: boolean;
  }
}

/**
 * Gives every request an ID (`x-request-id`, also in logs and error bodies) and ignores one from the client. Measures
 * each request when its response is sent or the client disconnects, and logs it at `debug`.
 */
export function watchRequests(http: FastifyInstance, { log, metrics }: { log: Logger; metrics: Metrics }): void {
  http.decorateRequest('trace', null);
  http.decorateRequest('isMeasured', false);
  http.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (log.isLevelEnabled('debug')) request.trace = { route: null, who: null };
    // `onResponse` runs only for responses that were sent.
    reply.raw.once('close', () => {
      if (!request.isMeasured) measure(metrics, request, reply);
      request.isMeasured = true;
      if (request.trace) logRequest(log, request, request.trace, reply);
    });
    done();
  });
}

/** nginx's status for a client that disconnected early. */
const CLIENT_CLOSED_REQUEST = 499;

function statusOf(reply: FastifyReply): number {
  return reply.raw.writableFinished ? reply.statusCode : CLIENT_CLOSED_REQUEST;
}

const OPERATIONS = new Set(['/healthz', '/readyz', '/metrics']);

const NONE = 'none';

function measure(metrics: Metrics, request: FastifyRequest, reply: FastifyReply): void {
  const { url } = request.routeOptions;
  if (url !== undefined && OPERATIONS.has(url)) return;
  const face = entrypointOf(url);
  const route = url === undefined ? NONE : `${request.method} ${url}`;
  const status = statusOf(reply);
  metrics.requests.observe({ face, route, status }, reply.elapsedTime / 1_000);
  if (face === 'cdn' && status < 300 && request.method === 'GET') {
    metrics.fileBytes.inc({ direction: 'sent' }, Number(reply.getHeader('content-length') ?? 0));
  }
}

function logRequest(log: Logger, request: FastifyRequest, { route, who }: RequestTrace, reply: FastifyReply): void {
  const { url } = request.routeOptions;
  log.debug(
    {
      requestId: request.id,
      method: request.method,
      face: route === null ? entrypointOf(url) : 'rest',
      route: route ?? url ?? NONE,
      status: statusOf(reply),
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...(who !== null && { who }),
    },
    reply.raw.writableFinished ? 'Request completed' : 'Request ended before its response was complete',
  );
}

/** The first match counts; all other routes are REST. */
const ENTRYPOINTS: readonly [RegExp, string][] = [
  [/^\/graphql/, 'graphql'],
  [/^\/auth(\/|$)/, 'accounts'],
  [/(^|\/)oauth2(\/|$)|^\/\.well-known\//, 'oauth'],
  [/^\/cdn\//, 'cdn'],
  [/^\/(openapi\.json|reference)/, 'openapi'],
  [/^\/($|portal|invite|favicon\.ico)/, 'portal'],
  [/^\/(healthz|readyz|metrics)/, 'operations'],
];

/** @param url the route pattern */
function entrypointOf(url: string | undefined): string {
  if (url === undefined) return NONE;
  return ENTRYPOINTS.find(([pattern]) => pattern.test(url))?.[1] ?? 'rest';
}
