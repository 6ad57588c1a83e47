export type { Conflict } from './conflicts.js';
export { countLive } from './count.js';
export { type HeartbeatEvents, instanceOf, LiveProcess } from './heartbeat.js';
