import type { z } from 'zod';
import type { CallContext } from '../../call.js';
import type { ChannelAccess } from '../../channels/access.js';
import { loadChannelAccess } from '../../channels/load-access.js';
import { DomainError } from '../../errors.js';
import { neededInChannel } from '../../guild-operations.js';
import { allows } from '../../permissions.js';
import { announce } from '../../platform/platform.js';
import type { ReminderPayload } from './payload.js';

/**
 * Posts nothing if the person may no longer send messages there.
 * @param key the same in every attempt, so that a retry posts nothing twice
 */
export async function remind(
  call: CallContext,
  reminder: z.output<typeof ReminderPayload>,
  key: string,
): Promise<void> {
  const userId = BigInt(reminder.userId);
  const place = await loadChannelAccess(call, BigInt(reminder.channelId), userId);
  if (!place || !maySpeakIn(place)) return;
  const asked = Math.floor(reminder.askedAt / 1000);
  const content = `⏰ <@${userId}> Your reminder from <t:${asked}:R>: ${reminder.about}`;
  try {
    await announce(call, { place, content, mentions: [userId], key });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'UNKNOWN_CHANNEL') throw error;
  }
}

function maySpeakIn(place: ChannelAccess): boolean {
  if (place.kind === 'direct') return true;
  return place.member !== null && allows(place.permissions, neededInChannel(['sendMessage']));
}
