import type { VoiceState } from '../../infra/database/index.js';
import type { MemberRecord } from '../members/record.js';

/** Where somebody is in voice, with all that its rendering needs. */
export interface VoiceStateRecord extends Omit<VoiceState, 'channelId' | 'processId'> {
  /** Null for somebody who left. */
  channelId: bigint | null;
  /** Null for somebody who is no member any more. */
  member: MemberRecord | null;
}

/** A row as a record. */
export function voiceRecord({ processId: _, ...state }: VoiceState, member: MemberRecord | null): VoiceStateRecord {
  return { ...state, member };
}
