import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { RequestTrace } from '../http/requests.js';
import type { RestError } from './errors.js';

/** A query, parsed; a key that stands more than once has all of its values. */
export type RestQuery = Readonly<Record<string, string | string[]>>;

/** A request as the table of routes takes it, wherever it came from: a listener, or the cloud that forwards it to a box. */
export interface RestRequest {
  /** Names the request in logs and answers. */
  id: string;
  /** Names the piece of work, where whoever asks may ask for it again without knowing whether it was done. */
  workKey?: string;
  method: string;
  /** As it was sent, percent-encoded, without its query. */
  path: string;
  query: RestQuery;
  headers: IncomingHttpHeaders;
  /** By which address it counts, for somebody without a credential. */
  address: string;
  body: Readable | Uint8Array;
  /** How long the check of its credential and its limits took, in milliseconds. To be filled in. */
  admissionMs?: number;
  /** Present where requests are logged, to be filled in. */
  trace?: RequestTrace | null;
}

/** What is answered to it. */
export interface RestAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** JSON, unless the row's `answer` has another content type; null for none. */
  body: string | null;
  /** Whether a box answered it: what that refuses says nothing about who asked. */
  isOfBox?: boolean;
}

/**
 * An answer of JSON, as exactly `application/json`: with a charset behind it, some libraries do not parse the body.
 * @param body left out for an answer without one
 */
export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): RestAnswer {
  if (body === undefined) return { status, headers, body: null };
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** A refusal as an answer. */
export function errorAnswer(error: RestError, headers: Record<string, string> = {}): RestAnswer {
  return jsonAnswer(error.status, error.body, { ...headers, ...error.headers });
}
