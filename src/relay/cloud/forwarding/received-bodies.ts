import type { Hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable, Transform } from 'node:stream';
import type { AppContext } from '../../../context.js';
import { DomainError } from '../../../domain/errors.js';
import { readBytes, requestTooLarge, tooManyPieces } from '../../../http/bodies.js';
import { MAX_FORM_BYTES, malformedForm } from '../../../http/forms.js';
import { requireUncompressed } from '../../../http/text.js';
import { isInTooManyPieces } from '../../../infra/network/body-pieces.js';
import type { StagedBlob } from '../../../infra/storage/blobs.js';
import { BoundarySieve, boundaryOf } from './form-boundaries.js';
import type { ForwardedBody } from './transport.js';

export interface BodySource {
  headers: IncomingHttpHeaders;
  body: Readable | Uint8Array;
}

export interface TakenBody {
  maxJsonBytes: number;
  takesForm: boolean;
}

/** Occupies memory or disk until `letGo`. */
export interface ReceivedBody extends ForwardedBody {
  letGo(): Promise<void>;
}

export const NO_BODY: ReceivedBody = { size: 0, read: () => piecesOf(Buffer.alloc(0)), letGo: async () => {} };

/**
 * Stores forms on disk, and other bodies in memory, within the sender's quota.
 * @param hash receives the body without the form's boundaries
 * @throws REQUEST_TOO_LARGE, INVALID_INPUT for a compressed or incomplete body, RATE_LIMITED, OVERLOADED
 */
export async function receiveBody(
  app: Pick<AppContext, 'bodies' | 'blobs'>,
  { headers, body }: BodySource,
  { sender, taken, hash }: { sender: string; taken: TakenBody; hash: Hash },
): Promise<ReceivedBody> {
  requireUncompressed(headers);
  const stream = body instanceof Readable ? body : Readable.from(body.length > 0 ? [Buffer.from(body)] : []);
  const boundary = taken.takesForm ? boundaryOf(headers['content-type']) : null;
  if (boundary === null) return receiveText(app, stream, { sender, hash, maxBytes: taken.maxJsonBytes });
  return receiveForm(app, { headers, stream }, { sender, hash, boundary });
}

async function receiveText(
  { bodies }: Pick<AppContext, 'bodies'>,
  stream: Readable,
  { sender, hash, maxBytes }: { sender: string; hash: Hash; maxBytes: number },
): Promise<ReceivedBody> {
  const held = bodies.hold(sender);
  const bytes = await readBytes(stream, maxBytes, held);
  hash.update(bytes);
  return { size: bytes.length, read: () => piecesOf(bytes), letGo: async () => held.release() };
}

async function receiveForm(
  { bodies, blobs }: Pick<AppContext, 'bodies' | 'blobs'>,
  { headers, stream }: { headers: IncomingHttpHeaders; stream: Readable },
  { sender, hash, boundary }: { sender: string; hash: Hash; boundary: string },
): Promise<ReceivedBody> {
  if (Number(headers['content-length'] ?? 0) > MAX_FORM_BYTES) throw requestTooLarge();
  const end = bodies.beginForm(sender);
  try {
    const blob = await stage(blobs, stream, new BoundarySieve(boundary, hash));
    return { size: blob.size, read: () => blob.read(), letGo: () => blob.discard() };
  } finally {
    end();
  }
}

/** Reads the rest of a refused form, so that the client gets the response. */
async function stage(blobs: AppContext['blobs'], stream: Readable, sieve: BoundarySieve): Promise<StagedBlob> {
  let [size, pieces] = [0, 0];
  const measured = new Transform({
    transform(piece: Buffer, _encoding, done) {
      size += piece.length;
      pieces += 1;
      if (size > MAX_FORM_BYTES) return done(requestTooLarge());
      if (isInTooManyPieces(pieces, size)) return done(tooManyPieces());
      sieve.update(piece);
      done(null, piece);
    },
    flush(done) {
      sieve.end();
      done();
    },
  });
  // The stream may fail before it has a reader.
  measured.on('error', () => {});
  const breakOff = () => {
    if (!stream.readableEnded) measured.destroy(malformedForm());
  };
  stream.on('error', breakOff);
  stream.on('close', breakOff);
  // The client may have disconnected already.
  if (stream.destroyed) breakOff();
  try {
    return await blobs.stage(stream.pipe(measured));
  } catch (error) {
    stream.unpipe(measured);
    stream.resume();
    throw measured.errored instanceof DomainError ? measured.errored : error;
  }
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer, void> {
  if (bytes.length > 0) yield bytes;
}
