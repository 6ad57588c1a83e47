import type { AuthorizationQuery } from '../../domain/oauth/index.js';

/** The pages of the authorization screen. */
export const PATHS = {
  authorize: '/oauth2/authorize',
  authorized: '/oauth2/authorized',
  signIn: '/oauth2/sign-in',
  signUp: '/oauth2/sign-up',
  signOut: '/oauth2/sign-out',
  password: '/oauth2/password',
} as const;

/** One of our own addresses with the request for authorization in its query: never leads anywhere else. */
export function ownAddress(path: (typeof PATHS)[keyof typeof PATHS], query: AuthorizationQuery): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${path}?${new URLSearchParams(given)}`;
}

/** Whether an application asks for anything: who only signs in has a page without a query. */
export function isAsked(query: AuthorizationQuery): boolean {
  return Object.keys(query).length > 0;
}

/** A redirect URI with more parameters in its query, which keeps those it has; null ones are left out. */
export function withParameters(redirectUri: string, parameters: Record<string, string | null>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&';
  // A header holds ASCII only; a browser would write the rest like this as well.
  return new URL(`${redirectUri}${separator}${new URLSearchParams(given)}`).href;
}
