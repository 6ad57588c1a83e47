import type { ErrorDescription } from '../../src/sandbox/protocol.js';

/** Sends requests to the control API. */
export class Control {
  /** @param token of the control API */
  constructor(private readonly token: string) {}

  /**
   * @param path below `/sandbox`
   * @throws {Error} whose message says why it was refused
   */
  async request<Answer>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    { body, signal }: { body?: object; signal?: AbortSignal } = {},
  ): Promise<Answer> {
    const response = await fetch(`/sandbox${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body ? JSON.stringify(body) : null,
      signal: signal ?? null,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(messageIn(text) ?? `The sandbox answered with ${response.status}.`);
    return JSON.parse(text || 'null');
  }
}

function messageIn(text: string): string | null {
  try {
    const { message }: ErrorDescription = JSON.parse(text);
    return message;
  } catch {
    return null;
  }
}
