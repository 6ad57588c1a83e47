import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { DomainError, invalidInput, TRY_AGAIN_MS } from '../domain/errors.js';
import { Quota } from '../infra/concurrency/quota.js';
import type { Release } from '../infra/concurrency/semaphore.js';
import { isInTooManyPieces } from '../infra/network/body-pieces.js';
import { charsetOf, decodeText, requireUncompressed } from './text.js';

/** Limits of body bytes in memory. */
const HELD_PER_SENDER = 32 * 1024 * 1024;
const HELD_IN_ALL = 256 * 1024 * 1024;
/** Always available to a sender, even when `HELD_IN_ALL` is reached. */
const RESERVED_PER_SENDER = 1024 * 1024;

const FORMS_PER_SENDER = 5;

export interface HeldBody {
  /** @throws RATE_LIMITED over the sender's limit, OVERLOADED over the limit of all senders */
  add(bytes: number): void;
  /** Releases all counted bytes. Safe to call more than once. */
  release(): void;
}

/** Limits the body bytes in memory, which slow senders would otherwise fill. */
export class Bodies {
  readonly #held = new Quota(HELD_PER_SENDER);
  readonly #forms = new Quota(FORMS_PER_SENDER);

  hold(sender: string): HeldBody {
    let size = 0;
    return {
      add: (bytes) => {
        const ofSender = this.#held.used(sender) + bytes;
        if (ofSender > HELD_PER_SENDER) throw tooMuchAtOnce();
        if (this.#held.usedInAll + bytes > HELD_IN_ALL && ofSender > RESERVED_PER_SENDER) throw tooMuchInAll();
        size += bytes;
        this.#held.add(sender, bytes);
      },
      release: () => {
        this.#held.add(sender, -size);
        size = 0;
      },
    };
  }

  /** @throws RATE_LIMITED */
  beginForm(sender: string): Release {
    const release = this.#forms.take(sender);
    if (!release) throw tooMuchAtOnce();
    return release;
  }
}

function tooMuchInAll(): DomainError {
  const message = 'The service is receiving too much data at the moment; try again soon.';
  return new DomainError('OVERLOADED', message, { retryAfterMs: TRY_AGAIN_MS });
}

function tooMuchAtOnce(): DomainError {
  const message = 'You are sending too much data at once; try again when one of your requests has finished.';
  return new DomainError('RATE_LIMITED', message, { retryAfterMs: TRY_AGAIN_MS });
}

export interface BodySource {
  headers: IncomingHttpHeaders;
  stream: Readable;
}

/**
 * Decodes UTF-8, unless `Content-Type` or a byte order mark names another charset.
 * @throws INVALID_INPUT, and the errors of `readBytes`
 */
export async function readText({ headers, stream }: BodySource, maxBytes: number, held?: HeldBody): Promise<string> {
  requireUncompressed(headers);
  const bytes = await readBytes(stream, maxBytes, held);
  return decodeText(bytes, charsetOf(headers['content-type']));
}

/**
 * A refused stream is still drained, so that the sender can receive the response.
 * @param held counts the bytes; the caller releases it
 * @throws REQUEST_TOO_LARGE, INVALID_INPUT for an interrupted stream or too many small pieces, and the errors of `held`
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
    // The sender may already have disconnected.
    if (stream.destroyed) refuse(brokenOff());
  });
}

export function requestTooLarge(message?: string): DomainError {
  return new DomainError('REQUEST_TOO_LARGE', message);
}

export function tooManyPieces(): DomainError {
  const message = 'The request body arrives in too many small chunks. Send larger ones.';
  return invalidInput({ path: '', code: 'BASE_TYPE_INVALID', message });
}

function brokenOff(): DomainError {
  return invalidInput({
    path: '',
    code: 'BASE_TYPE_INVALID',
    message: 'The request ended before its body was complete.',
  });
}
