export { changeVoiceState } from './change.js';
export { getVoiceState } from './get.js';
export { joinVoice } from './join.js';
export { leaveVoice } from './leave.js';
export { setOwnVoice } from './own.js';
export type { VoiceStateRecord } from './record.js';
