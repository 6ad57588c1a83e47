import { isMissingReference } from '../../infra/database/faults.js';
import type { Transaction } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import type { ChannelAccess } from '../channels/access.js';
import { DomainError } from '../errors.js';
import { overForADay } from '../expiry.js';
import { CHANNEL_OPERATIONS } from '../guild-operations.js';
import { allows } from '../permissions.js';

/** In seconds; 0 if slow mode does not apply. */
export function slowModeFor({ actor }: CallContext, place: ChannelAccess): number {
  if (place.kind === 'direct' || actor.kind !== 'person') return 0;
  return allows(place.permissions, CHANNEL_OPERATIONS.bypassSlowMode) ? 0 : place.rateLimitPerUser;
}

interface Turn {
  channelId: bigint;
  userId: bigint;
}

/** Applies slow mode to a platform message sent on the caller's behalf. @throws the errors of {@link takeTurn} */
export async function takeTurnOfCaller(call: CallContext, db: Transaction, place: ChannelAccess): Promise<void> {
  const seconds = slowModeFor(call, place);
  if (seconds === 0) return;
  await takeTurn(call, db, { channelId: place.channelId, userId: requireUser(call).user.id }, seconds);
}

/**
 * Of concurrent messages, only one passes.
 * @throws SLOW_MODE with the remaining time, UNKNOWN_CHANNEL if the channel is deleted concurrently
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

/** @returns false while a wait lasts beyond `unlessAfter` @throws UNKNOWN_CHANNEL */
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

export async function removeExpiredSlowModes(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.slowMode.deleteMany({ where: { until: overForADay(now) }, limit })).count;
}
