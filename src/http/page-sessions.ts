import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../domain/call.js';

/** What the names of the accounts library's cookies begin with. */
export const COOKIE_PREFIX = 'causeway';

/** The name of the cookie that carries a session, which a browser sends over TLS only where the service is reached so. */
export function sessionCookie(publicUrl: string): string {
  return `${publicUrl.startsWith('https:') ? '__Secure-' : ''}${COOKIE_PREFIX}.session_token`;
}

/**
 * Who a request's headers speak for: a person with a portal session, or anonymous.
 * @throws UNAUTHENTICATED for an `Authorization` header that cannot name a session
 */
export type FindPerson = (headers: IncomingHttpHeaders) => Promise<Actor>;

/** Where a request comes from. */
export interface Visitor {
  /** The network address it counts by (`AppContext.clientAddress`). */
  address: string;
  headers: IncomingHttpHeaders;
}

/** What pages need to know of portal sessions, and to let people sign up, in and out on them. */
export interface PageSessions {
  findPerson: FindPerson;
  /**
   * Begins a session. The address may try as often as everywhere else.
   * @returns the `Set-Cookie` lines that carry it
   * @throws UNAUTHENTICATED for a wrong e-mail address or password, RATE_LIMITED
   */
  signIn(credentials: { email: string; password: string }, visitor: Visitor): Promise<string[]>;
  /**
   * Makes an account and begins its first session, under the same limit as everywhere else.
   * @returns the `Set-Cookie` lines that carry it
   * @throws INVALID_INPUT, CONFLICT for a username or an e-mail address that is taken, RATE_LIMITED
   */
  signUp(details: { name: string; email: string; password: string }, visitor: Visitor): Promise<string[]>;
  /** Ends the session. @returns the `Set-Cookie` lines that forget it */
  signOut(visitor: Visitor): Promise<string[]>;
  /**
   * Sends a link for another password, where somebody has an account with the address.
   * @throws INVALID_INPUT, RATE_LIMITED
   */
  requestPasswordReset(email: string, visitor: Visitor): Promise<void>;
  /** Whether such a link works. */
  mayResetPassword(token: string): Promise<boolean>;
  /**
   * Gives whoever has such a link another password, once, and ends all their sessions.
   * @throws INVALID_INPUT at `newPassword`, INVALID_RESET_TOKEN, RATE_LIMITED
   */
  resetPassword(token: string, password: string, visitor: Visitor): Promise<void>;
  /** What a form carries that was shown within this session, and no other site's page knows; null without a session. */
  csrfToken(headers: IncomingHttpHeaders): string | null;
  /** Whether a form carries the token of the session it is sent with; takes the same time for right and wrong ones. */
  csrfTokenFits(headers: IncomingHttpHeaders, token: string): boolean;
}
