import type { GatewayVoiceState } from 'discord-api-types/v10';
import type { VoiceStateRecord } from '../domain/voice/index.js';
import { idOrNull } from './id.js';
import { renderMember } from './members.js';

export function renderVoiceState(state: VoiceStateRecord): GatewayVoiceState {
  const { member } = state;
  return {
    guild_id: String(state.guildId),
    ...renderVoiceStateWithin(state),
    ...(member ? { member: renderMember(member) } : {}),
  };
}

/** Omits the guild and the member, which GUILD_CREATE contains. */
export function renderVoiceStateWithin(state: VoiceStateRecord): Omit<GatewayVoiceState, 'guild_id' | 'member'> {
  return {
    channel_id: idOrNull(state.channelId),
    user_id: String(state.userId),
    session_id: state.sessionId,
    deaf: state.member?.deaf ?? false,
    mute: state.member?.mute ?? false,
    self_deaf: state.selfDeaf,
    self_mute: state.selfMute,
    self_video: state.selfVideo,
    self_stream: false,
    suppress: state.suppress,
    request_to_speak_timestamp: null,
  };
}
