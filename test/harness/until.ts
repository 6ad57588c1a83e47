import { setImmediate } from 'node:timers/promises';

/** Settles once something is so that nobody tells of; the test's own time limit ends the wait. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setImmediate();
}
