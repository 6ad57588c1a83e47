import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../infra/logger.js';
import type { Metrics } from '../infra/metrics.js';

/** What the log tells of a request besides what every request has; filled in by its face. */
export interface RequestTrace {
  /** The pattern of its path, where the listener's own routes do not tell it. Paths hold tokens, and are not logged. */
  route: string | null;
  /** By whom it counts; null for nobody in particular. */
  who: string | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null unless requests are logged. */
    trace: RequestTrace | null;
    /** Whether it has been measured, or its face does so itself. */
    isMeasured: boolean;
  }
}

/**
 * Names every request (`x-request-id`, as in the log and in answers to faults), measures those that their face does not measure, and
 * logs each at `debug` when it is over: when its answer was sent, or when its client went away. The name is ours: one that a client
 * sends is not looked at.
 */
export function watchRequests(http: FastifyInstance, { log, metrics }: { log: Logger; metrics: Metrics }): void {
  http.decorateRequest('trace', null);
  http.decorateRequest('isMeasured', false);
  http.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (log.isLevelEnabled('debug')) request.trace = { route: null, who: null };
    // Not the hook `onResponse`, which is for answers that were sent only.
    reply.raw.once('close', () => {
      if (!request.isMeasured) measure(metrics, request, reply);
      request.isMeasured = true;
      if (request.trace) logRequest(log, request, request.trace, reply);
    });
    done();
  });
}

/** What nginx calls the end of a request whose client did not wait for all of its answer. */
const CLIENT_CLOSED_REQUEST = 499;

/** @param reply one that is over */
function statusOf(reply: FastifyReply): number {
  return reply.raw.writableFinished ? reply.statusCode : CLIENT_CLOSED_REQUEST;
}

/** What tells whether somebody watches is nobody's request. */
const OPERATIONS = new Set(['/healthz', '/readyz', '/metrics']);

const NONE = 'none';

function measure(metrics: Metrics, request: FastifyRequest, reply: FastifyReply): void {
  const { url } = request.routeOptions;
  if (url !== undefined && OPERATIONS.has(url)) return;
  const face = faceOf(url);
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
      face: route === null ? faceOf(url) : 'rest',
      route: route ?? url ?? NONE,
      status: statusOf(reply),
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...(who !== null && { who }),
    },
    reply.raw.writableFinished ? 'a request was answered' : 'a request ended before its whole answer was sent',
  );
}

/** Faces by the beginning of their routes, the first that fits; REST, whose paths are many, names its own. */
const FACES: readonly [RegExp, string][] = [
  [/^\/graphql/, 'graphql'],
  [/^\/auth(\/|$)/, 'accounts'],
  [/(^|\/)oauth2(\/|$)|^\/\.well-known\//, 'oauth'],
  [/^\/cdn\//, 'cdn'],
  [/^\/openapi\.json/, 'openapi'],
  [/^\/($|portal|invite|favicon\.ico)/, 'portal'],
  [/^\/(healthz|readyz|metrics)/, 'operations'],
];

/** @param url a route's pattern; nothing where there is no route */
function faceOf(url: string | undefined): string {
  if (url === undefined) return NONE;
  return FACES.find(([pattern]) => pattern.test(url))?.[1] ?? 'rest';
}
