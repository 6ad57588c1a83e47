import type { Limit, LimitState } from '../infra/rate-limits.js';
import { type Actor, type CallContext, requireUser } from './call.js';
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

/**
 * By whom a request counts, for limits and for what it holds: by its credential where that is good, whoever else is at the address,
 * and else by the address. What an application does with a person's token counts apart from what the person does, and so does what a
 * bot does with the token of an interaction (Discord's documentation, Rate Limits).
 */
export function countedAs(actor: Actor, from: { readonly address: string }): string {
  return actor.kind === 'anonymous' ? from.address : byCredential(actor);
}

/** The same for the log, without the address: null for somebody without a credential. */
export function nameOf(actor: Actor): string | null {
  return actor.kind === 'anonymous' ? null : byCredential(actor);
}

function byCredential(actor: Exclude<Actor, { kind: 'anonymous' }>): string {
  switch (actor.kind) {
    case 'token':
      return `${actor.applicationId}:${actor.user.id}`;
    case 'interaction':
      return `interaction:${actor.interaction.id}`;
    case 'webhook':
      return `webhook:${actor.webhook.id}`;
    case 'person':
    case 'bot':
      return String(actor.user.id);
  }
}

/**
 * The key of a limit that is counted apart for each of what divides it, such as a channel. REST's buckets and what the domain counts by
 * itself have the same key, so that one budget holds at every door.
 * @param caller as {@link countedAs} names them
 */
export function dividedKey(caller: string, ...dividedBy: string[]): string {
  return `${caller}:${dividedBy.join(':')}`;
}

/** Counts something the caller asks for, of whatever kind. @throws UNAUTHENTICATED, RATE_LIMITED */
export async function takeRequest(call: CallContext): Promise<void> {
  await takeAsCaller(call, REQUESTS_PER_CALLER);
}

/** Counts something the caller does, wherever it is. @param message what a refusal says @throws UNAUTHENTICATED, RATE_LIMITED */
export async function takeAsCaller(call: CallContext, limit: Limit, message?: string): Promise<void> {
  await takeLimit(call, limit, byCredential(requireUser(call)), message === undefined ? undefined : () => message);
}

/** Counts something the caller does in a channel. @throws UNAUTHENTICATED, RATE_LIMITED */
export async function takeInChannel(call: CallContext, limit: Limit, channelId: bigint): Promise<void> {
  await takeLimit(call, limit, dividedKey(byCredential(requireUser(call)), String(channelId)));
}
