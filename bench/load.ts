import { Agent, request } from 'node:http';

export interface RequestSpec {
  url: string;
  method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  headers?: Record<string, string>;
  body?: string;
}

/** A number of callers. Each sends its next request when the last is answered. */
export class Load {
  readonly #agent: Agent;

  constructor(readonly callers: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: callers });
  }

  /**
   * Keeps all callers busy for `seconds`.
   * @returns the number of answered requests, in all and per second
   * @throws if any response is not a success
   */
  run(spec: RequestSpec, seconds: number): Promise<{ answered: number; rate: number }> {
    return this.repeat(() => this.once(spec), seconds);
  }

  /** Like {@link run}, for another task. */
  async repeat(task: () => Promise<unknown>, seconds: number): Promise<{ answered: number; rate: number }> {
    const start = performance.now();
    const end = start + seconds * 1_000;
    let answered = 0;
    const caller = async () => {
      while (performance.now() < end) {
        await task();
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: this.callers }, caller));
    return { answered, rate: (answered * 1_000) / (performance.now() - start) };
  }

  /** Sends `count` requests in all, without a result. */
  warmUp(spec: RequestSpec, count: number): Promise<void> {
    return this.warmUpWith(() => this.once(spec), count);
  }

  /** Like {@link warmUp}, for another task. */
  async warmUpWith(task: () => Promise<unknown>, count: number): Promise<void> {
    let left = count;
    const caller = async () => {
      for (; left > 0; left -= 1) await task();
    };
    await Promise.all(Array.from({ length: this.callers }, caller));
  }

  /**
   * Sends one request.
   * @returns its body
   * @throws if the response is not a success
   */
  async once(spec: RequestSpec): Promise<string> {
    const { status, body } = await this.ask(spec);
    if (Math.floor(status / 100) === 2) return body;
    throw new Error(`${spec.method} ${spec.url} answered ${status}: ${body.slice(0, 300)}`);
  }

  /** Sends one request. Any response is valid. */
  ask(spec: RequestSpec): Promise<{ status: number; body: string }> {
    return send(this.#agent, spec);
  }

  close(): void {
    this.#agent.destroy();
  }
}

function send(
  agent: Agent,
  { url, method, headers = {}, body }: RequestSpec,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const length: Record<string, string> =
      body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(url, { agent, method, headers: { ...headers, ...length } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
