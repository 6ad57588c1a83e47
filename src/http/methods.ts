import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { httpFault } from './faults.js';
import { sendJson } from './no-face.js';

const USUAL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Tells Fastify of the methods that no route takes, so that they get a 405 too. CONNECT never reaches a route. */
export function knowUnusualMethods(http: FastifyInstance): void {
  const unusual = METHODS.filter((method) => !USUAL_METHODS.includes(method) && method !== 'CONNECT');
  for (const method of unusual) http.addHttpMethod(method, { overrideExisting: true });
}

/** Runs `mount`, then answers every other method at the addresses it mounted with 405 (RFC 9110, section 15.5.6). */
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
      handler: (_request, reply) => refuse(reply.header('allow', methods.join(', '))),
    });
  }
}

function refuse(reply: FastifyReply): FastifyReply {
  return sendJson(reply.code(405), httpFault(405));
}
