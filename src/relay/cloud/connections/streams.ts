import type { Readable } from 'node:stream';
import type { Clock, Timer } from '../../../infra/clock.js';
import type { Release } from '../../../infra/concurrency/semaphore.js';
import { BrokenBody } from '../../protocol/broken-body.js';
import { type Link, TooLongMessage } from '../../protocol/link.js';
import type { FromBox, ToBox } from '../../protocol/messages.js';
import { type BoxAnswer, BoxError, type CallOptions, type ForwardedBody } from '../forwarding/transport.js';
import type { BoxResponseQuota } from './response-quota.js';

/** See docs/relay.md, R-24. */
export const MAX_REQUESTS = 256;

/** */
export const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

const MAX_STREAM_ID = 0xffff_ffff;

type Response = Extract<FromBox, { op: 'response' }>;
type RequestOrCall = Extract<ToBox, { op: 'request' | 'call' }>;

export type Opening = {
  [Op in RequestOrCall['op']]: Omit<Extract<RequestOrCall, { op: Op }>, 'id' | 'budget_ms' | 'key'>;
}[RequestOrCall['op']];

/** The caller of a stream; null after it stops waiting. */
interface Waiting {
  settle(answer: BoxAnswer): void;
  fail(error: BoxError): void;
  timer: Timer;
}

interface Stream {
  waiting: Waiting | null;
  isAnswered: boolean;
  isSending: boolean;
}

/**
 * The streams of one connection (docs/relay.md, R-20 to R-27). After a timeout, a stream stays in use until the box
 * releases it.
 */
export class Streams {
  readonly #open = new Map<number, Stream>();
  #lastId = 0;
  #isLost = false;
  #onEmpty: () => void = () => {};

  constructor(
    private readonly link: Link<FromBox, ToBox>,
    private readonly clock: Clock,
    private readonly quota: BoxResponseQuota,
  ) {}

  /** @throws BoxError, errors of reading the body */
  async ask(opening: Opening, body: ForwardedBody | null, { budgetMs, key }: CallOptions): Promise<BoxAnswer> {
    if (this.#isLost) throw new BoxError('offline', 'the connection was lost');
    if (this.#open.size >= MAX_REQUESTS) throw new BoxError('crowded', `${MAX_REQUESTS} requests are open`);
    const id = this.#nextId();
    try {
      this.link.send({ ...opening, id, budget_ms: budgetMs, key });
    } catch (error) {
      if (error instanceof TooLongMessage) throw new BoxError('tooLong', error.message);
      throw error;
    }
    const answered = this.#answerTo(id, budgetMs);
    if (body === null || body.size === 0) return answered;
    return Promise.race([answered, this.#sendBody(id, body)]);
  }

  /** @returns false if no unanswered stream has this number */
  receive(response: Response): boolean {
    const stream = this.#open.get(response.id);
    if (!stream || stream.isAnswered) return false;
    stream.isAnswered = true;
    // The box does not want the rest of the body, which would wait for credit.
    if (stream.isSending) this.link.send({ op: 'cancel', id: response.id });
    const release = this.#admit(response, stream);
    const body = response.body > 0 ? this.link.receiveBody(response.id, response.body) : null;
    void this.#read(response, stream, body).finally(release ?? (() => {}));
    return true;
  }

  /** If the response is unusable or exceeds the quota, the caller gets an error. */
  #admit(response: Response, { waiting }: Stream): Release | null {
    if (!waiting) return null;
    const fault = faultOf(response);
    if (fault !== null) {
      waiting.fail(new BoxError('undecodable', fault));
      return null;
    }
    const release = this.quota.take(response.body);
    if (!release)
      waiting.fail(new BoxError('overfull', `there is no memory left for a response of ${response.body} bytes`));
    return release;
  }

  /** The box has released a cancelled stream. */
  letGo(id: number): void {
    const stream = this.#open.get(id);
    if (stream && !stream.waiting && !stream.isAnswered) this.#close(id);
  }

  /** The outcome of open requests is unknown. */
  lose(why = new BoxError('timeout', 'the connection was lost before the box responded')): void {
    this.#isLost = true;
    for (const { waiting } of this.#open.values()) waiting?.fail(why);
    this.#open.clear();
    this.#onEmpty();
  }

  async whenIdle(): Promise<void> {
    while (!this.#isIdle()) {
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
    }
  }

  #isIdle(): boolean {
    return [...this.#open.values()].every(({ waiting }) => waiting === null);
  }

  #nextId(): number {
    do this.#lastId = this.#lastId === MAX_STREAM_ID ? 1 : this.#lastId + 1;
    while (this.#open.has(this.#lastId));
    return this.#lastId;
  }

  #answerTo(id: number, budgetMs: number): Promise<BoxAnswer> {
    return new Promise((resolve, reject) => {
      const stream: Stream = { waiting: null, isAnswered: false, isSending: false };
      const timer = this.clock.after(budgetMs, () => this.#expire(id, stream));
      const over = () => {
        timer.cancel();
        stream.waiting = null;
        this.#onEmpty();
      };
      const settle = (answer: BoxAnswer) => {
        over();
        resolve(answer);
      };
      const fail = (error: BoxError) => {
        over();
        reject(error);
      };
      stream.waiting = { settle, fail, timer };
      this.#open.set(id, stream);
    });
  }

  /** Never resolves. Rejects if the body cannot be read. */
  async #sendBody(id: number, body: ForwardedBody): Promise<never> {
    const stream = this.#open.get(id);
    if (stream) stream.isSending = true;
    try {
      await this.link.sendBody(id, body.read());
      if (stream) stream.isSending = false;
    } catch (error) {
      if (!(error instanceof BrokenBody)) {
        const { waiting } = this.#open.get(id) ?? {};
        if (waiting) this.#cancel(id, waiting, new BoxError('offline', 'the body could not be read', { cause: error }));
        throw error;
      }
    }
    return new Promise<never>(() => {});
  }

  /** If the response is arriving, the stream stays in use. */
  #expire(id: number, { waiting, isAnswered }: Stream): void {
    const late = new BoxError('timeout', 'the box did not respond in time');
    if (!waiting) return;
    if (isAnswered) waiting.fail(late);
    else this.#cancel(id, waiting, late);
  }

  #cancel(id: number, waiting: Waiting, error: BoxError): void {
    this.link.send({ op: 'cancel', id });
    waiting.fail(error);
  }

  /** Only a complete response frees the stream's number. */
  async #read(response: Response, stream: Stream, body: Readable | null): Promise<void> {
    const { id, status, headers, took_ms } = response;
    try {
      const whole = await readWhile(() => stream.waiting !== null, body);
      stream.waiting?.settle({ status, retryAfter: retryAfterOf(headers), tookMs: took_ms ?? null, body: whole });
    } catch {
      // If the link closed, the caller gets the link's own error.
      if (this.link.isOpen) stream.waiting?.fail(new BoxError('undecodable', 'a response that was interrupted'));
    }
    this.#close(id);
  }

  #close(id: number): void {
    this.#open.delete(id);
    this.#onEmpty();
  }
}

/**
 * Discards the body if no caller waits any more.
 * @throws BrokenBody
 */
async function readWhile(isWanted: () => boolean, body: Readable | null): Promise<Buffer> {
  let pieces: Buffer[] = [];
  for await (const piece of body ?? []) {
    if (isWanted()) pieces.push(piece);
    else pieces = [];
  }
  return Buffer.concat(pieces);
}

/** Null if the response can be passed on. */
function faultOf({ status, body }: Response): string | null {
  if (body > MAX_ANSWER_BYTES) return `a response of ${body} bytes`;
  // A library would drop its token on a 401.
  const isUsable = status >= 200 && status <= 599 && status !== 401 && !(status >= 300 && status <= 399);
  return isUsable ? null : `a response with status ${status}`;
}

function retryAfterOf(headers: Record<string, string>): number | null {
  const [, text] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after') ?? [];
  if (text === undefined || !/^\d{1,9}(\.\d{1,9})?$/.test(text)) return null;
  return Number(text);
}
