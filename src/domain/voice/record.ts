import type { VoiceState } from '../../infra/database/index.js';
import type { MemberRecord } from '../members/record.js';

export interface VoiceStateRecord extends Omit<VoiceState, 'channelId' | 'processId'> {
  /** Null after leaving. */
  channelId: bigint | null;
  /** Null if the membership has ended. */
  member: MemberRecord | null;
}

export function voiceRecord({ processId: _, ...state }: VoiceState, member: MemberRecord | null): VoiceStateRecord {
  return { ...state, member };
}
