export interface TooManyRequests {
  status: 429;
  headers: Record<string, string>;
  body: { message: string; code: number; retry_after: number; global: boolean };
}

interface Words {
  message: string;
  code: number;
  /** `global` if all requests have to wait. */
  scope: 'user' | 'global';
}

/** Discord docs, Rate Limits. */
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
      // Without `Via`, discord.py blames a proxy and fails instead of waiting.
      via: '1.1 causeway',
    },
    body: { message, code, retry_after: Number(seconds.toFixed(3)), global },
  };
}
