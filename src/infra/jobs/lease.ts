import type { Clock, Timer } from '../clock.js';
import type { Database } from '../database/index.js';
import { type HeldJob, LEASE_MS, renewJob } from './rows.js';

const RENEW_EVERY_MS = LEASE_MS / 3;

/**
 * Prolongs the lease of a job until it is cancelled.
 * @param lose called once when the job is somebody else's, or may be because the lease could not be prolonged in time
 */
export function keepLease(held: HeldJob, { writer }: Pick<Database, 'writer'>, clock: Clock, lose: () => void): Timer {
  let isOver = false;
  let endsAt = clock.now() + LEASE_MS;
  const renew = async () => {
    const now = clock.now();
    try {
      const isRenewed = await renewJob(writer, held, now);
      endsAt = isRenewed ? now + LEASE_MS : 0;
    } catch {
      // Whoever cannot reach the database hears of it elsewhere (`Outages`); here it is the next attempt that counts.
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
