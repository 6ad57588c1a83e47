import { type CallContext, requirePerson } from '../../call.js';
import { guildIdOf, type Place } from '../../channels/place.js';

/**
 * Has the caller reminded of something, once, where they asked for it.
 * @param delay in how long, in milliseconds
 * @returns when, in milliseconds since the Unix epoch
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
  await call.write(({ addJob }) => addJob({ kind: 'reminder', payload, dueAt }));
  return dueAt;
}
