import type { AuthorizationQuery } from '../../domain/oauth/index.js';

export const PATHS = {
  authorize: '/oauth2/authorize',
  authorized: '/oauth2/authorized',
  signIn: '/oauth2/sign-in',
  signUp: '/oauth2/sign-up',
  signOut: '/oauth2/sign-out',
  password: '/oauth2/password',
} as const;

/** Adds the authorization request to one of our paths, so it never leads to another origin. */
export function ownAddress(path: (typeof PATHS)[keyof typeof PATHS], query: AuthorizationQuery): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${path}?${new URLSearchParams(given)}`;
}

/** False for a plain sign-in. */
export function isAsked(query: AuthorizationQuery): boolean {
  return Object.keys(query).length > 0;
}

/** Keeps existing parameters; omits null values. */
export function withParameters(redirectUri: string, parameters: Record<string, string | null>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&';
  // Encodes the URL, because headers are ASCII.
  return new URL(`${redirectUri}${separator}${new URLSearchParams(given)}`).href;
}
