import type { FastifyRequest } from 'fastify';
import { type AppContext, callContext } from '../../context.js';
import type { CallContext } from '../../domain/call.js';
import { DomainError, refusalIn } from '../../domain/errors.js';
import { findInstallable } from '../../domain/installations/index.js';
import {
  type AuthorizationQuery,
  type AuthorizationRequest,
  isKnownClient,
  parseAuthorizationQuery,
  RefusedAuthorization,
  readAuthorizationRequest,
} from '../../domain/oauth/index.js';
import { countedAs } from '../../domain/rate-limits.js';
import type { HeldBody } from '../../http/bodies.js';
import { originOf } from '../../http/origins.js';
import type { PageSessions, Visitor } from '../../http/page-sessions.js';
import { parseSnowflake } from '../../infra/ids/ids.js';
import { renderOAuthError } from '../errors.js';
import { formValue } from '../form.js';
import { withParameters } from './addresses.js';
import { type Answer, redirect } from './answer.js';
import { faultPage, notFoundPage, refusalPage, refusedClientPage, type SignedIn, signInPage } from './pages.js';

export interface Visit {
  app: AppContext;
  sessions: PageSessions;
  request: FastifyRequest;
  visitor: Visitor;
  call: CallContext;
  query: AuthorizationQuery;
  held: HeldBody;
  signedIn: SignedIn | null;
}

/** Turns every error into a page. */
export async function answer(
  app: AppContext,
  sessions: PageSessions,
  request: FastifyRequest,
  handle: (visit: Visit) => Promise<Answer>,
): Promise<Answer> {
  let visit: Visit | null = null;
  try {
    visit = await openVisit(app, sessions, request);
    return await handle(visit);
  } catch (error) {
    const refused = visit && (await refuse(visit, error));
    if (refused) return refused;
    const refusal = refusalIn(error);
    if (refusal) return refusalPage(refusal, null);
    app.log.error({ err: error, requestId: request.id }, 'Request to the authorization screen failed');
    return faultPage(request.id);
  } finally {
    visit?.held.release();
  }
}

async function openVisit(app: AppContext, sessions: PageSessions, request: FastifyRequest): Promise<Visit> {
  const query = parseAuthorizationQuery(request.query);
  const { headers, ip: address } = request;
  const actor = await sessions.findPerson(headers);
  const csrfToken = sessions.csrfToken(headers);
  const call = callContext(app, actor, { requestId: request.id });
  return {
    app,
    sessions,
    request,
    query,
    visitor: { address, headers },
    call,
    held: app.bodies.hold(countedAs(actor, { address })),
    signedIn: actor.kind === 'person' && csrfToken !== null ? { person: actor.user, csrfToken } : null,
  };
}

async function refuse(visit: Visit, error: unknown): Promise<Answer | null> {
  const { query, signedIn } = visit;
  if (error instanceof RefusedAuthorization) {
    return signedIn ? redirectToClient(visit, error) : signInPage({ query, leadsTo: error.redirectUri });
  }
  if (!(error instanceof DomainError)) return null;
  if (error.code === 'UNKNOWN_APPLICATION') return notFoundPage(query, signedIn);
  return error.code === 'FORBIDDEN' ? refusalPage(error, query) : null;
}

/**
 * Sends an error to the client (RFC 6749, section 4.1.2.1). Unless the user has authorized the client before, the
 * redirect needs a click. Otherwise clients could use it as an open redirect (RFC 9700, section 4.11.2).
 */
async function redirectToClient(visit: Visit, refused: RefusedAuthorization): Promise<Answer> {
  const { application, refusal, redirectUri } = refused;
  const address = refusalAddress(visit, refused);
  if (await isKnownClient(visit.call, application.id)) return redirect(address);
  return refusedClientPage({ application, refusal, redirectUri, address });
}

export function refusalAddress(
  { app }: Visit,
  { refusal, redirectUri, state }: Pick<RefusedAuthorization, 'refusal' | 'redirectUri' | 'state'>,
): string {
  const rendered = renderOAuthError(refusal);
  const { publicUrl: iss } = app.addresses;
  const error = rendered?.error ?? 'server_error';
  const description = rendered?.description ?? null;
  return withParameters(redirectUri, { error, error_description: description, state, iss });
}

/**
 * @throws INVALID_REQUEST, UNKNOWN_APPLICATION (also for applications hidden from the visitor), {@link
 * RefusedAuthorization}
 */
export async function readRequest({ call, query }: Visit): Promise<AuthorizationRequest> {
  if (query.client_id === undefined) throw new DomainError('INVALID_REQUEST', 'The link must contain a client_id.');
  const application = await findInstallable(call, parseSnowflake(query.client_id) ?? 0n);
  return readAuthorizationRequest(application, query);
}

/** @throws FORBIDDEN for a form from another origin */
export function requireOwnOrigin({ app, request }: Visit): void {
  if (originOf(app.addresses.publicUrl, request.headers) !== 'foreign') return;
  throw new DomainError('FORBIDDEN', 'This form was not sent from this site, so it was ignored.');
}

/** @throws FORBIDDEN for a form of another session, INVALID_REQUEST */
export function requireCsrfToken({ sessions, request }: Visit, form: URLSearchParams): void {
  if (sessions.csrfTokenFits(request.headers, formValue(form, 'csrf') ?? '')) return;
  throw new DomainError('FORBIDDEN', 'This form belongs to another session, so it was ignored.');
}
