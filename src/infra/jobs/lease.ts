import type { Clock, Timer } from '../clock.js';
import { isUnavailable } from '../database/faults.js';
import type { Database } from '../database/index.js';
import type { Logger } from '../observability/logger.js';
import { type HeldJob, LEASE_MS, nameOf, renewJob } from './rows.js';

const RENEW_EVERY_MS = LEASE_MS / 3;

interface LeaseParts {
  db: Pick<Database, 'writer'>;
  clock: Clock;
  log: Logger;
}

/** @param lose called once if another process has the job, or may have it after a late renewal */
export function keepLease(held: HeldJob, { db, clock, log }: LeaseParts, lose: () => void): Timer {
  let isOver = false;
  let endsAt = clock.now() + LEASE_MS;
  const renew = async () => {
    const now = clock.now();
    try {
      const isRenewed = await renewJob(db.writer, held, now);
      endsAt = isRenewed ? now + LEASE_MS : 0;
    } catch (error) {
      // `Outages` logs an unavailable database. The next renewal may succeed.
      if (!isUnavailable(error)) log.error({ err: error, ...nameOf(held) }, 'Could not renew the lease of a job');
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
