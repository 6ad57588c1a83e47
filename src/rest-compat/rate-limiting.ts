import { createHash } from 'node:crypto';
import type { AppContext } from '../context.js';
import { REQUESTS_PER_CALLER } from '../domain/limits.js';
import { dividedKey } from '../domain/rate-limits.js';
import { tooManyRequests } from '../http/too-many-requests.js';
import { hashSecret } from '../infra/crypto/secrets.js';
import { createRateLimits, type Limit, type LimitState, noRateLimits, type RateLimits } from '../infra/rate-limits.js';
import type { RestError } from './errors.js';
import type { Bucket, PathParams } from './route.js';

/**
 * Rejected requests before a caller is blocked. Discord counts them per IP address (Discord's documentation, Rate
 * Limits).
 */
const REFUSALS: Limit = { name: 'refusals', points: 10_000, seconds: 600 };

export interface LimitVerdict {
  headers: Record<string, string>;
  refusal?: RestError;
}

/** One bucket per route and major parameters, and one limit over all routes. */
export class RequestLimits {
  readonly #limits: RateLimits;
  /** Local to each process, because every request reads it. */
  readonly #refusals: RateLimits;

  constructor(private readonly app: AppContext) {
    this.#limits = app.limits;
    this.#refusals = app.config.rateLimits ? createRateLimits(null) : noRateLimits;
  }

  /** Null unless the caller is blocked. */
  async isShutOut(caller: string): Promise<LimitVerdict | null> {
    const state = await this.#refusals.peek(REFUSALS, caller);
    return state.allowed ? null : refused(state, { scope: 'global' }, {});
  }

  async noteAnswer(caller: string, status: number): Promise<void> {
    if (status === 401 || status === 403 || status === 429) await this.#refusals.take(REFUSALS, caller);
  }

  async take({ limit, major, refusal }: Bucket, caller: string, params: PathParams): Promise<LimitVerdict> {
    const overall = await this.takeOverall(caller);
    if (overall.refusal) return overall;
    const key = dividedKey(caller, ...major.map((name) => division(params[name] ?? '')));
    const state = await this.#limits.take(limit, key);
    const headers = bucketHeaders(limit, state, this.app.clock.now());
    return state.allowed ? { headers } : refused(state, { ...refusal, scope: 'user' }, headers);
  }

  async takeOverall(caller: string): Promise<LimitVerdict> {
    const state = await this.#limits.take(REQUESTS_PER_CALLER, caller);
    return state.allowed ? { headers: {} } : refused(state, { scope: 'global' }, {});
  }
}

/** Ids without leading zeros. Other values, such as tokens, are hashed to keep secrets out of Redis. */
function division(value: string): string {
  return /^\d{1,32}$/.test(value) ? value.replace(/^0+/, '') : hashSecret(value).slice(0, 32);
}

function bucketHeaders(limit: Limit, state: LimitState, now: number): Record<string, string> {
  return {
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(state.remaining),
    'x-ratelimit-reset': ((now + state.resetAfterMs) / 1000).toFixed(3),
    'x-ratelimit-reset-after': (state.resetAfterMs / 1000).toFixed(3),
    'x-ratelimit-bucket': bucketId(limit),
  };
}

const bucketIds = new Map<string, string>();

/** The same for all callers and major parameters. */
export function bucketId(limit: Limit): string {
  const known = bucketIds.get(limit.name);
  if (known) return known;
  const id = createHash('sha256').update(limit.name).digest('hex').slice(0, 32);
  bucketIds.set(limit.name, id);
  return id;
}

function refused(
  state: LimitState,
  words: Parameters<typeof tooManyRequests>[1],
  headers: Record<string, string>,
): LimitVerdict {
  const refusal = tooManyRequests(state.resetAfterMs, words);
  return { headers: { ...headers, 'x-ratelimit-reset-after': String(refusal.body.retry_after) }, refusal };
}
