import { topics } from '../../../infra/streams/topics.js';
import { type CallContext, requirePerson } from '../../call.js';

/** Null clears the away note. @returns whether the caller is a member */
export async function setAbsence(call: CallContext, guildId: bigint, message: string | null): Promise<boolean> {
  const { user } = requirePerson(call);
  const data = { awayMessage: message, awaySince: message === null ? null : new Date(call.clock.now()) };
  const { count } = await call.writeOne((db) => db.member.updateMany({ where: { guildId, userId: user.id }, data }), {
    streams: [topics.guild(guildId)],
    event: ({ count }) => (count === 0 ? null : { type: 'MEMBERSHIP_UPDATED', guildId, userId: user.id }),
  });
  return count > 0;
}
