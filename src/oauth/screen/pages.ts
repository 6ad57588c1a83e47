import type { DomainError } from '../../domain/errors.js';
import type { AuthorizationQuery, MadeInstallation } from '../../domain/oauth/index.js';
import { STATUS_OF_KIND } from '../../http/faults.js';
import type { Application, User } from '../../infra/database/index.js';
import { KINDS_WITH_STATUS } from '../errors.js';
import { isAsked, ownAddress, PATHS } from './addresses.js';
import type { Page } from './answer.js';
import { type Fragment, type Html, html, name } from './html.js';
import { destination, type NamedPermission } from './words.js';

/** Somebody who is signed in, and the token that forms of theirs carry. */
export interface SignedIn {
  person: User;
  csrfToken: string;
}

/** Says who is signed in, with the way to be somebody else. */
export function whoIsSignedIn({ person, csrfToken }: SignedIn, query: AuthorizationQuery): Html {
  return html`<form class="person" method="post" action="${ownAddress(PATHS.signOut, query)}">
<p>Signed in as ${name(person.username)}</p>
<input type="hidden" name="csrf" value="${csrfToken}">
<button class="link" type="submit">Not you? Sign out</button>
</form>`;
}

export interface SignInForm {
  query: AuthorizationQuery;
  leadsTo: string | null;
  /** What was typed before, and why it did not do. */
  email?: string | undefined;
  refusal?: DomainError | undefined;
}

/** Asks who the visitor is, and leads back to the request for authorization. */
export function signInPage({ query, leadsTo, email = '', refusal }: SignInForm): Page {
  const isEmailFirst = email === '';
  return {
    kind: 'page',
    status: refusal ? statusOf(refusal) : 200,
    title: 'Sign in',
    leadsTo,
    retryAfter: refusal?.retryAfterSeconds,
    body: html`<h1>Sign in to continue</h1>
${isAsked(query) && html`<p class="soft">An application asks for your consent. Sign in to see what it wants, and decide.</p>`}
${refusal && notice(refusal.message)}
<form method="post" action="${ownAddress(PATHS.signIn, query)}">
<div class="field">
<label class="label" for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" maxlength="254" required value="${email}"${isEmailFirst && AUTOFOCUS}>
</div>
<div class="field">
<label class="label" for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${!isEmailFirst && AUTOFOCUS}>
</div>
<div class="actions"><button type="submit">Sign in</button></div>
</form>
<p class="soft small">No account yet? <a href="${ownAddress(PATHS.signUp, query)}">Sign up</a>.</p>`,
  };
}

export const AUTOFOCUS = html` autofocus`;

/** One page for what does not exist and for what the visitor may not know of. */
export function notFoundPage(query: AuthorizationQuery | null, signedIn: SignedIn | null): Page {
  const signIn =
    query &&
    html`<p>If you were invited to test it, sign in first.</p>
<div class="actions"><a class="button" href="${ownAddress(PATHS.signIn, query)}">Sign in</a></div>`;
  return {
    kind: 'page',
    status: 404,
    title: 'Not found',
    body: html`<h1>Not found</h1>
${signedIn && query && whoIsSignedIn(signedIn, query)}
<p>There is no application at this link. It may have been deleted, or be private.</p>
${!signedIn && signIn}`,
  };
}

/** Ends an installation that has no redirect URI to answer to. */
export function installedPage({ application, guild }: MadeInstallation, withheld: NamedPermission[]): Page {
  return {
    kind: 'page',
    status: 200,
    title: 'Done',
    body: html`<h1>Done</h1>
<p>${name(application.name)} was added to ${guild ? name(guild.name) : 'your account'}.</p>
${
  withheld.length > 0 &&
  html`<p>Its bot did not get these permissions: you can give only those that you have there yourself.</p>
<ul>${withheld.map(({ text }) => html`<li>${text}</li>`)}</ul>`
}
<p class="soft">You can close this page.</p>`,
  };
}

export function cancelledPage(query: AuthorizationQuery): Page {
  return {
    kind: 'page',
    status: 200,
    title: 'Cancelled',
    body: html`<h1>Cancelled</h1>
<p>Nothing was allowed and nothing was installed. You can close this page.</p>
<p><a href="${ownAddress(PATHS.authorize, query)}">Look at the request again</a></p>`,
  };
}

/** Tells of a refusal that the client would hear of, with the way to it as a link. */
export function refusedClientPage(refused: {
  application: Application;
  refusal: DomainError;
  redirectUri: string;
  /** The redirect URI with what the client is told. */
  address: string;
}): Page {
  const { application, refusal, redirectUri, address } = refused;
  return {
    kind: 'page',
    status: statusOf(refusal),
    title: 'This does not work',
    body: html`<h1>This does not work</h1>
<p>${name(application.name)} asked for something that it cannot have: ${refusal.message}</p>
<p>Nothing was allowed. The way back leads to ${destination(redirectUri)}; take it only if you came from there.</p>
<div class="actions"><a class="button" href="${address}">Go back</a></div>`,
  };
}

/** Tells of a refusal that cannot be told to the client. */
export function refusalPage(refusal: DomainError, again: AuthorizationQuery | null): Page {
  return {
    kind: 'page',
    status: statusOf(refusal),
    title: 'This does not work',
    retryAfter: refusal.retryAfterSeconds,
    body: html`<h1>This does not work</h1>
<p>${refusal.message}</p>
${again && html`<p><a href="${ownAddress(PATHS.authorize, again)}">Open the request again</a></p>`}
<p class="soft small">If a link or a button of an application led you here, tell the people who make it.</p>`,
  };
}

export function faultPage(requestId: string): Page {
  return {
    kind: 'page',
    status: 500,
    title: 'Something went wrong',
    body: html`<h1>Something went wrong</h1>
<p>This is a fault of ours, and it is in our log. Please try again.</p>
<p class="soft small">Request ${requestId}</p>`,
  };
}

/** What a visitor must see first, also one who listens to the page. */
export function notice(text: Fragment, details: string[] = []): Html {
  const list = html`<ul>${details.map((detail) => html`<li>${detail}</li>`)}</ul>`;
  return html`<div class="notice" role="alert"><p>${text}</p>${details.length > 0 && list}</div>`;
}

/** The status of a page that tells of a refusal: 400 for what the visitor chose or sent, whatever is wrong with it. */
export function statusOf({ code, kind }: DomainError): number {
  return code === 'FORBIDDEN' || KINDS_WITH_STATUS.has(kind) ? STATUS_OF_KIND[kind] : 400;
}
