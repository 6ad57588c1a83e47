import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Clock } from '../../infra/clock.js';
import { parseBounded } from '../../infra/network/bounded-json.js';
import type { Logger } from '../../infra/observability/logger.js';
import { BrokenBody, type CreditLimits } from './broken-body.js';
import { because, type Close, closes } from './closes.js';
import { Heartbeat } from './heartbeat.js';
import { IncomingBodies } from './incoming-bodies.js';
import {
  MAX_PIECE_BYTES,
  MAX_REPEATED_OP,
  MAX_TEXT_BYTES,
  MESSAGE_BOUNDS,
  type Upkeep,
  UpkeepMessage,
} from './messages.js';
import { OutgoingBodies } from './outgoing-bodies.js';
import { PIECE_HEAD_BYTES, readPiece, writePiece } from './pieces.js';

/** Bodies wait while the socket has this many unsent bytes. */
export const BODIES_WAIT_BYTES = 1024 * 1024;

/** If the socket has more unsent bytes, the link closes (docs/relay.md, R-6, 4003). */
export const TOO_SLOW_BYTES = 16 * 1024 * 1024;

export class TooLongMessage extends RangeError {
  override readonly name = 'TooLongMessage';

  constructor(op: string) {
    super(`a message "${op}" is too large to send`);
  }
}

/** Limit before the welcome, while the other end is not authenticated. */
const MAX_GREETING_BYTES = 64 * 1024;

export interface Outlet {
  text(message: string): void;
  bytes(message: Buffer): void;
  /** Starts the closing handshake, with a time limit. Nothing may follow. */
  close(close: Close): void;
  /** Drops the connection without a handshake. */
  cut(): void;
  /** Bytes not yet sent. */
  readonly pending: number;
}

export interface Receiver {
  text(message: Buffer | string): void;
  bytes(message: Buffer): void;
  /** The data is no valid message; the link closes with 4002. */
  unusable(reason: string): void;
  /** Called for parts of messages too. */
  heard(bytes: number): void;
  drained(): void;
  closed(code: number, reason: string): void;
}

export interface LinkEvents<In> {
  /**
   * Not called for messages about the link itself. If it throws, the link closes with 4004.
   * @param bytes size of the message's text
   */
  onMessage(message: In, bytes: number): void;
  /** This end closes the link. Nothing is sent or received afterwards. */
  onEnded?(close: Close): void;
  /** Called once, with the code of the end that closed first, or 1006 if neither did. */
  onClosed(code: number, reason: string): void;
}

export interface LinkParts<In> {
  outlet: Outlet;
  clock: Clock;
  log: Logger;
  /** Union of the other end's messages, by `op`. */
  schema: z.ZodType<In>;
  events: LinkEvents<In>;
}

interface Message {
  op: string;
}

/**
 * One end of a control channel. It does not check the order of messages.
 * `cancel` and `cancelled` stop the sender's own body on that stream.
 */
export class Link<In extends Message, Out extends Message> implements Receiver {
  readonly #heartbeat: Heartbeat;
  readonly #incoming: IncomingBodies;
  readonly #outgoing: OutgoingBodies;
  #greetingBytes = 0;
  #isGreeted = false;
  #isOpen = true;
  #isGone = false;
  #ownClose: Close | null = null;
  #lastFence = 0;
  readonly #fences = new Map<number, { resolve(): void; reject(error: Error): void }>();

  constructor(private readonly parts: LinkParts<In>) {
    const { clock, outlet } = parts;
    this.#heartbeat = new Heartbeat(clock, {
      ask: () => this.#write({ op: 'ping', t: clock.now() }),
      giveUp: () => this.cut(),
    });
    this.#incoming = new IncomingBodies({
      giveCredit: (id, bytes) => this.#write({ op: 'credit', id, bytes }),
      refuse: (reason) => this.#refuse(reason),
    });
    this.#outgoing = new OutgoingBodies({
      get hasCapacity() {
        return outlet.pending < BODIES_WAIT_BYTES;
      },
      send: (piece) => outlet.bytes(writePiece(piece)),
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Does nothing after the link is closed.
   * @throws TooLongMessage
   */
  send(message: Out): void {
    const stream = brokenOffBy(message);
    if (stream !== null) this.#outgoing.stop(stream);
    this.#write(message);
  }

  /**
   * Resolves when everything has arrived that the other end sent before this call's ping reached it.
   * @throws BrokenBody if the link closes first
   */
  catchUp(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) return reject(new BrokenBody('the link is closed'));
      this.#lastFence += 1;
      // Negative, unlike the times in the heartbeat's pings.
      const t = -this.#lastFence;
      this.#fences.set(t, { resolve, reject });
      this.#write({ op: 'ping', t });
    });
  }

  /** Ends the greeting and allows bodies. */
  allow(limits: CreditLimits): void {
    this.#isGreeted = true;
    this.#incoming.allow(limits);
    this.#outgoing.allow(limits);
  }

  /**
   * Call this after the message with the body's length. Resolves when the network was given all of it.
   * @throws BrokenBody if the link closes or the body is stopped. After an error of `pieces`, the caller must cancel
   * the stream.
   */
  sendBody(id: number, pieces: AsyncIterable<Buffer>): Promise<void> {
    return this.#outgoing.send(id, pieces);
  }

  /** Only `cancel` or `cancelled` informs the other end. */
  stopBody(id: number): void {
    this.#outgoing.stop(id);
  }

  /**
   * Call this before `onMessage` returns. Reading or destroying the stream gives credit back.
   * @returns a stream of exactly `length` bytes, which fails with BrokenBody if some are missing
   */
  receiveBody(id: number, length: number): Readable {
    return this.#incoming.expect(id, length);
  }

  dropBody(id: number): void {
    this.#incoming.drop(id);
  }

  end(close: Close): void {
    if (!this.#isOpen) return;
    this.#ownClose = close;
    this.#stop(`the link was closed: ${close.code} ${close.reason}`);
    this.parts.events.onEnded?.(close);
    this.parts.outlet.close(close);
  }

  /** Works during the closing handshake too. */
  cut(): void {
    this.#stop('the link was cut');
    this.parts.outlet.cut();
  }

  text(message: Buffer | string): void {
    if (!this.#isOpen) return;
    this.#heartbeat.heard();
    const bytes = typeof message === 'string' ? Buffer.from(message) : message;
    const value = readMessage(bytes);
    if (value) this.#take(value, bytes.length);
    else this.#refuse('the message is not a JSON object with an op, or is too large');
  }

  bytes(message: Buffer): void {
    if (!this.#isOpen) return;
    this.#heartbeat.heard();
    const piece = message.length <= PIECE_HEAD_BYTES + MAX_PIECE_BYTES ? readPiece(message) : null;
    if (piece) this.#incoming.take(piece);
    else this.#refuse('the binary message is not a body chunk, or is too large');
  }

  unusable(reason: string): void {
    this.#refuse(reason);
  }

  heard(bytes: number): void {
    this.#heartbeat.heard();
    if (this.#isGreeted) return;
    this.#greetingBytes += bytes;
    if (this.#greetingBytes > MAX_GREETING_BYTES) this.#refuse('too much data before the welcome');
  }

  drained(): void {
    this.#outgoing.resume();
  }

  closed(code: number, reason: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#stop(`the link closed: ${code} ${reason}`);
    const close = this.#ownClose ?? { code, reason };
    this.parts.events.onClosed(close.code, close.reason);
  }

  #take(message: Message, bytes: number): void {
    if (isUpkeep(message)) this.#parse(UpkeepMessage, message, (parsed) => this.#keepUp(parsed));
    else this.#parse(this.parts.schema, message, (parsed) => this.#hand(parsed, bytes));
  }

  #parse<Parsed>(schema: z.ZodType<Parsed>, message: Message, use: (parsed: Parsed) => void): void {
    const { success, data, error } = schema.safeParse(message);
    if (success) use(data);
    else if (isUnknownOp(error)) this.#write({ op: 'unknown', was: message.op.slice(0, MAX_REPEATED_OP) });
    else this.#refuse(faultOf(message.op, error));
  }

  #keepUp(message: Upkeep): void {
    if (message.op === 'ping') this.#write({ op: 'pong', t: message.t });
    else if (message.op === 'pong') this.#pass(message.t);
    else if (message.op === 'credit') this.#outgoing.addCredit(message.id, message.bytes);
    else if (message.op === 'unknown') this.parts.log.debug({ was: message.was }, 'The other end does not know an op');
  }

  #pass(t: number): void {
    this.#fences.get(t)?.resolve();
    this.#fences.delete(t);
  }

  #hand(message: In, bytes: number): void {
    const stream = brokenOffBy(message);
    if (stream !== null) this.#incoming.breakOff(stream);
    try {
      this.parts.events.onMessage(message, bytes);
    } catch (error) {
      this.parts.log.error({ err: error, op: message.op }, 'Could not handle a relay message; closing the link');
      this.end(closes.unavailable);
    }
  }

  #write(message: Upkeep | Out): void {
    if (!this.#isOpen) return;
    const { outlet } = this.parts;
    const text = JSON.stringify(message);
    if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw new TooLongMessage(message.op);
    outlet.text(text);
    if (outlet.pending > TOO_SLOW_BYTES) this.end(closes.tooSlow);
  }

  #refuse(reason: string): void {
    this.end(because(closes.unusable, reason));
  }

  #stop(reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#heartbeat.stop();
    const error = new BrokenBody(reason);
    this.#incoming.end(error);
    this.#outgoing.end(error);
    for (const fence of this.#fences.values()) fence.reject(error);
    this.#fences.clear();
  }
}

/** Null if the message stops no body. */
function brokenOffBy(message: Message): number | null {
  if (message.op !== 'cancel' && message.op !== 'cancelled') return null;
  return 'id' in message && typeof message.id === 'number' ? message.id : null;
}

/** Null for invalid text. */
function readMessage(bytes: Buffer): Message | null {
  if (bytes.length > MAX_TEXT_BYTES || !isUtf8(bytes)) return null;
  const value = parseJson(bytes);
  return isMessage(value) ? value : null;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return parseBounded(bytes.toString(), MESSAGE_BOUNDS);
  } catch {
    return null;
  }
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'op' in value && typeof value.op === 'string';
}

function isUpkeep({ op }: Message): boolean {
  return UpkeepMessage.options.some(({ shape }) => shape.op.value === op);
}

function isUnknownOp({ issues }: z.ZodError): boolean {
  return issues.some(({ path }) => path.length === 1 && path[0] === 'op');
}

/** Names the field but never its value. */
function faultOf(op: string, { issues }: z.ZodError): string {
  const [issue] = issues;
  return `${op} ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
}
