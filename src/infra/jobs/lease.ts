import type { Clock, Timer } from '../clock.js';
import { isUnavailable } from '../database/faults.js';
import type { Database } from '../database/index.js';
import type { Logger } from '../logger.js';
import { type HeldJob, LEASE_MS, nameOf, renewJob } from './rows.js';

const RENEW_EVERY_MS = LEASE_MS / 3;

interface LeaseParts {
  db: Pick<Database, 'writer'>;
  clock: Clock;
  log: Logger;
}

/**
 * Prolongs the lease of a job until it is cancelled.
 * @param lose called once when the job is somebody else's, or may be because the lease could not be prolonged in time
 */
export function keepLease(held: HeldJob, { db, clock, log }: LeaseParts, lose: () => void): Timer {
  let isOver = false;
  let endsAt = clock.now() + LEASE_MS;
  const renew = async () => {
    const now = clock.now();
    try {
      const isRenewed = await renewJob(db.writer, held, now);
      endsAt = isRenewed ? now + LEASE_MS : 0;
    } catch (error) {
      // Whoever cannot reach the database hears of it elsewhere (`Outages`); here it is the next attempt that counts.
      if (!isUnavailable(error))
        log.error({ err: error, ...nameOf(held) }, 'the lease of a job could not be prolonged');
    }
    if (isOver) return;
    if (clock.now() < endsAt) timer = clock.after(RENEW_EVERY_MS, () => void renew());
    else lose();
  };
  let timer = clock.after(RENEW_EVERY_MS, () => void renew());
  return {
    cancel() {
      isOver = true;
      timer.cancel();
    },
  };
}
