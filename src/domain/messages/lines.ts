import { Lines } from '../../infra/lines.js';

/**
 * One change of a message at a time: the database may report concurrent commits in another order, which their events
 * would follow.
 */
export const messageLines = new Lines<bigint>();
