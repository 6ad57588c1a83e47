import type { Clock } from '../infra/clock.js';
import { drainInBatches, yieldToEventLoop } from '../infra/concurrency/event-loop.js';
import type { ReaderAndWriter } from '../infra/database/index.js';
import { removeDeadJobs } from '../infra/jobs/index.js';
import { removeExpiredSessions, removeExpiredVerifications } from './accounts/expired.js';
import { removeOldMeasures } from './boxes/measures.js';
import { removeOldQuotas } from './commands/quota.js';
import { removeOldInteractions } from './interactions/expired.js';
import { removeExpiredInvites } from './invites/expired.js';
import { removeExpiredTimeouts } from './members/kept-timeouts.js';
import { forgetEnforcedNonces } from './messages/nonces.js';
import { removeExpiredSlowModes } from './messages/slow-mode.js';
import { removeLongSpentGrants } from './oauth/expired.js';
import { removeEndedInvitations } from './operators/expired.js';
import { removeExpiredPersonalTokens } from './personal-tokens/expired.js';
import { removeAnsweredInvitations } from './teams/expired.js';
import { removeDeletedWebhooks } from './webhooks/expired.js';

/** @returns number of removed rows, less than `limit` if there are no more */
type RemoveSome = (db: ReaderAndWriter['writer'], now: number, limit: number) => Promise<number>;

const KINDS: readonly RemoveSome[] = [
  removeExpiredSessions,
  removeExpiredVerifications,
  removeExpiredPersonalTokens,
  removeExpiredInvites,
  removeAnsweredInvitations,
  removeEndedInvitations,
  removeExpiredSlowModes,
  removeExpiredTimeouts,
  removeOldInteractions,
  removeOldQuotas,
  removeOldMeasures,
  removeDeadJobs,
];

/** Walks along an index and yields after each batch. */
type RemoveInPieces = (db: ReaderAndWriter, now: number, limit: number) => AsyncGenerator<void>;

const WALKS: readonly RemoveInPieces[] = [forgetEnforcedNonces, removeLongSpentGrants, removeDeletedWebhooks];

/** SQLite removes these in a few milliseconds, during which other writes wait. */
const ROWS_PER_STATEMENT = 200;

/** @throws the reason of `signal` when it is aborted */
export async function removeExpiredRows(db: ReaderAndWriter, clock: Clock, signal: AbortSignal): Promise<void> {
  for (const removeSome of KINDS) {
    await drainInBatches(signal, async () => {
      const removed = await removeSome(db.writer, clock.now(), ROWS_PER_STATEMENT);
      return removed === ROWS_PER_STATEMENT;
    });
  }
  for (const walk of WALKS) {
    for await (const _piece of walk(db, clock.now(), ROWS_PER_STATEMENT)) {
      await yieldToEventLoop();
      signal.throwIfAborted();
    }
  }
}
