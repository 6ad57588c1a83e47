export { InstanceLimits } from './instance-limits.js';
export { LIMIT_KINDS, limitOf } from './kinds.js';
export { withInstanceLimits } from './rate-limits.js';
export type { Refusals } from './recent-refusals.js';
