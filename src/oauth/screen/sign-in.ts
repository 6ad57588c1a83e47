import { DomainError } from '../../domain/errors.js';
import { RefusedAuthorization } from '../../domain/oauth/index.js';
import { formValue, readForm } from '../form.js';
import { isAsked, ownAddress, PATHS } from './addresses.js';
import { type Answer, redirect } from './answer.js';
import { signInPage } from './pages.js';
import { readRequest, requireCsrfToken, requireOwnOrigin, type Visit } from './visit.js';

export async function showSignIn(visit: Visit): Promise<Answer> {
  if (visit.signedIn) return back(visit);
  return signInPage({ query: visit.query, leadsTo: await findRedirectUri(visit) });
}

export async function signIn(visit: Visit): Promise<Answer> {
  requireOwnOrigin(visit);
  const form = await readForm(visit.request.raw, visit.held);
  const email = formValue(form, 'email');
  const password = formValue(form, 'password');
  try {
    if (email === undefined || password === undefined) {
      throw new DomainError('INVALID_INPUT', 'Enter your email address and password.');
    }
    return back(visit, await visit.sessions.signIn({ email, password }, visit.visitor));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return signInPage({ query: visit.query, leadsTo: await findRedirectUri(visit), typed: { email }, refusal: error });
  }
}

export async function signOut(visit: Visit): Promise<Answer> {
  requireOwnOrigin(visit);
  const form = await readForm(visit.request.raw, visit.held);
  if (!visit.signedIn) return back(visit);
  requireCsrfToken(visit, form);
  return back(visit, await visit.sessions.signOut(visit.visitor));
}

/** Redirects to the authorization request in the query, if any. */
export function back({ query }: Visit, cookies: string[] = []): Answer {
  return redirect(isAsked(query) ? ownAddress(PATHS.authorize, query) : '/', cookies);
}

/**
 * The redirect URI that signing in may lead to directly. For applications visible only after signing in, the URI in the
 * link.
 */
export async function findRedirectUri(visit: Visit): Promise<string | null> {
  try {
    return (await readRequest(visit)).redirectUri;
  } catch (error) {
    if (error instanceof RefusedAuthorization) return error.redirectUri;
    if (!(error instanceof DomainError)) throw error;
    const { redirect_uri: stated = '' } = visit.query;
    return /^https?:/.test(stated) && URL.canParse(stated) ? stated : null;
  }
}
