const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const LONGEST_MS = 365 * UNITS.d;

/** Converts `10m`, `2h`, `3d` or `1d12h` to milliseconds. Null for other text and outside one minute to 365 days. */
export function parseDelay(text: string): number | null {
  const parts = [
    ...text
      .trim()
      .toLowerCase()
      .replace(/\s+/g, '')
      .matchAll(/(\d{1,6})([mhd])/gy),
  ];
  const length = parts.reduce((sum, [part]) => sum + part.length, 0);
  if (parts.length === 0 || length !== text.replace(/\s+/g, '').length) return null;
  const delay = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS], 0);
  return delay >= UNITS.m && delay <= LONGEST_MS ? delay : null;
}
