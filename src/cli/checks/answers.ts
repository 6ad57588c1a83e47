/** For an answer of an instance. */
export const ANSWER_WITHIN_MS = 5_000;

export interface GatewayAnswer {
  status: number;
  /** The address of the gateway that bots get; null if an instance did not answer. */
  url: string | null;
  /** Time of the server minus time of this process, to the second; null if it sends none. */
  clockOffsetMs: number | null;
  /** Of the rate limit of the caller's address; null without rate limits. */
  limit: { points: number; remaining: number } | null;
}

/**
 * Asks `GET /api/v10/gateway`, which needs no login and names the instance.
 * @throws the error of the connection
 */
export async function askGateway(origin: string, headers: Record<string, string> = {}): Promise<GatewayAnswer> {
  const response = await fetch(`${origin}/api/v10/gateway`, {
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const body: unknown = await response.json().catch(() => null);
  const points = response.headers.get('x-ratelimit-limit');
  return {
    status: response.status,
    url: response.ok ? urlIn(body) : null,
    clockOffsetMs: offsetOf(response.headers.get('date')),
    limit:
      points === null
        ? null
        : { points: Number(points), remaining: Number(response.headers.get('x-ratelimit-remaining')) },
  };
}

/** The middle of the second that the `Date` header names is the best guess. */
const HALF_SECOND_MS = 500;

function offsetOf(date: string | null): number | null {
  return date === null ? null : Date.parse(date) + HALF_SECOND_MS - Date.now();
}

function urlIn(body: unknown): string | null {
  const isGateway = typeof body === 'object' && body !== null && 'url' in body && typeof body.url === 'string';
  return isGateway ? String(body.url) : null;
}
