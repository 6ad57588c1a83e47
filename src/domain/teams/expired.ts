import type { Transaction } from '../../infra/database/index.js';
import { snowflakeAt } from '../../infra/ids/ids.js';
import { DAY_MS } from '../expiry.js';

const KEEP_MS = 30 * DAY_MS;

/** Removes invitations that were sent 30 days ago and are no longer pending. @returns how many */
export async function removeAnsweredInvitations(db: Transaction, now: number, limit: number): Promise<number> {
  const where = { pendingKey: null, id: { lt: snowflakeAt(now - KEEP_MS) } };
  return (await db.teamInvitation.deleteMany({ where, limit })).count;
}
