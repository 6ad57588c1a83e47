import { Lines } from '../../infra/lines.js';

/**
 * Changes of a message by this process, one after the other: a database may answer two that it made at the same moment in another order than it
 * made them, and they would be told so.
 */
export const messageLines = new Lines<bigint>();
