import type { Transaction } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import type { Place } from '../channels/place.js';
import { DomainError } from '../errors.js';
import { overForADay } from '../expiry.js';
import { CHANNEL_OPERATIONS } from '../guild-operations.js';
import { allows } from '../permissions.js';

/** How long the caller waits between two messages in a place, in seconds: not at all for a bot, or with BypassSlowmode. */
export function slowModeFor({ actor }: CallContext, place: Place): number {
  if (place.kind === 'direct' || actor.kind !== 'person') return 0;
  return allows(place.permissions, CHANNEL_OPERATIONS.bypassSlowMode) ? 0 : place.rateLimitPerUser;
}

interface Turn {
  channelId: bigint;
  userId: bigint;
}

/**
 * Counts a message of somebody's in a channel with slow mode, within the transaction that stores it: of several at once, one.
 * @throws SLOW_MODE with the time that is left
 */
export async function takeTurn(
  { clock }: Pick<CallContext, 'clock'>,
  db: Transaction,
  { channelId, userId }: Turn,
  seconds: number,
): Promise<void> {
  const now = clock.now();
  const taken = await db.$executeRaw`
    INSERT INTO "SlowMode" ("channelId", "userId", "until")
    VALUES (${channelId}, ${userId}, ${new Date(now + seconds * 1_000)})
    ON CONFLICT ("channelId", "userId") DO UPDATE SET "until" = excluded."until"
    WHERE "SlowMode"."until" <= ${new Date(now)}`;
  if (taken > 0) return;
  const waiting = await db.slowMode.findUnique({ where: { channelId_userId: { channelId, userId } } });
  const retryAfterMs = waiting ? waiting.until.getTime() - now : seconds * 1_000;
  throw new DomainError('SLOW_MODE', undefined, { retryAfterMs });
}

/** Removes waits that ended a day ago, as many as `limit` at most. @returns how many */
export async function removeExpiredSlowModes(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.slowMode.deleteMany({ where: { until: overForADay(now) }, limit })).count;
}
