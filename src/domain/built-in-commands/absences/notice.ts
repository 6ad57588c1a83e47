import type { CallContext } from '../../call.js';
import { type ChannelAccess, memberIn } from '../../channels/access.js';
import type { MessageRecord } from '../../messages/record.js';
import { announce } from '../../platform/platform.js';
import { setAbsence } from './set.js';

const MOST_NAMED = 5;

/**
 * Clears the author's away note, and privately lists mentioned users who are away. Without built-in commands, clears
 * the note silently. Logs errors, because the message is sent already.
 */
export async function noticeAbsences(call: CallContext, place: ChannelAccess, message: MessageRecord): Promise<void> {
  if (place.kind !== 'guild' || message.author.bot) return;
  try {
    const returned = await endOwn(call, place);
    if (!call.hasBuiltIns) return;
    const lines = [...returned, ...(await absentAmong(call, place.guildId, message))];
    if (lines.length === 0) return;
    await announce(call, { place, content: lines.join('\n'), mentions: [], visibleToId: message.author.id });
  } catch (error) {
    call.log.warn({ err: error }, 'Could not show which mentioned members are away');
  }
}

async function endOwn(call: CallContext, place: ChannelAccess & { kind: 'guild' }): Promise<string[]> {
  if (memberIn(place)?.awayMessage == null) return [];
  await setAbsence(call, place.guildId, null);
  return ['Welcome back! You are no longer marked as away.'];
}

async function absentAmong(
  call: CallContext,
  guildId: bigint,
  { author, mentionedUsers }: MessageRecord,
): Promise<string[]> {
  const others = mentionedUsers.filter(({ id, bot }) => !bot && id !== author.id);
  const members = await Promise.all(
    others.map(async ({ id }) => ({ id, member: await call.guilds.member(guildId, id) })),
  );
  const lines = members.flatMap(({ id, member }) =>
    member?.awayMessage && member.awaySince
      ? [`<@${id}> is away: ${member.awayMessage} (<t:${Math.floor(member.awaySince.getTime() / 1000)}:R>)`]
      : [],
  );
  return lines.slice(0, MOST_NAMED);
}
