import { isMissingReference } from '../../infra/database/faults.js';
import type { Transaction } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
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
 * Counts what the platform says because the caller asked for it, as a message of theirs, within the transaction that stores what was asked.
 * @throws what {@link takeTurn} throws
 */
export async function takeTurnOfCaller(call: CallContext, db: Transaction, place: Place): Promise<void> {
  const seconds = slowModeFor(call, place);
  if (seconds === 0) return;
  await takeTurn(call, db, { channelId: place.channelId, userId: requireUser(call).user.id }, seconds);
}

/**
 * Counts a message of somebody's in a channel with slow mode, within the transaction that stores it: of several at once, one.
 * @throws SLOW_MODE with the time that is left, UNKNOWN_CHANNEL when the channel went away meanwhile
 */
export async function takeTurn(
  { clock }: Pick<CallContext, 'clock'>,
  db: Transaction,
  { channelId, userId }: Turn,
  seconds: number,
): Promise<void> {
  const now = clock.now();
  const until = new Date(now + seconds * 1_000);
  if (await setWait(db, { channelId, userId }, { until, unlessAfter: new Date(now) })) return;
  const waiting = await db.slowMode.findUnique({ where: { channelId_userId: { channelId, userId } } });
  const retryAfterMs = waiting ? waiting.until.getTime() - now : seconds * 1_000;
  throw new DomainError('SLOW_MODE', undefined, { retryAfterMs });
}

/** Whether it was set: not while there is another one that ends later than `unlessAfter`. @throws UNKNOWN_CHANNEL */
async function setWait(
  db: Transaction,
  { channelId, userId }: Turn,
  { until, unlessAfter }: { until: Date; unlessAfter: Date },
): Promise<boolean> {
  try {
    const set = await db.$executeRaw`
      INSERT INTO "SlowMode" ("channelId", "userId", "until")
      VALUES (${channelId}, ${userId}, ${until})
      ON CONFLICT ("channelId", "userId") DO UPDATE SET "until" = excluded."until"
      WHERE "SlowMode"."until" <= ${unlessAfter}`;
    return set > 0;
  } catch (error) {
    throw isMissingReference(error) ? new DomainError('UNKNOWN_CHANNEL') : error;
  }
}

/** Removes waits that ended a day ago, as many as `limit` at most. @returns how many */
export async function removeExpiredSlowModes(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.slowMode.deleteMany({ where: { until: overForADay(now) }, limit })).count;
}
