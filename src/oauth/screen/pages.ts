import type { DomainError, ErrorKind } from '../../domain/errors.js';
import { limits } from '../../domain/limits.js';
import type { AuthorizationQuery, MadeInstallation } from '../../domain/oauth/index.js';
import { STATUS_OF_KIND } from '../../http/faults.js';
import { type Html, html, name } from '../../http/pages/html.js';
import { endingPage, type Page, START } from '../../http/pages/page.js';
import type { Application, User } from '../../infra/database/index.js';
import { KINDS_WITH_STATUS } from '../errors.js';
import { isAsked, ownAddress, PATHS } from './addresses.js';
import { type Attempt, type Field, fields } from './fields.js';
import { destination, type NamedPermission } from './words.js';

export interface SignedIn {
  person: User;
  csrfToken: string;
}

export function whoIsSignedIn({ person, csrfToken }: SignedIn, query: AuthorizationQuery): Html {
  return html`<form class="person" method="post" action="${ownAddress(PATHS.signOut, query)}">
<p>Signed in as ${name(person.username)}</p>
<input type="hidden" name="csrf" value="${csrfToken}">
<button class="link" type="submit">Not you? Sign out</button>
</form>`;
}

export interface SignInForm extends Attempt {
  query: AuthorizationQuery;
  leadsTo: string | null;
}

export const EMAIL: Field = {
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  autocomplete: 'username',
  limits: html` maxlength="254"`,
};

const { min, max } = limits.password;

export const NEW_PASSWORD: Field = {
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'new-password',
  rule: `${min} to ${max} characters.`,
  limits: html` minlength="${min}" maxlength="${max}"`,
};

const PASSWORD: Field = { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' };

export function formPage({ refusal }: Attempt, page: Pick<Page, 'title' | 'leadsTo' | 'body'>): Page {
  return { status: refusal ? statusOf(refusal) : 200, retryAfter: refusal?.retryAfterSeconds, ...page };
}

export function signInPage({ query, leadsTo, ...attempt }: SignInForm): Page {
  return formPage(attempt, {
    title: 'Sign in',
    leadsTo,
    body: html`<h1>Sign in to continue</h1>
${isAsked(query) && html`<p class="soft">An application is asking for access. Sign in to review the request.</p>`}
<form method="post" action="${ownAddress(PATHS.signIn, query)}">
${fields([EMAIL, PASSWORD], attempt)}
<div class="actions"><button type="submit">Sign in</button></div>
</form>
<p class="soft small"><a href="${ownAddress(PATHS.password, query)}">Forgot your password?</a></p>
<p class="soft small">No account yet? <a href="${ownAddress(PATHS.signUp, query)}">Sign up</a>.</p>`,
  });
}

/** Also for applications that the visitor may not see. */
export function notFoundPage(query: AuthorizationQuery | null, signedIn: SignedIn | null): Page {
  const mayBeInvited = query !== null && !signedIn;
  return endingPage({
    status: 404,
    title: 'Not found',
    mark: 'fault',
    above: signedIn && query && whoIsSignedIn(signedIn, query),
    text: html`<p>There is no application at this link. It may be private, or it may have been deleted.</p>
${mayBeInvited && html`<p>If you were invited to test it, sign in first.</p>`}`,
    next: mayBeInvited ? [{ address: ownAddress(PATHS.signIn, query), text: 'Sign in' }] : [START],
  });
}

/** For installations without a redirect URI. */
export function installedPage({ application, guild }: MadeInstallation, withheld: NamedPermission[]): Page {
  return endingPage({
    status: 200,
    title: 'Done',
    mark: 'done',
    text: html`<p>${name(application.name)} was added to ${guild ? name(guild.name) : 'your account'}.</p>
${
  withheld.length > 0 &&
  html`<p>The bot did not get these permissions, because you do not have them in that server:</p>
<ul>${withheld.map(({ text }) => html`<li>${text}</li>`)}</ul>`
}
<p class="soft">You can close this page.</p>`,
    next: guild ? [{ address: `/portal/servers/${guild.id}`, text: `Open ${guild.name}` }, START] : [START],
  });
}

export function cancelledPage(query: AuthorizationQuery): Page {
  return endingPage({
    status: 200,
    title: 'Cancelled',
    mark: 'nothing',
    text: html`<p>The application was not authorized. You can close this page.</p>`,
    next: [{ address: ownAddress(PATHS.authorize, query), text: 'Review the request again' }, START],
  });
}

/** For errors that the client may receive. */
export function refusedClientPage(refused: {
  application: Application;
  refusal: DomainError;
  redirectUri: string;
  /** The redirect URI with the error. */
  address: string;
}): Page {
  const { application, refusal, redirectUri, address } = refused;
  return endingPage({
    status: statusOf(refusal),
    title: 'Invalid request',
    mark: 'fault',
    text: html`<p>${name(application.name)} sent an invalid request: ${refusal.message}</p>
<p>The application was not authorized. “Go back” leads to ${destination(redirectUri)}. Use it only if you came from there.</p>`,
    next: [{ address, text: 'Go back' }],
  });
}

/** For errors that cannot be sent to the client. */
export function refusalPage(refusal: DomainError, again: AuthorizationQuery | null): Page {
  const title = TITLES[refusal.kind] ?? 'This link does not work';
  return endingPage({
    status: statusOf(refusal),
    title,
    retryAfter: refusal.retryAfterSeconds,
    mark: 'fault',
    text: html`<p>${refusal.message}</p>
<p class="soft small">If an application sent you here, report this error to its developer.</p>`,
    next: again ? [{ address: ownAddress(PATHS.authorize, again), text: 'Open the request again' }, START] : [START],
  });
}

/** For errors that the link did not cause. */
const TITLES: Partial<Record<ErrorKind, string>> = {
  forbidden: 'Request refused',
  rateLimited: 'Too many attempts',
  overloaded: 'Temporarily unavailable',
};

export function faultPage(requestId: string): Page {
  return endingPage({
    status: 500,
    title: 'Something went wrong',
    mark: 'fault',
    text: html`<p>The error is on our side and was logged. Try again in a moment.</p>
<p class="soft small">Request ID: ${requestId}</p>`,
    next: [START],
  });
}

/** 400 for everything the visitor chose or sent. */
export function statusOf({ code, kind }: DomainError): number {
  return code === 'FORBIDDEN' || KINDS_WITH_STATUS.has(kind) ? STATUS_OF_KIND[kind] : 400;
}
