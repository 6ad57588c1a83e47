import { tooManyRequests } from '../../../http/too-many-requests.js';
import type { BoxAnswer, BoxError, BoxFault } from './transport.js';

export interface ForwardedAnswer {
  status: number;
  headers: Record<string, string>;
  /** JSON text, or null. */
  body: string | null;
  /** Errors of a box do not count against the caller. */
  isOfBox: true;
}

const MAX_RETRY_SECONDS = 60;

/** Common libraries do not read the body of a 5xx. */
const REASON = 'x-causeway-reason';

const REASON_OF_STATUS: Readonly<Record<number, string>> = {
  501: 'not-implemented-self-hosted',
  503: 'box-busy',
  504: 'box-timeout',
};

const FAULTS = {
  undecodable: {
    status: 502,
    reason: 'box-malformed',
    message: 'The self-hosted server sent an invalid response.',
  },
  offline: {
    status: 503,
    reason: 'box-offline',
    message: 'The self-hosted server is not connected; try again in a few seconds.',
  },
  crowded: {
    status: 503,
    reason: 'box-busy',
    message: 'The self-hosted server has too many requests open; try again in a few seconds.',
  },
  tooLong: {
    status: 413,
    reason: 'box-request-too-long',
    message: 'The request is too large to forward to the self-hosted server.',
  },
  overfull: {
    status: 503,
    reason: 'box-busy',
    message: 'The self-hosted servers are sending too much data at once; try again in a few seconds.',
  },
  timeout: { status: 504, reason: 'box-timeout', message: 'The self-hosted server did not answer in time.' },
} as const satisfies Record<BoxFault, { status: number; reason: string; message: string }>;

const RETRY_SECONDS: Partial<Record<BoxFault, number>> = { offline: 5, crowded: 1, overfull: 1 };

export function faultOfBox({ fault }: BoxError): ForwardedAnswer {
  const { status, reason, message } = FAULTS[fault];
  const retry = RETRY_SECONDS[fault];
  const headers = { [REASON]: reason, ...(retry === undefined ? {} : { 'retry-after': String(retry) }) };
  return jsonOfBox(status, JSON.stringify({ message, code: 0 }), headers);
}

export function answerOfBox({ status, retryAfter, body }: BoxAnswer): ForwardedAnswer {
  const text = body.length === 0 ? null : body.toString();
  if (status === 429) return rateLimited(retryAfter, text === null ? null : JSON.parse(text));
  const reason = REASON_OF_STATUS[status];
  return jsonOfBox(status, text, {
    ...(reason === undefined ? {} : { [REASON]: reason }),
    ...(retryAfter === null ? {} : { 'retry-after': String(Math.ceil(within(retryAfter))) }),
  });
}

/** The limit applies to one kind of request only. */
function rateLimited(retryAfter: number | null, value: unknown): ForwardedAnswer {
  const { message, code, retry_after: seconds } = typeof value === 'object' && value !== null ? (value as Said) : {};
  const answer = tooManyRequests(within(typeof seconds === 'number' ? seconds : (retryAfter ?? 1)) * 1000, {
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof code === 'number' ? { code } : {}),
  });
  return jsonOfBox(429, JSON.stringify(answer.body), answer.headers);
}

interface Said {
  message?: unknown;
  code?: unknown;
  retry_after?: unknown;
}

function within(seconds: number): number {
  return Math.min(Math.max(seconds, 0), MAX_RETRY_SECONDS);
}

/** @param body JSON text, or null */
function jsonOfBox(status: number, body: string | null, headers: Record<string, string>): ForwardedAnswer {
  const type: Record<string, string> = body === null ? {} : { 'content-type': 'application/json' };
  return { status, headers: { ...headers, ...type }, body, isOfBox: true };
}
