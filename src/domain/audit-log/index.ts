export { type AuditLog, listAuditEntries } from './list.js';
