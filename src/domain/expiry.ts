/** A day, in milliseconds. */
export const DAY_MS = 86_400_000;

/**
 * Times that are over for a day, before which nothing is removed: another process, whose clock is behind, may still look for what
 * this one's clock says is over.
 * @param now milliseconds since the Unix epoch
 */
export function overForADay(now: number): { lte: Date } {
  return { lte: new Date(now - DAY_MS) };
}
