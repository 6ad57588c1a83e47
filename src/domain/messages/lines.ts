import { KeyedMutex } from '../../infra/concurrency/keyed-mutex.js';

/**
 * One change of a message at a time: the database may report concurrent commits in another order, which their events
 * would follow.
 */
export const messageLines = new KeyedMutex<bigint>();
