import type { Clock } from '../infra/clock.js';
import type { Limit, LimitState, RateLimits } from '../infra/rate-limits.js';

interface Window {
  used: number;
  endsAt: number;
}

/** Ended windows are removed when there are this many. */
const MANY_WINDOWS = 10_000;

/** Like the limits of the service, but windows end by `clock`. */
export function createClockedRateLimits(clock: Clock): RateLimits {
  let windows = new Map<string, Window>();
  const current = (limit: Limit, key: string) => {
    const window = windows.get(`${limit.name}:${key}`);
    return window && window.endsAt > clock.now() ? window : null;
  };
  const open = (limit: Limit, key: string): Window => {
    if (windows.size >= MANY_WINDOWS) windows = new Map([...windows].filter(([, { endsAt }]) => endsAt > clock.now()));
    const window = { used: 0, endsAt: clock.now() + limit.seconds * 1_000 };
    windows.set(`${limit.name}:${key}`, window);
    return window;
  };
  const add = (limit: Limit, key: string, points: number) => {
    const window = current(limit, key) ?? open(limit, key);
    window.used += points;
    return window;
  };
  const stateOf = ({ points, seconds }: Limit, { used, endsAt }: Window, most: number): LimitState => ({
    allowed: used <= most,
    limit: points,
    remaining: Math.min(Math.max(0, points - used), points),
    resetAfterMs: Math.min(endsAt - clock.now(), seconds * 1_000),
  });
  return {
    take: async (limit, key, points = 1) => stateOf(limit, add(limit, key, points), limit.points),
    giveBack: async (limit, key, points = 1) => void add(limit, key, -points),
    async peek(limit, key) {
      const window = current(limit, key);
      if (!window) return { allowed: true, limit: limit.points, remaining: limit.points, resetAfterMs: 0 };
      return stateOf(limit, window, limit.points - 1);
    },
  };
}
