import type { ErrorDescription } from '../sandbox/protocol.js';

/** Where a sandbox is, and the token of its control API. */
export interface ControlAddress {
  /** Such as `http://localhost:4000/sandbox`. */
  url: string;
  token: string;
}

/**
 * The sandbox refused a request, or the bot did not do in time what the test waits for. The message says why. `code` is
 * that of the platform, such as `MISSING_PERMISSIONS`, or of the sandbox, such as `NO_ANSWER`.
 */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';

  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
    readonly fields: NonNullable<ErrorDescription['fields']>,
  ) {
    super(message);
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Query = Readonly<Record<string, string | number | undefined>>;

/** Sends requests to the control API. */
export class Control {
  constructor(readonly address: ControlAddress) {}

  /** @returns JSON, or a text of another type. @throws SandboxError */
  async request<Result>(method: Method, path: string, body?: object | string, query: Query = {}): Promise<Result> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
    const response = await fetch(`${this.address.url}${path}?${search}`, {
      method,
      headers: { authorization: `Bearer ${this.address.token}`, ...contentType(body) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return (text === '' ? undefined : isJson(response) ? JSON.parse(text) : text) as Result;
    throw refusal(response.status, text);
  }
}

function isJson({ headers }: Response): boolean {
  return /^application\/json\b/.test(headers.get('content-type') ?? '');
}

/** A text is YAML. */
function contentType(body: object | string | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { 'content-type': typeof body === 'string' ? 'application/yaml' : 'application/json' };
}

function refusal(status: number, text: string): SandboxError {
  try {
    const { message, code, fields = [], transcript } = JSON.parse(text) as ErrorDescription;
    return new SandboxError(transcript ? `${message}\n\n${transcript}` : message, code, status, fields);
  } catch {
    return new SandboxError(`The sandbox answered ${status}: ${text.slice(0, 200)}`, 'INVALID_RESPONSE', status, []);
  }
}

/** A part of a path. */
export function segment(text: string): string {
  return encodeURIComponent(text);
}
