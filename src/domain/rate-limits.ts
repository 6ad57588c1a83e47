import type { Limit, LimitState } from '../infra/rate-limits.js';
import { type CallContext, requireUser } from './call.js';
import { DomainError } from './errors.js';
import { REQUESTS_PER_CALLER } from './limits.js';

/**
 * Counts one use of a limit.
 * @param key whom or what it is counted for
 * @param message what the refusal says, given in how many seconds to try again
 * @throws RATE_LIMITED
 */
export async function takeLimit(
  { limits }: Pick<CallContext, 'limits'>,
  limit: Limit,
  key: string,
  message?: (seconds: number) => string,
): Promise<void> {
  refuseBeyond(await limits.take(limit, key), message);
}

/** Counts something that uses a limit many times over. @throws RATE_LIMITED */
export async function takePoints(
  { limits }: Pick<CallContext, 'limits'>,
  limit: Limit,
  key: string,
  points: number,
): Promise<void> {
  refuseBeyond(await limits.take(limit, key, points));
}

/** @throws RATE_LIMITED for a use that was counted beyond its limit */
export function refuseBeyond(
  { allowed, resetAfterMs }: LimitState,
  message: (seconds: number) => string = () => 'You are being rate limited.',
): void {
  if (allowed) return;
  throw new DomainError('RATE_LIMITED', message(Math.ceil(resetAfterMs / 1000)), { retryAfterMs: resetAfterMs });
}

/** Counts something the caller asks for, of whatever kind. @throws UNAUTHENTICATED, RATE_LIMITED */
export async function takeRequest(call: CallContext): Promise<void> {
  await takeLimit(call, REQUESTS_PER_CALLER, String(requireUser(call).user.id));
}

/** Counts something the caller does in a channel. @throws UNAUTHENTICATED, RATE_LIMITED */
export async function takeInChannel(call: CallContext, limit: Limit, channelId: bigint): Promise<void> {
  await takeLimit(call, limit, `${requireUser(call).user.id}:${channelId}`);
}
