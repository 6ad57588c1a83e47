import type { Transaction } from '../../infra/database/index.js';
import { snowflakeAt } from '../../infra/ids.js';

/** Many times as long as an enforced nonce keeps a second message away, in milliseconds. */
const FORGET_AFTER_MS = 60 * 60_000;

/**
 * Forgets which nonces were enforced for messages that are older than an hour, of as many as `limit` at most. The nonces
 * themselves stay with their messages.
 * @returns of how many
 */
export async function forgetEnforcedNonces(db: Transaction, now: number, limit: number): Promise<number> {
  // A range of the unique index, in which messages without an enforced nonce do not stand.
  const where = { enforcedNonceKey: { gt: '' }, id: { lt: snowflakeAt(now - FORGET_AFTER_MS) } };
  return (await db.message.updateMany({ where, data: { enforcedNonceKey: null }, limit })).count;
}
