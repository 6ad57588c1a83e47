import { type CallContext, requirePerson } from '../../call.js';
import { guildIdOf, type Place } from '../../channels/place.js';
import { takeTurnOfCaller } from '../../messages/slow-mode.js';

/**
 * Has the caller reminded of something, once, where they asked for it. Everybody there will see it, so it counts as said by them.
 * @param delay in how long, in milliseconds
 * @returns when, in milliseconds since the Unix epoch
 * @throws SLOW_MODE
 */
export async function addReminder(
  call: CallContext,
  place: Place,
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
  await call.write(async ({ db, addJob }) => {
    await takeTurnOfCaller(call, db, place);
    await addJob({ kind: 'reminder', payload, dueAt });
  });
  return dueAt;
}
