/** Base time limit, in milliseconds. The server's own longest wait, for a box, is 12 s. */
const ANSWER_MS = 15_000;

/** In bytes per millisecond. */
const SLOWEST_UPLOAD = 16;

/** Limits the time of the whole response, plus time for the upload. Rejects with a `TimeoutError`. */
export function fetchInTime(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const stop = new AbortController();
  init.signal?.addEventListener('abort', () => stop.abort());
  const limit = ANSWER_MS + sizeOf(init.body) / SLOWEST_UPLOAD;
  setTimeout(() => stop.abort(new DOMException('The server did not respond in time.', 'TimeoutError')), limit);
  return fetch(input, { ...init, signal: stop.signal });
}

/** Returns the approximate size in bytes. */
function sizeOf(body: RequestInit['body']): number {
  if (typeof body === 'string') return body.length;
  if (!(body instanceof FormData)) return 0;
  return [...body.values()].reduce((sum, value) => sum + (typeof value === 'string' ? value.length : value.size), 0);
}
