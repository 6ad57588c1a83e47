import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AppContext } from '../context.js';
import { DomainError, type FieldFault, refusalIn } from '../domain/errors.js';
import { parseInput } from '../domain/parse-input.js';
import type { Entrypoint } from '../entrypoint.js';
import { STATUS_OF_KIND } from '../http/faults.js';
import { originOf } from '../http/origins.js';
import type { FindPerson, PageSessions, Visitor } from '../http/page-sessions.js';
import { charsetOf, decodeText, requireUncompressed } from '../http/text.js';
import { Lazy } from '../infra/caching/lazy.js';
import { parseBounded } from '../infra/network/bounded-json.js';
import { acceptingPersonalTokens } from './callers.js';
import { requestFor } from './forwarding.js';
import { listOwnSessions, revokeOtherSessions, revokeSession, revokeSessions } from './own-sessions.js';
import { createPageSessions } from './page-sessions.js';
import { changePassword, requestPasswordReset, resetPassword } from './passwords.js';
import { Sessions } from './sessions.js';
import { signIn, signOut } from './sign-in.js';
import { signUp } from './sign-up.js';
import { resendVerificationMail, verifyEmail } from './verification.js';

export interface Accounts extends Entrypoint {
  personFromHeaders: FindPerson;
  /** Also accepts personal tokens. */
  callerFromHeaders: FindPerson;
  pageSessions: PageSessions;
}

/** In bytes. */
const MAX_BODY = 16 * 1024;

const VerifyEmail = z.object({ token: z.string().max(2_048) });

/** All other paths under `/auth` respond 404. */
export function createAccounts(app: AppContext): Accounts {
  const library = new Lazy(async () => (await import('./auth.js')).createAuth(app));
  const auth = () => library.get();
  const sessions = new Sessions(app, auth);
  const findPerson: FindPerson = (headers) => sessions.personFromHeaders(headers);

  const routes = async (http: FastifyInstance) => {
    acceptJsonOnly(http);
    http.setErrorHandler<FastifyError>((error, _request, reply) => refuse(app, error, reply));
    http.setNotFoundHandler((_request, reply) => reply.code(404).send({ code: 'NOT_FOUND', message: 'Not found.' }));
    http.addHook('onRequest', async (request) => requireTrustedOrigin(app, request));
    http.post('/sign-up/email', async (request, reply) =>
      answer(reply, await signUp(app, await auth(), request.body, visitorOf(request))),
    );
    http.post('/sign-in/email', async (request, reply) =>
      answer(reply, await signIn(app, await auth(), request.body, visitorOf(request))),
    );
    http.post('/sign-out', async (request, reply) =>
      answer(reply, await signOut(app, await auth(), findPerson, visitorOf(request))),
    );
    http.post('/change-password', async (request, reply) => {
      await changePassword(app, await auth(), findPerson, request.body, visitorOf(request));
      return done(reply);
    });
    http.post('/request-password-reset', async (request, reply) => {
      await requestPasswordReset(app, request.body, visitorOf(request));
      return done(reply);
    });
    http.post('/reset-password', async (request, reply) => {
      await resetPassword(app, await auth(), request.body, visitorOf(request));
      return done(reply);
    });
    http.get('/list-sessions', async (request, reply) =>
      reply.header('cache-control', 'no-store').send(await listOwnSessions(app, findPerson, visitorOf(request))),
    );
    http.post('/revoke-session', async (request, reply) => {
      await revokeSession(app, findPerson, request.body, visitorOf(request));
      return done(reply);
    });
    http.post('/revoke-other-sessions', async (request, reply) => {
      await revokeOtherSessions(app, findPerson, visitorOf(request));
      return done(reply);
    });
    http.post('/revoke-sessions', async (request, reply) =>
      answer(reply, await revokeSessions(app, await auth(), findPerson, visitorOf(request))),
    );
    http.post('/send-verification-email', async (request, reply) => {
      await resendVerificationMail(app, findPerson, visitorOf(request));
      return done(reply);
    });
    http.get('/verify-email', async (request, reply) => {
      const { token } = parseInput(VerifyEmail, request.query);
      await verifyEmail(app, await auth(), token, request.ip);
      return reply.header('cache-control', 'no-store').redirect('/', 303);
    });
    http.get('/get-session', async (request, reply) => {
      const { handler } = await auth();
      return answer(reply, await handler(forwarded(app, request)));
    });
  };
  return {
    mount: (http) => void http.register(routes, { prefix: '/auth' }),
    personFromHeaders: findPerson,
    callerFromHeaders: acceptingPersonalTokens(app, findPerson),
    pageSessions: createPageSessions(app, auth, findPerson),
  };
}

function acceptJsonOnly(http: FastifyInstance): void {
  http.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer' as const, bodyLimit: MAX_BODY };
  http.addContentTypeParser('application/json', options, async ({ headers }: FastifyRequest, bytes: Buffer) => {
    requireUncompressed(headers);
    const text = decodeText(bytes, charsetOf(headers['content-type']));
    if (text === '') return {};
    try {
      return parseBounded(text);
    } catch (cause) {
      throw new DomainError('INVALID_JSON', 'The request body is not valid JSON.', { cause });
    }
  });
}

/** Requests without an origin do not come from a page. */
function requireTrustedOrigin(app: AppContext, request: FastifyRequest): void {
  if (request.method !== 'GET' && originOf(app.addresses.publicUrl, request.headers) === 'foreign') {
    throw new DomainError('FORBIDDEN', 'Requests from this origin are not accepted.');
  }
}

function visitorOf(request: FastifyRequest): Visitor {
  return { address: request.ip, headers: request.headers };
}

function forwarded(app: AppContext, request: FastifyRequest, body?: unknown): Request {
  return requestFor(app, request.url.split('?', 1)[0] ?? '', visitorOf(request), body);
}

function done(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store').send({ status: true });
}

async function answer(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) reply.header('set-cookie', cookies);
  return reply
    .code(response.status)
    .header('cache-control', 'no-store')
    .type('application/json')
    .send(Buffer.from(await response.arrayBuffer()));
}

function messageOf(fields: readonly FieldFault[]): string {
  return fields.map(({ path, message }) => `${path || 'body'}: ${message}`).join(' ');
}

function refuse(app: AppContext, error: FastifyError, reply: FastifyReply): FastifyReply {
  const refusal = refusalIn(error);
  if (refusal) {
    const { code, fields, kind } = refusal;
    if (code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
    if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds);
    const message = code === 'INVALID_INPUT' ? messageOf(fields) : refusal.message;
    return reply.code(STATUS_OF_KIND[kind]).send({ code, message, ...(fields.length > 0 && { fields }) });
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return reply.code(error.statusCode).send({ code: 'INVALID_REQUEST', message: error.message });
  }
  const requestId = reply.request.id;
  app.log.error({ err: error, requestId }, 'Request to /auth failed');
  return reply.code(500).send({ code: 'INTERNAL_ERROR', message: `Internal error (request ${requestId}).`, requestId });
}
