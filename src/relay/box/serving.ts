import type { Readable } from 'node:stream';
import type { Clock } from '../../infra/clock.js';
import type { Logger } from '../../infra/observability/logger.js';
import { BrokenBody } from '../protocol/broken-body.js';
import { because, closes } from '../protocol/closes.js';
import type { Link } from '../protocol/link.js';
import { type FromCloud, MAX_PIECE_BYTES, type ToCloud } from '../protocol/messages.js';
import { type Gate, NotBegun } from './bodies.js';
import { ProcessPauseDetector } from './process-pause-detector.js';
import { json, type Outcome, type Result } from './results.js';
import type { BoxWork, Work } from './work.js';

export type CloudLink = Link<FromCloud, ToCloud>;

export interface ServingParts {
  link: CloudLink;
  work: Work;
  clock: Clock;
  log: Logger;
  answerBytes: number;
  /** Maximum number of open streams. */
  requests: number;
}

interface Stream {
  isCancelled: boolean;
  isLate: boolean;
  /** From `performance.now()`. Null before the work begins, and for a stream that joins other work. */
  beganAt: number | null;
}

/** Serves one connection (docs/relay.md, R-20 to R-27). Responses are sent as their work ends. */
export class Serving {
  readonly #open = new Map<number, Stream>();
  readonly #pauses: ProcessPauseDetector;
  #whenIdle: (() => void) | null = null;

  constructor(private readonly parts: ServingParts) {
    this.#pauses = new ProcessPauseDetector(parts.clock, () => parts.link.catchUp());
  }

  /** Call this while handling `message`. */
  begin(message: BoxWork): void {
    const { link, requests } = this.parts;
    if (this.#open.size >= requests || this.#open.has(message.id)) {
      link.end(
        because(closes.unusable, `${message.op} exceeds the limit of open requests or uses a stream that is in use`),
      );
      return;
    }
    const stream: Stream = { isCancelled: false, isLate: false, beganAt: null };
    this.#open.set(message.id, stream);
    // A timer, because changes to the system clock do not affect it.
    const budget = this.parts.clock.after(message.budget_ms, () => {
      stream.isLate = true;
    });
    const hasBody = message.op === 'request' && message.body > 0;
    const body = hasBody ? link.receiveBody(message.id, message.body) : null;
    // The body may break before it has a reader.
    body?.on('error', () => {});
    void this.#serve(message, body, stream)
      .catch((error: unknown) => this.#noteFault(error))
      .finally(() => {
        budget.cancel();
        this.#close(message.id);
      });
  }

  /** */
  cancel(id: number): void {
    const stream = this.#open.get(id);
    if (stream) stream.isCancelled = true;
  }

  stop(): void {
    this.#pauses.stop();
  }

  async idle(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  async #serve(message: BoxWork, body: Readable | null, stream: Stream): Promise<void> {
    const { work } = this.parts;
    await this.#pauses.over();
    const outcome = await work.do(message, body, gateOf(stream));
    // Joined or refused work leaves the body unread.
    body?.destroy();
    await this.#answer(message.id, outcome, tookMsOf(stream));
  }

  async #answer(id: number, { result }: Outcome, tookMs: { took_ms?: number }): Promise<void> {
    const { link } = this.parts;
    if (result === null) return link.send({ op: 'cancelled', id });
    const { status, headers, body } = this.#within(result);
    link.send({ op: 'response', id, status, headers, body: body.length, ...tookMs });
    if (body.length > 0) await link.sendBody(id, piecesOf(body));
  }

  #within(result: Result): Result {
    const { answerBytes, log } = this.parts;
    if (result.body.length <= answerBytes) return result;
    log.warn({ bytes: result.body.length }, 'Response is too large for the cloud');
    return json(500, { message: 'The response is too large.', code: 0 });
  }

  #noteFault(error: unknown): void {
    if (!(error instanceof BrokenBody)) this.parts.log.error({ err: error }, 'Could not send a response to the cloud');
  }

  #close(id: number): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#whenIdle?.();
  }
}

/** */
function gateOf(stream: Stream): Gate {
  return {
    pass() {
      if (stream.isCancelled) throw new NotBegun('cancelled');
      if (stream.isLate) throw new NotBegun('late');
      stream.beganAt = performance.now();
    },
  };
}

/** In milliseconds, rounded to 0.01. Empty if the stream ran no work. */
function tookMsOf({ beganAt }: Stream): { took_ms?: number } {
  return beganAt === null ? {} : { took_ms: Math.round((performance.now() - beganAt) * 100) / 100 };
}

async function* piecesOf(body: Buffer): AsyncIterable<Buffer> {
  for (let at = 0; at < body.length; at += MAX_PIECE_BYTES) yield body.subarray(at, at + MAX_PIECE_BYTES);
}
