const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

type Unit = keyof typeof UNITS_MS;

/** Milliseconds, or such as `500ms`, `90s`, `15m`, `2h` and `30d`. */
export type Duration = number | `${number}${Unit}`;

/**
 * @returns whole milliseconds
 * @throws {RangeError} for anything else, and for a negative duration
 */
export function parseDuration(duration: Duration | (string & {})): number {
  const ms = typeof duration === 'number' ? duration : millisecondsOf(duration);
  if (Number.isFinite(ms) && ms >= 0) return Math.round(ms);
  throw new RangeError(
    `${JSON.stringify(duration)} is not a duration: write a number and a unit (ms, s, m, h or d), such as "90s" or "15m", or a number of milliseconds`,
  );
}

function millisecondsOf(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return unit === undefined ? Number.NaN : Number(amount) * UNITS_MS[unit as Unit];
}
