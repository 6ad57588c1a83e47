import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { parseBounded } from '../../infra/bounded-json.js';
import type { Clock } from '../../infra/clock.js';
import type { Logger } from '../../infra/logger.js';
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

/** Bodies wait while so many bytes wait for the network. */
export const BODIES_WAIT_BYTES = 1024 * 1024;

/** An end for which more bytes than this wait is too slow (docs/relay.md, R-6, 4003). */
export const TOO_SLOW_BYTES = 16 * 1024 * 1024;

/** A message that is longer than one may be. */
export class TooLongMessage extends RangeError {
  override readonly name = 'TooLongMessage';

  constructor(op: string) {
    super(`a message "${op}" is too long to send`);
  }
}

/** The most an end sends before the welcome, in bytes: somebody who showed no key yet. */
const MAX_GREETING_BYTES = 64 * 1024;

/** What a link writes to. */
export interface Outlet {
  text(message: string): void;
  /** A binary message. */
  bytes(message: Buffer): void;
  /** Starts the closing handshake; nothing is written after it. Who does not answer it is cut off within some seconds. */
  close(close: Close): void;
  /** Drops the connection without a handshake. */
  cut(): void;
  /** Bytes that the network has not taken yet. */
  readonly pending: number;
}

/** What is told of a connection. */
export interface Receiver {
  text(message: Buffer | string): void;
  /** A binary message. */
  bytes(message: Buffer): void;
  /** Something arrived that is no message: the link is closed (4002). */
  unusable(reason: string): void;
  /** So many bytes arrived, be it a part of a message. */
  heard(bytes: number): void;
  /** The network has taken everything. */
  drained(): void;
  /** The connection is gone. */
  closed(code: number, reason: string): void;
}

export interface LinkEvents<In> {
  /**
   * A message that is not about the link itself. What this throws ends the link (4004).
   * @param bytes how long its text was
   */
  onMessage(message: In, bytes: number): void;
  /** This end closes the link: nothing more is sent or heard. */
  onEnded?(close: Close): void;
  /** The connection is gone: once, with the code of whichever end closed it first, and 1006 where none did. */
  onClosed(code: number, reason: string): void;
}

export interface LinkParts<In> {
  outlet: Outlet;
  clock: Clock;
  log: Logger;
  /** A union by `op` of what the other end may send. */
  schema: z.ZodType<In>;
  events: LinkEvents<In>;
}

interface Message {
  op: string;
}

/**
 * One end of a control channel: messages, bodies with credit, and the heartbeat. It knows no socket, and which
 * messages follow on which is none of its business. `cancel` and `cancelled` break off the body that their sender sends on the
 * stream: nothing of it is sent after them, and reading it fails.
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
      get hasRoom() {
        return outlet.pending < BODIES_WAIT_BYTES;
      },
      send: (piece) => outlet.bytes(writePiece(piece)),
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Does nothing once the link is closed.
   * @throws TooLongMessage, of which nothing is sent
   */
  send(message: Out): void {
    const stream = brokenOffBy(message);
    if (stream !== null) this.#outgoing.stop(stream);
    this.#write(message);
  }

  /**
   * Settles once everything is here that the other end sent before it heard of this: what it took back by then, too.
   * @throws BrokenBody when the link closes first
   */
  catchUp(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) return reject(new BrokenBody('the link is closed'));
      this.#lastFence += 1;
      // No time, so that no ping of the heartbeat has the same number.
      const t = -this.#lastFence;
      this.#fences.set(t, { resolve, reject });
      this.#write({ op: 'ping', t });
    });
  }

  /** The greeting is over: from here on bodies go in both directions. */
  allow(limits: CreditLimits): void {
    this.#isGreeted = true;
    this.#incoming.allow(limits);
    this.#outgoing.allow(limits);
  }

  /**
   * Sends a body, after the message that announced its length. Settles when everything was handed to the network.
   * @throws BrokenBody when the link closes, or the body is stopped; what reading `pieces` throws, after which the stream is to be cancelled
   */
  sendBody(id: number, pieces: AsyncIterable<Buffer>): Promise<void> {
    return this.#outgoing.send(id, pieces);
  }

  /** Sends nothing more of a body. The other end only learns it from `cancel` or `cancelled`. */
  stopBody(id: number): void {
    this.#outgoing.stop(id);
  }

  /**
   * A body that the message at hand announced; to be called before `onMessage` returns. Credit goes back as it is read, and for what
   * is left when the stream is destroyed.
   * @returns a stream of exactly `length` bytes, which fails with BrokenBody when not all of them come
   */
  receiveBody(id: number, length: number): Readable {
    return this.#incoming.expect(id, length);
  }

  /** Nobody reads the body any more: what still comes of it is thrown away. */
  dropBody(id: number): void {
    this.#incoming.drop(id);
  }

  /** Closes the link. */
  end(close: Close): void {
    if (!this.#isOpen) return;
    this.#ownClose = close;
    this.#stop(`the link was closed: ${close.code} ${close.reason}`);
    this.parts.events.onEnded?.(close);
    this.parts.outlet.close(close);
  }

  /** Drops the connection, also one that is being closed. */
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
    else this.#refuse('no JSON object with an op, or too long a one');
  }

  bytes(message: Buffer): void {
    if (!this.#isOpen) return;
    this.#heartbeat.heard();
    const piece = message.length <= PIECE_HEAD_BYTES + MAX_PIECE_BYTES ? readPiece(message) : null;
    if (piece) this.#incoming.take(piece);
    else this.#refuse('no piece of a body, or too long a one');
  }

  unusable(reason: string): void {
    this.#refuse(reason);
  }

  heard(bytes: number): void {
    this.#heartbeat.heard();
    if (this.#isGreeted) return;
    this.#greetingBytes += bytes;
    if (this.#greetingBytes > MAX_GREETING_BYTES) this.#refuse('too much before the welcome');
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
    else if (message.op === 'unknown') this.parts.log.debug({ was: message.was }, 'the other end does not know an op');
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
      this.parts.log.error({ err: error, op: message.op }, 'a message of the relay could not be handled');
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

/** The stream whose body the sender of a message breaks off with it; null for any other message. */
function brokenOffBy(message: Message): number | null {
  if (message.op !== 'cancel' && message.op !== 'cancelled') return null;
  return 'id' in message && typeof message.id === 'number' ? message.id : null;
}

/** The message that text is; null for what cannot be used. */
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

/** Whether the fault is that no message has this `op`, which is text. */
function isUnknownOp({ issues }: z.ZodError): boolean {
  return issues.some(({ path }) => path.length === 1 && path[0] === 'op');
}

/** Names the field, and no value. */
function faultOf(op: string, { issues }: z.ZodError): string {
  const [issue] = issues;
  return `${op} ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
}
