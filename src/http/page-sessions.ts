import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../domain/call.js';

/** Prefix of the accounts library's cookie names. */
export const COOKIE_PREFIX = 'causeway';

/** `__Secure-` makes browsers send the cookie over TLS only. */
export function sessionCookie(publicUrl: string): string {
  return `${publicUrl.startsWith('https:') ? '__Secure-' : ''}${COOKIE_PREFIX}.session_token`;
}

/**
 * Anonymous without a session.
 * @throws UNAUTHENTICATED for an `Authorization` header that cannot name a session
 */
export type FindPerson = (headers: IncomingHttpHeaders) => Promise<Actor>;

export interface Visitor {
  /** From `AppContext.clientAddress`. */
  address: string;
  headers: IncomingHttpHeaders;
  /** Whether it is the command line on this machine, whatever the headers say. */
  isMachine?: boolean;
}

export interface PageSessions {
  findPerson: FindPerson;
  /**
   * @returns `Set-Cookie` lines
   * @throws UNAUTHENTICATED for a wrong e-mail address or password, RATE_LIMITED
   */
  signIn(credentials: { email: string; password: string }, visitor: Visitor): Promise<string[]>;
  /**
   * @returns `Set-Cookie` lines
   * @throws INVALID_INPUT, CONFLICT for a taken username or e-mail address, RATE_LIMITED
   */
  signUp(
    details: { name: string; email: string; password: string; invitation?: string },
    visitor: Visitor,
  ): Promise<string[]>;
  /** @returns `Set-Cookie` lines that clear the cookies */
  signOut(visitor: Visitor): Promise<string[]>;
  /**
   * Sends a link if an account has this address.
   * @throws INVALID_INPUT, RATE_LIMITED
   */
  requestPasswordReset(email: string, visitor: Visitor): Promise<void>;
  mayResetPassword(token: string): Promise<boolean>;
  /**
   * Sets the password and ends all sessions. A token works once.
   * @throws INVALID_INPUT at `newPassword`, INVALID_RESET_TOKEN, RATE_LIMITED
   */
  resetPassword(token: string, password: string, visitor: Visitor): Promise<void>;
  /** Null without a session. */
  csrfToken(headers: IncomingHttpHeaders): string | null;
  csrfTokenFits(headers: IncomingHttpHeaders, token: string): boolean;
}
