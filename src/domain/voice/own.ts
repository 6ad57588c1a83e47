import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { loadMemberRow } from '../members/rows.js';
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
  const change = async ({ db, record }: Write) => {
    const key = { guildId_userId: { guildId, userId: user.id } };
    const member = await loadMemberRow(db, guildId, user.id);
    const before = member && (await db.voiceState.findUnique({ where: key }));
    if (!before) throw new DomainError('UNKNOWN_VOICE_STATE');
    const said = { selfMute: selfMute ?? before.selfMute, selfDeaf: selfDeaf ?? before.selfDeaf };
    const isSame = said.selfMute === before.selfMute && said.selfDeaf === before.selfDeaf;
    if (!isSame) await db.voiceState.update({ where: key, data: said });
    const state = voiceRecord({ ...before, ...said }, member);
    if (!isSame) record({ type: 'VOICE_STATE_UPDATE', state });
    return state;
  };
  return call.write(change, { streams: [topics.guild(guildId)] });
}
