import { DomainError, invalidInput } from '../../domain/errors.js';
import { AUTHORIZATIONS_PER_PERSON } from '../../domain/limits.js';
import {
  type AuthorizationDecision,
  type AuthorizationOutcome,
  type AuthorizationRequest,
  accessDenied,
  authorize,
  isGrantedAlready,
  loadConsentDetails,
} from '../../domain/oauth/index.js';
import { takeLimit } from '../../domain/rate-limits.js';
import type { Page } from '../../http/pages/page.js';
import { readForm } from '../form.js';
import { ownAddress, PATHS, withParameters } from './addresses.js';
import { type Answer, redirect } from './answer.js';
import { type Consent, consentPage } from './consent-page.js';
import { type Choice, explain, firstChoice, readChoice } from './decision.js';
import { cancelledPage, type SignedIn, signInPage, statusOf } from './pages.js';
import { readRequest, refusalAddress, requireCsrfToken, requireOwnOrigin, type Visit } from './visit.js';

export async function show(visit: Visit): Promise<Answer> {
  const { call, query, signedIn } = visit;
  const request = await readRequest(visit);
  if (!signedIn) return signInPage({ query, leadsTo: request.redirectUri });
  if (request.prompt === 'none' && (await isGrantedAlready(call, request))) {
    return carryOut(visit, request, firstChoice(request, []));
  }
  const facts = await loadConsentDetails(call, request);
  const choice = firstChoice(request, facts.guilds);
  return screen(visit, signedIn, { request, ...facts, choice, faults: {}, status: 200 });
}

/** Checks the whole request again. */
export async function decide(visit: Visit): Promise<Answer> {
  requireOwnOrigin(visit);
  const form = await readForm(visit.request.raw, visit.held);
  // The session ended while the screen was open.
  if (!visit.signedIn) return redirect(ownAddress(PATHS.authorize, visit.query));
  requireCsrfToken(visit, form);
  const request = await readRequest(visit);
  const choice = readChoice(form);
  if (choice === 'cancel') return cancel(visit, request);
  try {
    return await carryOut(visit, request, choice);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'UNKNOWN_APPLICATION') throw error;
    const facts = await loadConsentDetails(visit.call, request);
    const faults = explain(error);
    const again = screen(visit, visit.signedIn, { request, ...facts, choice, faults, status: statusOf(error) });
    return { ...again, retryAfter: error.retryAfterSeconds };
  }
}

function screen({ query }: Visit, signedIn: SignedIn, parts: Omit<Consent, 'query' | 'signedIn'>): Page {
  return consentPage({ ...parts, query, signedIn });
}

function cancel(visit: Visit, { redirectUri, state }: AuthorizationRequest): Answer {
  if (redirectUri === null) return cancelledPage(visit.query);
  return redirect(refusalAddress(visit, { refusal: accessDenied(), redirectUri, state }));
}

async function carryOut(visit: Visit, request: AuthorizationRequest, choice: Choice): Promise<Answer> {
  await takeAuthorization(visit);
  const decision = decisionOf(request, choice);
  const outcome = await authorize(visit.call, request, decision);
  return request.redirectUri === null
    ? redirect(installedAddress(request, decision, outcome))
    : redirect(answerAddress(visit, request, request.redirectUri, outcome));
}

async function takeAuthorization({ app, signedIn }: Visit): Promise<void> {
  const say = (seconds: number) => `Too many authorizations; try again in ${seconds} s.`;
  await takeLimit(app, AUTHORIZATIONS_PER_PERSON, String(signedIn?.person.id), say);
}

function decisionOf({ targets }: AuthorizationRequest, { target, ...choice }: Choice): AuthorizationDecision {
  if (target === null && targets.length > 1) {
    throw invalidInput({ path: 'target', code: 'BASE_TYPE_REQUIRED', message: 'Choose where to add the application.' });
  }
  return { ...choice, target: target ?? targets[0] ?? 'SERVER' };
}

/** The authorization response (RFC 6749, section 4.1.2; RFC 9207), with the bot's server and permissions. */
function answerAddress(
  { app }: Visit,
  { state }: AuthorizationRequest,
  redirectUri: string,
  { code, scopes, guildId, permissions }: AuthorizationOutcome,
): string {
  const withBot = scopes.includes('bot') && guildId !== null;
  return withParameters(redirectUri, {
    code,
    state,
    iss: app.addresses.publicUrl,
    guild_id: withBot ? String(guildId) : null,
    permissions: withBot ? String(permissions) : null,
  });
}

/** Includes the requested permissions if the bot did not get all of them. */
function installedAddress(
  request: AuthorizationRequest,
  decision: AuthorizationDecision,
  { scopes, guildId, permissions }: AuthorizationOutcome,
): string {
  const wanted = scopes.includes('bot') ? decision.permissions & request.permissions : 0n;
  return ownAddress(PATHS.authorized, {
    client_id: String(request.application.id),
    ...(guildId === null ? {} : { guild_id: String(guildId) }),
    ...(wanted === permissions ? {} : { permissions: String(wanted) }),
  });
}
