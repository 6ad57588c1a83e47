/** The answer to somebody who asks too often. */
export interface TooManyRequests {
  status: 429;
  headers: Record<string, string>;
  body: { message: string; code: number; retry_after: number; global: boolean };
}

/** What it says beside the time. */
interface Words {
  message: string;
  code: number;
  /** Whether all requests have to wait, or only those of the same kind. */
  scope: 'user' | 'global';
}

/**
 * The answer to somebody who asks too often (Discord's documentation, Rate Limits).
 * @param resetAfterMs when to ask again
 */
export function tooManyRequests(
  resetAfterMs: number,
  { message = 'You are being rate limited.', code = 0, scope = 'user' }: Partial<Words>,
): TooManyRequests {
  const seconds = Math.max(resetAfterMs, 1) / 1000;
  const global = scope === 'global';
  return {
    status: 429,
    headers: {
      'retry-after': String(Math.ceil(seconds)),
      'x-ratelimit-scope': scope,
      ...(global ? { 'x-ratelimit-global': 'true' } : {}),
      // discord.py takes a 429 without it for one of a proxy in between, and fails rather than wait.
      via: '1.1 causeway',
    },
    body: { message, code, retry_after: Number(seconds.toFixed(3)), global },
  };
}
