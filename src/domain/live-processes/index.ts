export type { Conflict } from './company.js';
export { countLive } from './count.js';
export { type LifeEvents, LiveProcess } from './life.js';
