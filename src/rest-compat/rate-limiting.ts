import { createHash } from 'node:crypto';
import type { AppContext } from '../context.js';
import type { Actor } from '../domain/call.js';
import { REQUESTS_PER_CALLER } from '../domain/limits.js';
import { createRateLimits, type Limit, type LimitState, noRateLimits, type RateLimits } from '../infra/rate-limits.js';
import { type RestError, tooManyRequests } from './errors.js';
import type { Route } from './route.js';

/**
 * Refused requests of a caller; beyond these the caller is not listened to (Discord's documentation, Rate Limits, where all
 * callers of an address count together).
 */
const REFUSALS: Limit = { name: 'refusals', points: 10_000, seconds: 600 };

export interface LimitVerdict {
  headers: Record<string, string>;
  /** Present when the request is refused. */
  refusal?: RestError;
}

/**
 * By whom a request counts: by its credential where that is good, whoever else is at the address, and else by the address. What
 * an application does with a person's token counts apart from what the person does.
 */
export function callerOf(actor: Actor, request: { readonly ip: string }): string {
  if (actor.kind === 'anonymous') return request.ip;
  return actor.kind === 'token' ? `${actor.applicationId}:${actor.user.id}` : String(actor.user.id);
}

/** The limits of the REST face: a bucket for each route and major id, and one over all. */
export class RequestLimits {
  readonly #limits: RateLimits;
  /** Kept by each process alone: it is asked for every request. */
  readonly #refusals: RateLimits;

  constructor(private readonly app: AppContext) {
    this.#limits = app.limits;
    this.#refusals = app.config.rateLimits ? createRateLimits(null) : noRateLimits;
  }

  /** Whether a caller was refused so often that nothing it asks for is looked at. */
  async isShutOut(caller: string): Promise<LimitVerdict | null> {
    const state = await this.#refusals.peek(REFUSALS, caller);
    return state.allowed ? null : refused(state, 'global', {});
  }

  /** Notes an answer that counts against its caller. */
  async noteAnswer(caller: string, status: number): Promise<void> {
    if (status === 401 || status === 403 || status === 429) await this.#refusals.take(REFUSALS, caller);
  }

  /**
   * Counts a request against its limits.
   * @param major the value of the bucket's major parameter, or nothing
   */
  async take(route: Route, caller: string, major: string): Promise<LimitVerdict> {
    const overall = await this.takeOverall(caller);
    if (overall.refusal) return overall;
    const state = await this.#limits.take(route.bucket.limit, `${caller}:${major}`);
    const headers = bucketHeaders(route.bucket.limit, state, this.app.clock.now());
    return state.allowed ? { headers } : refused(state, 'user', headers);
  }

  /** Counts a request against the limit over all routes only. */
  async takeOverall(caller: string): Promise<LimitVerdict> {
    const state = await this.#limits.take(REQUESTS_PER_CALLER, caller);
    return state.allowed ? { headers: {} } : refused(state, 'global', {});
  }
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

/** An opaque name for a bucket, the same for all callers and major ids. */
function bucketId(limit: Limit): string {
  const known = bucketIds.get(limit.name);
  if (known) return known;
  const id = createHash('sha256').update(limit.name).digest('hex').slice(0, 32);
  bucketIds.set(limit.name, id);
  return id;
}

function refused(state: LimitState, scope: 'user' | 'global', headers: Record<string, string>): LimitVerdict {
  const refusal = tooManyRequests(state.resetAfterMs, { scope });
  return { headers: { ...headers, 'x-ratelimit-reset-after': String(refusal.body.retry_after) }, refusal };
}
