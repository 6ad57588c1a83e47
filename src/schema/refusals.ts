import type { FastifyError, FastifyReply } from 'fastify';
import { GraphQLError } from 'graphql';
import type { AppContext } from '../context.js';
import { type ErrorCode, refusalIn } from '../domain/errors.js';
import { renderDomainError, renderError } from './errors.js';

/** Of refusals that are not answers to a document; 400 for all others. */
const STATUS_OF: Partial<Record<ErrorCode, number>> = {
  FORBIDDEN: 403,
  UNAUTHENTICATED: 401,
  RATE_LIMITED: 429,
  REQUEST_TOO_LARGE: 413,
  OVERLOADED: 503,
};

/** Answers what was refused before there was a document to answer, or failed. */
export function refuse(app: AppContext, error: FastifyError, reply: FastifyReply): FastifyReply {
  const refusal = refusalIn(error);
  if (refusal) {
    if (refusal.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
    if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds);
    return reply.code(STATUS_OF[refusal.code] ?? 400).send({ errors: [renderDomainError(refusal)] });
  }
  const status = error.statusCode ?? 500;
  const extensions = { code: 'BAD_USER_INPUT' };
  if (status < 500) return reply.code(status).send({ errors: [new GraphQLError(error.message, { extensions })] });
  return reply.code(500).send({ errors: [renderError(error, app.log)] });
}
