import { setTimeout } from 'node:timers/promises';

/** The first and the longest delay between two checks, in milliseconds. */
const [FIRST_MS, LONGEST_MS] = [5, 50];

/** Settles when a condition holds that has no event. Only the time limit of the test ends the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let pause = FIRST_MS; !(await holds()); pause = Math.min(pause * 2, LONGEST_MS)) await setTimeout(pause);
}
