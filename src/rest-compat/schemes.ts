import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../domain/call.js';
import type { Limit } from '../infra/rate-limits.js';
import type { Caller, CallerKind, PathParams } from './route.js';

/** What a request may show a credential in. */
export interface Shown {
  headers: IncomingHttpHeaders;
  params: PathParams;
  /** The address it comes from. */
  readonly address: string;
}

/** One use of a limit, and whom or what it counts for. */
export interface Use {
  limit: Limit;
  key: string;
  /** A use that counts failures is taken back once the check has succeeded, or could not be made. */
  counts: 'attempts' | 'failures';
}

/** A credential that was shown, and not checked yet. */
export interface Claim {
  /**
   * What is counted before the check, and refuses it: whatever is known without it, such as the address or the id that is named. None
   * for a check that costs no more than a limit does.
   */
  limits: readonly Use[];
  /** @returns whose it is @throws a `DomainError` for one that is not good */
  authenticate(): Promise<Actor>;
}

/** One way to show who calls. */
export interface Scheme {
  /**
   * Where the credential stands. One in the path is asked for by rows that take it, a cookie likewise; one in the header `Authorization`
   * by every row that takes any of those, so that a good one of the wrong kind is told from a bad one.
   */
  in: 'path' | 'header' | 'cookie';
  /** The callers it may recognise. */
  of: readonly CallerKind[];
  /** The credential of this form that the request shows; null where it shows none. */
  claim(shown: Shown, callers: readonly Caller[]): Claim | null;
}

/** The caller, without the scope it may need. */
export function kindOf(caller: Caller): CallerKind {
  return typeof caller === 'string' ? caller : 'token';
}

/** Whether the caller is known by a token in the path. */
export function isInPath(caller: Caller): boolean {
  return caller === 'webhookToken' || caller === 'interactionToken';
}

/** The schemes a row asks, in their order. A row for everybody asks for bots. @throws Error for a caller that none recognises */
export function schemesFor(callers: readonly Caller[], schemes: readonly Scheme[]): readonly Scheme[] {
  if (callers.length === 0) return schemes.filter((scheme) => scheme.of.includes('bot'));
  const wanted = callers.map(kindOf);
  const serving = schemes.filter((scheme) => scheme.of.some((kind) => wanted.includes(kind)));
  const unserved = wanted.find((kind) => !serving.some((scheme) => scheme.of.includes(kind)));
  if (unserved !== undefined) throw new Error(`no scheme recognises the caller "${unserved}"`);
  const takesHeaders = serving.some((scheme) => scheme.in === 'header');
  return schemes.filter((scheme) => serving.includes(scheme) || (scheme.in === 'header' && takesHeaders));
}
