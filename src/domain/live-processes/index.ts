export { type LifeEvents, LiveProcess } from './life.js';
