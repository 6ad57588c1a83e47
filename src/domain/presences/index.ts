export { Connections } from './connections.js';
export { PresenceCounts } from './count.js';
export { endProcess } from './end-process.js';
export { giveBackIdentify } from './lost-session.js';
export { type Activity, JUST_THERE, type ShownPresence, type Statement } from './record.js';
export { findOnline, listSessions, type OpenSession } from './sessions.js';
export { NewPresence, setPresence } from './set.js';
export type { SessionSummary } from './store.js';
