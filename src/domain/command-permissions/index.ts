export { findRunnableCommand, type RunnableCommand } from './runnable.js';
