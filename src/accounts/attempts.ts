import type { AppContext } from '../context.js';
import { takeLimit } from '../domain/rate-limits.js';
import type { Limit } from '../infra/rate-limits.js';

/** Counts an attempt under `key`: a network address, or a person. @throws RATE_LIMITED */
export async function takeAttempt(app: AppContext, limit: Limit, key: string): Promise<void> {
  await takeLimit(app, limit, key, (seconds) => `Too many attempts; try again in ${seconds} s.`);
}
