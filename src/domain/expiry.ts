export const DAY_MS = 86_400_000;

/**
 * Expired rows stay for a day, because the clock of another process may be behind.
 * @param now milliseconds since the Unix epoch
 */
export function overForADay(now: number): { lte: Date } {
  return { lte: new Date(now - DAY_MS) };
}
