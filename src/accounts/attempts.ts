import type { AppContext } from '../context.js';
import { DomainError } from '../domain/errors.js';
import type { Limit } from '../infra/rate-limits.js';

/** Counts an attempt from a network address. @throws RATE_LIMITED */
export async function takeAttempt(app: AppContext, limit: Limit, address: string): Promise<void> {
  const { allowed, resetAfterMs } = await app.limits.take(limit, address);
  if (allowed) return;
  throw new DomainError('RATE_LIMITED', `Too many attempts; try again in ${Math.ceil(resetAfterMs / 1000)} s.`, {
    retryAfterMs: resetAfterMs,
  });
}
