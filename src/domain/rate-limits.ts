import type { Limit, LimitState } from '../infra/rate-limits.js';
import { type Actor, type CallContext, requireUser } from './call.js';
import { DomainError } from './errors.js';
import { REQUESTS_PER_CALLER } from './limits.js';

/**
 * @param message builds the refusal's message from the seconds until a retry
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

/** @throws RATE_LIMITED */
export async function takePoints(
  { limits }: Pick<CallContext, 'limits'>,
  limit: Limit,
  key: string,
  points: number,
): Promise<void> {
  refuseBeyond(await limits.take(limit, key, points));
}

/** @throws RATE_LIMITED if the use exceeds its limit */
export function refuseBeyond(
  { allowed, resetAfterMs }: LimitState,
  message: (seconds: number) => string = () => 'You are being rate limited.',
): void {
  if (allowed) return;
  throw new DomainError('RATE_LIMITED', message(Math.ceil(resetAfterMs / 1000)), { retryAfterMs: resetAfterMs });
}

/**
 * Key of the caller: a valid credential, else the address. Applications with a person's token and bots with an
 * interaction token count separately (Discord's documentation, Rate Limits).
 */
export function countedAs(actor: Actor, from: { readonly address: string }): string {
  return actor.kind === 'anonymous' ? from.address : byCredential(actor);
}

/** As {@link countedAs}, but without addresses, for logs. */
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
    case 'machine':
      return 'machine';
    case 'person':
    case 'bot':
      return String(actor.user.id);
  }
}

/**
 * Key of a limit per channel or other id. All entry points use the same keys.
 * @param caller from {@link countedAs}
 */
export function dividedKey(caller: string, ...dividedBy: string[]): string {
  return `${caller}:${dividedBy.join(':')}`;
}

/** @throws UNAUTHENTICATED, RATE_LIMITED */
export async function takeRequest(call: CallContext): Promise<void> {
  if (call.actor.kind === 'machine') await takeLimit(call, REQUESTS_PER_CALLER, byCredential(call.actor));
  else await takeAsCaller(call, REQUESTS_PER_CALLER);
}

/** @throws UNAUTHENTICATED, RATE_LIMITED */
export async function takeAsCaller(call: CallContext, limit: Limit, message?: string): Promise<void> {
  await takeLimit(call, limit, byCredential(requireUser(call)), message === undefined ? undefined : () => message);
}

/** @throws UNAUTHENTICATED, RATE_LIMITED */
export async function takeInChannel(call: CallContext, limit: Limit, channelId: bigint): Promise<void> {
  await takeLimit(call, limit, dividedKey(byCredential(requireUser(call)), String(channelId)));
}
