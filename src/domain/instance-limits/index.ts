export { InstanceLimits, WHOLE_INSTANCE } from './instance-limits.js';
export {
  CHANGEABLE_LIMITS,
  type ChangeableLimit,
  LIMIT_KINDS,
  type LimitKind,
  limitOf,
} from './kinds.js';
export { withInstanceLimits } from './rate-limits.js';
export type { Refusals } from './recent-refusals.js';
