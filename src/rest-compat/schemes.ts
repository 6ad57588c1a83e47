import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../domain/call.js';
import type { Limit } from '../infra/rate-limits.js';
import type { Caller, CallerKind, PathParams } from './route.js';

export interface Shown {
  headers: IncomingHttpHeaders;
  params: PathParams;
  readonly address: string;
}

export interface Use {
  limit: Limit;
  key: string;
  /** `failures` are taken before the check, and given back unless it finds the credential invalid. */
  counts: 'attempts' | 'failures';
}

/** An unchecked credential. */
export interface Claim {
  /** Limits to apply before the check. Empty if the check is as cheap as a limit. */
  limits: readonly Use[];
  /** @throws DomainError if the credential is not valid */
  authenticate(): Promise<Actor>;
}

export interface Scheme {
  /**
   * Rows check path tokens and cookies only if they accept them. Rows that accept any `Authorization` credential check
   * all of them. A valid one of the wrong kind then gets its own error.
   */
  in: 'path' | 'header' | 'cookie';
  of: readonly CallerKind[];
  /** Null without such a credential. */
  claim(shown: Shown, callers: readonly Caller[]): Claim | null;
}

export function kindOf(caller: Caller): CallerKind {
  return typeof caller === 'string' ? caller : 'token';
}

export function isInPath(caller: Caller): boolean {
  return caller === 'webhookToken' || caller === 'interactionToken';
}

/**
 * In order of precedence. A public row tries bot tokens.
 * @throws Error if no scheme supports a caller
 */
export function schemesFor(callers: readonly Caller[], schemes: readonly Scheme[]): readonly Scheme[] {
  if (callers.length === 0) return schemes.filter((scheme) => scheme.of.includes('bot'));
  const wanted = callers.map(kindOf);
  const serving = schemes.filter((scheme) => scheme.of.some((kind) => wanted.includes(kind)));
  const unserved = wanted.find((kind) => !serving.some((scheme) => scheme.of.includes(kind)));
  if (unserved !== undefined) throw new Error(`no authentication scheme supports the caller "${unserved}"`);
  const takesHeaders = serving.some((scheme) => scheme.in === 'header');
  return schemes.filter((scheme) => serving.includes(scheme) || (scheme.in === 'header' && takesHeaders));
}
