export { PLATFORM_ID } from './platform.js';
