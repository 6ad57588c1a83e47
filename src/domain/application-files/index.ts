export { type AppliedFile, applyApplicationFile } from './apply.js';
export { writtenFile } from './current.js';
export { applicationFile } from './file.js';
export { type ApplicationFilePlan, planApplicationFile } from './plan.js';
export type { WebhookPlanEntry } from './webhooks.js';
