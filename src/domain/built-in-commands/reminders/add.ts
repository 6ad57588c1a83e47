import type { Transaction } from '../../../infra/database/index.js';
import { topics } from '../../../infra/streams/topics.js';
import { type CallContext, requirePerson } from '../../call.js';
import { type ChannelAccess, guildIdOf } from '../../channels/access.js';
import { DomainError } from '../../errors.js';
import { limits } from '../../limits.js';
import { takeTurnOfCaller } from '../../messages/slow-mode.js';

/**
 * Counts towards the caller's slow mode, because the reminder will be public.
 * @param delay in milliseconds
 * @returns due time in milliseconds since the Unix epoch
 * @throws SLOW_MODE, LIMIT_EXCEEDED
 */
export async function addReminder(
  call: CallContext,
  place: ChannelAccess,
  { delay, about }: { delay: number; about: string },
): Promise<number> {
  const { user } = requirePerson(call);
  const guildId = guildIdOf(place);
  const dueAt = call.clock.now() + delay;
  const payload = {
    userId: String(user.id),
    channelId: String(place.channelId),
    guildId: guildId === null ? null : String(guildId),
    about,
    askedAt: call.clock.now(),
  };
  await call.write(
    async ({ db, addJob }) => {
      const key = await freeKey(db, user.id);
      await takeTurnOfCaller(call, db, place);
      await addJob({ kind: 'reminder', key, payload, dueAt });
    },
    { streams: [topics.user(user.id)] },
  );
  return dueAt;
}

/** Each queued reminder has one of a fixed number of keys. */
export function reminderKeys(userId: bigint): string[] {
  return Array.from({ length: limits.remindersPerPerson }, (_, index) => `reminder:${userId}:${index}`);
}

/** The transaction must lock the user's stream. */
async function freeKey(db: Transaction, userId: bigint): Promise<string> {
  const keys = reminderKeys(userId);
  const jobs = await db.job.findMany({ where: { key: { in: keys } }, select: { key: true } });
  const taken = new Set(jobs.map(({ key }) => key));
  const free = keys.find((key) => !taken.has(key));
  if (free !== undefined) return free;
  throw new DomainError(
    'LIMIT_EXCEEDED',
    `You have reached the limit of ${limits.remindersPerPerson} reminders. Try again after one has been sent.`,
  );
}
