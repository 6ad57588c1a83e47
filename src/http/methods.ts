import type { FastifyInstance, FastifyReply } from 'fastify';
import { httpFault } from './faults.js';
import { sendJson } from './unrouted.js';

const USUAL_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Replaces all methods without routes, since registering each method slows the start. */
const UNUSUAL = 'TRACE';

/** Maps methods without routes to one, so that they get 405. CONNECT never reaches a route. */
export function knowUnusualMethods(http: FastifyInstance): void {
  http.addHttpMethod(UNUSUAL, { overrideExisting: true });
  http.server.prependListener('request', (request) => {
    if (!USUAL_METHODS.has(request.method ?? '')) request.method = UNUSUAL;
  });
}

/** Answers all other methods at the paths of `mount` with 405 (RFC 9110, section 15.5.6). */
export function refuseOtherMethods(http: FastifyInstance, mount: () => void): void {
  const allowed = new Map<string, string[]>();
  http.addHook('onRoute', ({ url, method }) => {
    allowed.set(url, [...(allowed.get(url) ?? []), ...[method].flat()]);
  });
  mount();
  for (const [url, methods] of [...allowed]) {
    const others = http.supportedMethods.filter((method) => !methods.includes(method));
    http.route({
      method: others,
      url,
      // Refuses before the body is read.
      onRequest: async (_request, reply) => refuse(reply.header('allow', methods.join(', '))),
      handler: async () => {},
    });
  }
}

function refuse(reply: FastifyReply): FastifyReply {
  return sendJson(reply.code(405), httpFault(405));
}
