import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { DomainError, invalidInput, TRY_AGAIN_MS } from '../domain/errors.js';
import { isInTooManyPieces } from '../infra/body-pieces.js';
import { Counts } from '../infra/counts.js';
import type { Release } from '../infra/slots.js';
import { charsetOf, decodeText, requireUncompressed } from './text.js';

/** Bytes of bodies that are held in memory at once, of one sender and of all together. */
const HELD_PER_SENDER = 32 * 1024 * 1024;
const HELD_IN_ALL = 256 * 1024 * 1024;
/** What a sender may hold however much all others do: one usual request is received even where a crowd keeps the rest full. */
const RESERVED_PER_SENDER = 1024 * 1024;

/** Forms with files that one sender may be sending at once. */
const FORMS_PER_SENDER = 5;

/** One body's share of the memory that all bodies may take. */
export interface HeldBody {
  /** Counts bytes that have arrived. @throws RATE_LIMITED when this sender holds too much, OVERLOADED when all together do */
  add(bytes: number): void;
  /** Gives everything back. Safe to call more than once. */
  release(): void;
}

/**
 * What requests hold while they are received. A slow sender keeps what it has sent so far; so the sum has a bound, for each
 * sender (`countedAs`) and for all of them.
 */
export class Bodies {
  readonly #held = new Counts();
  readonly #forms = new Counts();

  /** Begins a body of a sender's. */
  hold(sender: string): HeldBody {
    let size = 0;
    return {
      add: (bytes) => {
        const ofSender = this.#held.of(sender) + bytes;
        if (ofSender > HELD_PER_SENDER) throw tooMuchAtOnce();
        if (this.#held.sum + bytes > HELD_IN_ALL && ofSender > RESERVED_PER_SENDER) throw tooMuchInAll();
        size += bytes;
        this.#held.add(sender, bytes);
      },
      release: () => {
        this.#held.add(sender, -size);
        size = 0;
      },
    };
  }

  /** Begins a form with files. @returns what ends it @throws RATE_LIMITED when the sender is sending too many already */
  beginForm(sender: string): Release {
    if (this.#forms.of(sender) >= FORMS_PER_SENDER) throw tooMuchAtOnce();
    return this.#forms.take(sender);
  }
}

function tooMuchInAll(): DomainError {
  const message = 'Too much is being sent to this server at the moment; try again soon.';
  return new DomainError('OVERLOADED', message, { retryAfterMs: TRY_AGAIN_MS });
}

function tooMuchAtOnce(): DomainError {
  const message = 'You are sending too much at once; try again when some of it has arrived.';
  return new DomainError('RATE_LIMITED', message, { retryAfterMs: TRY_AGAIN_MS });
}

/** A body, with the headers that say how it is encoded. */
export interface BodySource {
  headers: IncomingHttpHeaders;
  stream: Readable;
}

/**
 * Reads a body as text, in UTF-8 unless its `Content-Type` or a byte order mark names another charset.
 * @throws INVALID_INPUT for a compressed body and for text that cannot be decoded, and what `readBytes` throws
 */
export async function readText({ headers, stream }: BodySource, maxBytes: number, held?: HeldBody): Promise<string> {
  requireUncompressed(headers);
  const bytes = await readBytes(stream, maxBytes, held);
  return decodeText(bytes, charsetOf(headers['content-type']));
}

/**
 * Reads all of a stream. A stream that is too long is not ended: what is left of it is dropped as it comes, so
 * that its sender can still be answered.
 * @param held counts what has arrived; it is for whoever uses the bytes to release it
 * @throws REQUEST_TOO_LARGE beyond `maxBytes`, INVALID_INPUT for a stream that breaks off or comes in too many small pieces, and what `held` throws
 */
export function readBytes(stream: Readable, maxBytes: number, held?: HeldBody): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] | null = [];
    let size = 0;
    const refuse = (error: unknown) => {
      chunks = null;
      held?.release();
      reject(error);
    };
    stream.on('data', (chunk: Buffer) => {
      if (!chunks) return;
      size += chunk.length;
      if (size > maxBytes) return refuse(requestTooLarge());
      if (isInTooManyPieces(chunks.length, size)) return refuse(tooManyPieces());
      try {
        held?.add(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        refuse(error);
      }
    });
    stream.on('end', () => resolve(Buffer.concat(chunks ?? [])));
    stream.on('error', () => refuse(brokenOff()));
    stream.on('close', () => {
      if (!stream.readableEnded) refuse(brokenOff());
    });
    // Its sender may have gone before anybody listened.
    if (stream.destroyed) refuse(brokenOff());
  });
}

export function requestTooLarge(message?: string): DomainError {
  return new DomainError('REQUEST_TOO_LARGE', message);
}

export function tooManyPieces(): DomainError {
  const message = 'The request body comes in too many small pieces.';
  return invalidInput({ path: '', code: 'BASE_TYPE_INVALID', message });
}

function brokenOff(): DomainError {
  return invalidInput({ path: '', code: 'BASE_TYPE_INVALID', message: 'The request ended before its body did.' });
}
