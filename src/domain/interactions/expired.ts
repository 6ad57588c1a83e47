import type { Transaction } from '../../infra/database/index.js';
import { snowflakeAt } from '../../infra/ids.js';

/** How long an interaction and what became of it can be read, in milliseconds. */
const KEEP_MS = 7 * 24 * 60 * 60_000;

/** Removes interactions that are older than they are kept, with their steps, as many as `limit` at most. @returns how many */
export async function removeOldInteractions(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.interaction.deleteMany({ where: { id: { lt: snowflakeAt(now - KEEP_MS) } }, limit })).count;
}
