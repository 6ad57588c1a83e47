export { type InvokedBuiltIn, invokeBuiltIn } from './invoke.js';
export { listBuiltIns } from './table.js';
