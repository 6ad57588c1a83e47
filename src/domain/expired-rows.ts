import type { Clock } from '../infra/clock.js';
import type { Doors } from '../infra/database/index.js';
import { removeDeadJobs } from '../infra/jobs/index.js';
import { nextTurn, untilNoneIsLeft } from '../infra/turns.js';
import { removeExpiredSessions, removeExpiredVerifications } from './accounts/expired.js';
import { removeOldMeasures } from './boxes/measures.js';
import { removeOldQuotas } from './commands/quota.js';
import { removeOldInteractions } from './interactions/expired.js';
import { removeExpiredInvites } from './invites/expired.js';
import { removeExpiredTimeouts } from './members/kept-timeouts.js';
import { forgetEnforcedNonces } from './messages/nonces.js';
import { removeExpiredSlowModes } from './messages/slow-mode.js';
import { removeLongSpentGrants } from './oauth/expired.js';

/** Removes rows whose time is over, as many as `limit` at most. @returns how many; fewer when there are no more */
type RemoveSome = (db: Doors['writer'], now: number, limit: number) => Promise<number>;

const KINDS: readonly RemoveSome[] = [
  removeExpiredSessions,
  removeExpiredVerifications,
  removeExpiredInvites,
  removeExpiredSlowModes,
  removeExpiredTimeouts,
  removeOldInteractions,
  removeOldQuotas,
  removeOldMeasures,
  removeDeadJobs,
];

/** Does the same as it walks along an index, and yields after each piece. */
type RemoveInPieces = (db: Doors, now: number, limit: number) => AsyncGenerator<void>;

const WALKS: readonly RemoveInPieces[] = [forgetEnforcedNonces, removeLongSpentGrants];

/** How many rows one statement removes: a few milliseconds of SQLite, in which nobody else writes. */
const ROWS_PER_STATEMENT = 200;

/**
 * Removes rows that nothing shows or looks for any more because their time is over, in pieces.
 * @throws the reason of `signal` when that is aborted
 */
export async function removeExpiredRows(db: Doors, clock: Clock, signal: AbortSignal): Promise<void> {
  for (const removeSome of KINDS) {
    await untilNoneIsLeft(signal, async () => {
      const removed = await removeSome(db.writer, clock.now(), ROWS_PER_STATEMENT);
      return removed === ROWS_PER_STATEMENT;
    });
  }
  for (const walk of WALKS) {
    for await (const _piece of walk(db, clock.now(), ROWS_PER_STATEMENT)) {
      await nextTurn();
      signal.throwIfAborted();
    }
  }
}
