import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { loadMemberRow } from '../members/rows.js';
import { updateColumns } from '../members/update.js';
import { moveInVoice, operationsOfVoice, requireMoveTarget, type VoiceChange } from './moderate.js';

export interface ChangeVoiceInput extends VoiceChange {
  guildId: bigint;
  userId: bigint;
}

/**
 * Applies all changes or none.
 * @throws UNKNOWN_VOICE_STATE, INVALID_INPUT at `channelId`, MISSING_PERMISSIONS and the errors of `accessGuild`
 */
export async function changeVoiceState(call: CallContext, input: ChangeVoiceInput): Promise<void> {
  const { guildId, userId, mute, deaf, ...move } = input;
  const isOwn = requireUser(call).user.id === userId;
  await accessGuild(call, guildId, 'viewGuild', ...operationsOfVoice(input, isOwn));
  await requireMoveTarget(call, guildId, move.channelId);
  const change = async (write: Write) => {
    const member = await loadMemberRow(write.db, guildId, userId);
    if (!member) throw new DomainError('UNKNOWN_VOICE_STATE');
    const updated = await updateColumns(write, member, { mute, deaf });
    if (updated !== member) write.record({ type: 'GUILD_MEMBER_UPDATE', member: updated });
    await moveInVoice(write, updated, move, updated !== member).catch((error: unknown) => {
      const isNotThere = error instanceof DomainError && error.code === 'NOT_IN_VOICE';
      throw isNotThere ? new DomainError('UNKNOWN_VOICE_STATE') : error;
    });
  };
  await call.write(change, { streams: [topics.guild(guildId)] });
}
