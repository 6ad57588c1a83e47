import type { CallContext } from '../../call.js';
import { memberIn, type Place } from '../../channels/place.js';
import type { MessageRecord } from '../../messages/record.js';
import { announce } from '../../platform/platform.js';
import { setAbsence } from './set.js';

/** The most people of whom it is said at once that they are away. */
const MOST_NAMED = 5;

/**
 * After somebody wrote something: ends their own absence, and tells them who of those they mentioned is away. Both only they are told, and
 * neither where there are no built-in commands, so that no absence outlives its person's return.
 * What fails here is logged: the message stands.
 */
export async function noticeAbsences(call: CallContext, place: Place, message: MessageRecord): Promise<void> {
  if (place.kind !== 'guild' || message.author.bot) return;
  try {
    const returned = await endOwn(call, place);
    if (!call.hasBuiltIns) return;
    const lines = [...returned, ...(await absentAmong(call, place.guildId, message))];
    if (lines.length === 0) return;
    await announce(call, { place, content: lines.join('\n'), mentions: [], visibleToId: message.author.id });
  } catch (error) {
    call.log.warn({ err: error }, 'somebody could not be told who is away');
  }
}

async function endOwn(call: CallContext, place: Place & { kind: 'guild' }): Promise<string[]> {
  if (memberIn(place)?.awayMessage == null) return [];
  await setAbsence(call, place.guildId, null);
  return ['Welcome back: you are no longer shown as away.'];
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
      ? [`<@${id}> is away since <t:${Math.floor(member.awaySince.getTime() / 1000)}:R>: ${member.awayMessage}`]
      : [],
  );
  return lines.slice(0, MOST_NAMED);
}
