import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import type { GuildOperation } from '../guild-operations.js';
import { updateColumns } from '../members/update.js';
import { holdMember } from './join.js';
import { accessVoiceOf, moveInVoice, type VoiceMove } from './moderate.js';

export interface ChangeVoiceInput extends VoiceMove {
  guildId: bigint;
  userId: bigint;
  /** By a moderator, in every channel of the guild. */
  mute?: boolean | undefined;
  deaf?: boolean | undefined;
}

/**
 * Moves, mutes, deafens or suppresses somebody in voice; everything that is asked for, or nothing.
 * @throws UNKNOWN_VOICE_STATE for somebody who is in no channel of the guild, INVALID_INPUT at `channelId`, MISSING_PERMISSIONS and what
 *   `accessGuild` throws
 */
export async function changeVoiceState(call: CallContext, input: ChangeVoiceInput): Promise<void> {
  const { guildId, userId, mute, deaf, ...move } = input;
  const operations: GuildOperation[] = [];
  if (mute !== undefined) operations.push('muteMember');
  if (deaf !== undefined) operations.push('deafenMember');
  await accessVoiceOf(call, input, move, ...operations);
  await call.write(async (write) => {
    const member = await holdMember(write.db, guildId, userId);
    if (!member) throw new DomainError('UNKNOWN_VOICE_STATE');
    const updated = await updateColumns(write, member, { mute, deaf });
    if (updated !== member) write.record({ type: 'GUILD_MEMBER_UPDATE', member: updated });
    await moveInVoice(write, updated, move, updated !== member).catch((error: unknown) => {
      const isNotThere = error instanceof DomainError && error.code === 'NOT_IN_VOICE';
      throw isNotThere ? new DomainError('UNKNOWN_VOICE_STATE') : error;
    });
  });
}
