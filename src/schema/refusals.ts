import type { FastifyError, FastifyReply } from 'fastify';
import { GraphQLError } from 'graphql';
import type { AppContext } from '../context.js';
import { refusalIn } from '../domain/errors.js';
import { renderDomainError, renderError, statusOf } from './errors.js';

/** Responds to errors from before execution. */
export function refuse(app: AppContext, error: FastifyError, reply: FastifyReply): FastifyReply {
  const refusal = refusalIn(error);
  if (refusal) {
    if (refusal.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
    if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds);
    return reply.code(statusOf(refusal)).send({ errors: [renderDomainError(refusal)] });
  }
  const status = error.statusCode ?? 500;
  const extensions = { code: 'BAD_USER_INPUT' };
  if (status < 500) return reply.code(status).send({ errors: [new GraphQLError(error.message, { extensions })] });
  return reply.code(500).send({ errors: [renderError(error, app.log)] });
}
