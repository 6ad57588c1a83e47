import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { RequestTrace } from '../http/requests.js';
import type { RestError } from './errors.js';

export type RestQuery = Readonly<Record<string, string | string[]>>;

/** From a listener, or forwarded by the cloud to a box. */
export interface RestRequest {
  id: string;
  /** Idempotency key, if the sender may retry. */
  workKey?: string;
  method: string;
  /** Percent-encoded, without the query. */
  path: string;
  query: RestQuery;
  headers: IncomingHttpHeaders;
  /** Limits count anonymous requests by it. */
  address: string;
  body: Readable | Uint8Array;
  /** Duration of authentication and rate limiting, set later. */
  admissionMs?: number;
  /** Set if requests are logged. */
  trace?: RequestTrace | null;
}

export interface RestAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** JSON, unless the row's `answer` has another content type; null for none. */
  body: string | null;
  /** Errors of a box do not count against the caller. */
  isOfBox?: boolean;
}

/**
 * Sends exactly `application/json`, because some libraries do not parse the body if a charset follows.
 * @param body undefined for no body
 */
export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): RestAnswer {
  if (body === undefined) return { status, headers, body: null };
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export function errorAnswer(error: RestError, headers: Record<string, string> = {}): RestAnswer {
  return jsonAnswer(error.status, error.body, { ...headers, ...error.headers });
}
