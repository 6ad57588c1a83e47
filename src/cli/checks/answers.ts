/** For an answer of an instance. */
export const ANSWER_WITHIN_MS = 5_000;

export interface GatewayAnswer {
  status: number;
  /** The address of the gateway that the instance tells bots; null if an instance did not answer. */
  url: string | null;
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
    limit:
      points === null
        ? null
        : { points: Number(points), remaining: Number(response.headers.get('x-ratelimit-remaining')) },
  };
}

function urlIn(body: unknown): string | null {
  const isGateway = typeof body === 'object' && body !== null && 'url' in body && typeof body.url === 'string';
  return isGateway ? String(body.url) : null;
}
