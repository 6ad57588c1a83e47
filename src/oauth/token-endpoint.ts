import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AppContext, callContext } from '../context.js';
import type { CallContext } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { TOKEN_REQUESTS_PER_ADDRESS, TOKEN_REQUESTS_PER_CLIENT } from '../domain/limits.js';
import {
  authenticateClient,
  type Client,
  createFindClient,
  type FindClient,
  grantClientCredentials,
  type IssuedTokens,
  redeemCode,
  refreshTokens,
  revokeToken,
} from '../domain/oauth/index.js';
import { takeLimit } from '../domain/rate-limits.js';
import type { HeldBody } from '../http/bodies.js';
import { REST_PREFIXES } from '../http/rest-paths.js';
import type { Limit } from '../infra/rate-limits.js';
import { renderTokens } from '../wire/oauth.js';
import { readClientCredentials } from './client-credentials.js';
import { type OAuthError, renderOAuthError } from './errors.js';
import { formValue, readForm } from './form.js';

export function mountTokenEndpoints(http: FastifyInstance, app: AppContext): void {
  const findClient = createFindClient(app.db.reader);
  const served = (request: FastifyRequest, reply: FastifyReply, work: Work) =>
    answer(app, findClient, request, reply, work);
  for (const prefix of REST_PREFIXES) {
    http.post(`${prefix}/oauth2/token`, (request, reply) =>
      served(request, reply, async (call, client, form) => renderTokens(await issue(call, client, form))),
    );
    http.post(`${prefix}/oauth2/token/revoke`, (request, reply) =>
      served(request, reply, async (call, client, form) => {
        await revokeToken(call, client, required(form, 'token'));
        return {};
      }),
    );
  }
}

type Work = (call: CallContext, client: Client, form: URLSearchParams) => Promise<object>;

async function answer(
  app: AppContext,
  findClient: FindClient,
  request: FastifyRequest,
  reply: FastifyReply,
  work: Work,
): Promise<FastifyReply> {
  reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' });
  const held = app.bodies.hold(request.ip);
  try {
    const { client, form } = await recognise(app, findClient, request, held);
    const call = callContext(app, { kind: 'anonymous' }, { requestId: request.id });
    return send(reply, 200, await work(call, client, form));
  } catch (error) {
    const refusal = renderOAuthError(error) ?? unexpected(app, request, error);
    if (refusal.error === 'invalid_client' && request.headers.authorization) {
      reply.header('www-authenticate', 'Basic realm="oauth2"');
    }
    if (refusal.retryAfter !== undefined) reply.header('retry-after', refusal.retryAfter);
    return send(reply, refusal.status, { error: refusal.error, error_description: refusal.description });
  } finally {
    held.release();
  }
}

/**
 * Public clients are limited per address, because other callers can use their ID. Failed authentication counts for the
 * address, but never blocks authenticated clients.
 * @throws RATE_LIMITED, INVALID_CLIENT, and the errors of `readForm`
 */
async function recognise(app: AppContext, findClient: FindClient, request: FastifyRequest, held: HeldBody) {
  const { client, form } = await counted(app, request, async () => {
    const form = await readForm(request.raw, held);
    const credentials = readClientCredentials(request.headers.authorization, form);
    return { client: await authenticateClient(findClient, app.secretUses, credentials), form };
  });
  const id = String(client.application.id);
  await take(app, TOKEN_REQUESTS_PER_CLIENT, client.byType === 'public' ? `${id}:${request.ip}` : id);
  return { client, form };
}

/** Counts refused requests by address. */
async function counted<T>(app: AppContext, request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError) await take(app, TOKEN_REQUESTS_PER_ADDRESS, request.ip);
    throw error;
  }
}

async function take(app: AppContext, limit: Limit, key: string): Promise<void> {
  await takeLimit(app, limit, key, () => 'Too many requests; try again later.');
}

function issue(call: CallContext, client: Client, form: URLSearchParams): Promise<IssuedTokens> {
  const grantType = required(form, 'grant_type');
  switch (grantType) {
    case 'authorization_code':
      return redeemCode(call, client, {
        code: required(form, 'code'),
        redirectUri: formValue(form, 'redirect_uri'),
        codeVerifier: formValue(form, 'code_verifier'),
      });
    case 'refresh_token':
      return refreshTokens(call, client, {
        refreshToken: required(form, 'refresh_token'),
        scope: formValue(form, 'scope'),
      });
    case 'client_credentials':
      return grantClientCredentials(call, client, formValue(form, 'scope'));
    default:
      throw new DomainError('UNSUPPORTED_GRANT_TYPE');
  }
}

function required(form: URLSearchParams, name: string): string {
  const value = formValue(form, name);
  if (value === undefined) throw new DomainError('INVALID_REQUEST', `The parameter ${name} is missing.`);
  return value;
}

function unexpected(app: AppContext, request: FastifyRequest, error: unknown): OAuthError {
  app.log.error({ err: error, requestId: request.id }, 'OAuth2 request failed');
  return { status: 500, error: 'server_error', description: `Internal error (request ${request.id}).` };
}

function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(body)));
}
