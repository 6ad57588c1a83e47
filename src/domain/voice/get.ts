import { type CallContext, requireUser } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild, accessGuildChannel } from '../guilds/access.js';
import { WITH_USER_AND_ROLES } from '../members/record.js';
import { type VoiceStateRecord, voiceRecord } from './record.js';

/**
 * For another user, needs Connect in the channel.
 * @throws UNKNOWN_VOICE_STATE, and the errors of `accessGuild` and `accessGuildChannel`
 */
export async function getVoiceState(call: CallContext, guildId: bigint, userId: bigint): Promise<VoiceStateRecord> {
  const { user } = requireUser(call);
  await accessGuild(call, guildId, 'viewGuild');
  const state = await call.read.voiceState.findFirst({
    where: { guildId, userId, process: { until: { gt: call.live.now() } } },
  });
  if (!state) throw new DomainError('UNKNOWN_VOICE_STATE');
  if (userId !== user.id) await accessGuildChannel(call, state.channelId, 'connectVoice');
  const member = await call.read.member.findUnique({
    where: { guildId_userId: { guildId, userId } },
    include: WITH_USER_AND_ROLES,
  });
  return voiceRecord(state, member);
}
