/** How long the server has for an answer, in milliseconds. Its own longest wait, for a box, is 12 s. */
const ANSWER_MS = 15_000;

/** The slowest upload that is waited for, in bytes per millisecond. */
const SLOWEST_UPLOAD = 16;

/** `fetch` with a time limit for the whole answer, which grows with what is sent. Rejects with a `TimeoutError`. */
export function fetchInTime(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const stop = new AbortController();
  init.signal?.addEventListener('abort', () => stop.abort());
  const limit = ANSWER_MS + sizeOf(init.body) / SLOWEST_UPLOAD;
  setTimeout(() => stop.abort(new DOMException('No answer came in time.', 'TimeoutError')), limit);
  return fetch(input, { ...init, signal: stop.signal });
}

/** In bytes, roughly. */
function sizeOf(body: RequestInit['body']): number {
  if (typeof body === 'string') return body.length;
  if (!(body instanceof FormData)) return 0;
  return [...body.values()].reduce((sum, value) => sum + (typeof value === 'string' ? value.length : value.size), 0);
}
