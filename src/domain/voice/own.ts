import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { lockMember } from '../members/lock.js';
import { type VoiceStateRecord, voiceRecord } from './record.js';

export interface OwnVoiceInput {
  guildId: bigint;
  selfMute?: boolean | undefined;
  selfDeaf?: boolean | undefined;
}

/** @throws UNAUTHENTICATED, UNKNOWN_VOICE_STATE */
export function setOwnVoice(
  call: CallContext,
  { guildId, selfMute, selfDeaf }: OwnVoiceInput,
): Promise<VoiceStateRecord> {
  const { user } = requireUser(call);
  return call.write(async ({ db, record }) => {
    const key = { guildId_userId: { guildId, userId: user.id } };
    const member = await lockMember(db, guildId, user.id);
    const before = member && (await db.voiceState.findUnique({ where: key }));
    if (!before) throw new DomainError('UNKNOWN_VOICE_STATE');
    const said = { selfMute: selfMute ?? before.selfMute, selfDeaf: selfDeaf ?? before.selfDeaf };
    const isSame = said.selfMute === before.selfMute && said.selfDeaf === before.selfDeaf;
    const { count } = isSame
      ? { count: 1 }
      : await db.voiceState.updateMany({ where: { guildId, userId: user.id }, data: said });
    if (count === 0) throw new DomainError('UNKNOWN_VOICE_STATE');
    const state = voiceRecord({ ...before, ...said }, member);
    if (!isSame) record({ type: 'VOICE_STATE_UPDATE', state });
    return state;
  });
}
