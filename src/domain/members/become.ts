import { requireNotBanned } from '../bans/record.js';
import { greetWithin } from '../built-in-commands/greetings/greet.js';
import type { CallContext, Write } from '../call.js';
import { recordPresence } from '../presences/publish.js';
import type { MemberRecord } from './record.js';
import { insertMember, type NewMember } from './rows.js';

/**
 * The transaction must lock the streams of guild and user.
 * @throws BANNED and the errors of `insertMember`
 */
export async function becomeMember(
  call: CallContext,
  write: Write,
  newcomer: Omit<NewMember, 'joinedAt'>,
): Promise<MemberRecord> {
  const { guildId, userId } = newcomer;
  await requireNotBanned(write.db, guildId, userId);
  const member = await insertMember(write.db, { ...newcomer, joinedAt: new Date(call.clock.now()) });
  write.record({ type: 'GUILD_MEMBER_ADD', member });
  if (!member.user.bot) write.record({ type: 'PORTAL_HOME_UPDATED', userId });
  await recordPresence(call, write, newcomer);
  await greetWithin(call, write, { guildId, user: member.user, kind: 'WELCOME' });
  return member;
}
