import type { Transaction } from '../../infra/database/index.js';
import { DAY_MS } from '../expiry.js';

const KEEP_MS = 30 * DAY_MS;

/** Removes invitations that expired or were used up 30 days ago. @returns how many */
export async function removeEndedInvitations(db: Transaction, now: number, limit: number): Promise<number> {
  return (await db.signUpInvitation.deleteMany({ where: { expiresAt: { lte: new Date(now - KEEP_MS) } }, limit }))
    .count;
}
