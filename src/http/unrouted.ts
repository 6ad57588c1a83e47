import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusalIn } from '../domain/errors.js';
import type { Logger } from '../infra/observability/logger.js';
import { httpFault, STATUS_OF_KIND } from './faults.js';
import { html } from './pages/html.js';
import { endingPage, START, sendPage } from './pages/page.js';

const MALFORMED_CONTENT_TYPE = {
  message: 'Invalid Form Body',
  code: 50035,
  errors: {
    _errors: [
      {
        code: 'CONTENT_TYPE_INVALID',
        message:
          'Expected "Content-Type" header to be one of {"application/json", "application/x-www-form-urlencoded", "multipart/form-data"}.',
      },
    ],
  },
};

/** Discord's code for an overloaded service. */
const OVERLOADED = 130_000;

/** Handles unknown routes and unhandled errors of every entry point that is mounted later. */
export function handleUnrouted(http: FastifyInstance, log: Logger): void {
  http.setNotFoundHandler(sendNotFound);
  http.setErrorHandler<FastifyError>((error, request, reply) => {
    if (request.is404) return sendNotFound(request, reply);
    if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return sendJson(reply.code(400), MALFORMED_CONTENT_TYPE);
    const refusal = refusalIn(error);
    if (refusal) {
      const { kind, message, retryAfterSeconds } = refusal;
      if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
      return sendJson(reply.code(STATUS_OF_KIND[kind]), { message, code: kind === 'overloaded' ? OVERLOADED : 0 });
    }
    log.error({ err: error, requestId: request.id, method: request.method }, 'Request failed');
    return sendFault(reply, 500);
  });
}

function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return isBrowsing(request) ? sendPage(reply, NOT_HERE) : sendFault(reply, 404);
}

/** Client libraries do not accept `text/html`. */
function isBrowsing({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '');
}

const NOT_HERE = endingPage({
  status: 404,
  title: 'Not found',
  mark: 'fault',
  text: html`<p>There is no page at this address.</p>`,
  next: [START],
});

function sendFault(reply: FastifyReply, status: number): FastifyReply {
  return sendJson(reply.code(status), httpFault(status));
}

/** Sends a buffer, because Fastify adds a charset for strings. */
export function sendJson(reply: FastifyReply, body: object): FastifyReply {
  return reply.header('content-type', 'application/json').send(Buffer.from(JSON.stringify(body)));
}
