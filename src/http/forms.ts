import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import busboy from 'busboy';
import mime from 'mime-types';
import { type DomainError, invalidInput } from '../domain/errors.js';
import { limits } from '../domain/limits.js';
import type { ReceivedFile } from '../domain/messages/index.js';
import type { BlobStore } from '../infra/blobs.js';
import { isInTooManyPieces } from '../infra/body-pieces.js';
import { type BodySource, requestTooLarge, tooManyPieces } from './bodies.js';
import { partNotUtf8, requireUncompressed } from './text.js';

/** The most a form's text fields may be, in bytes each. */
export const MAX_FIELD_BYTES = 1024 * 1024;

/** Room for what stands around the files of a form, in bytes. */
const FORM_ROOM = 64 * 1024;

/** The most a form may be, in bytes. */
export const MAX_FORM_BYTES = limits.requestSize + FORM_ROOM;

/** The parser of a multipart form, within the limits of a message's files. @throws REQUEST_TOO_LARGE, INVALID_INPUT for what is no form */
export function openForm({ headers }: BodySource): busboy.Busboy {
  requireUncompressed(headers);
  if (Number(headers['content-length'] ?? 0) > MAX_FORM_BYTES) throw requestTooLarge();
  try {
    return busboy({
      headers,
      // Names are decoded by `nameIn`.
      defParamCharset: 'latin1',
      limits: {
        // The parser counts a file of exactly this size as too large.
        fileSize: limits.fileSize + 1,
        files: limits.attachmentsPerMessage,
        fields: 50,
        parts: 100,
        fieldSize: MAX_FIELD_BYTES,
      },
    });
  } catch {
    throw malformedForm();
  }
}

/** Who hears of the parts of a form as they come. */
export interface FormListener {
  onField(name: string, value: string, info: busboy.FieldInfo): void;
  onFile(name: string, stream: Readable, info: busboy.FileInfo): void;
  /** A part that nobody can use: one without a name, or text that cannot be decoded. */
  onMalformed(fault: DomainError): void;
}

/** Lets somebody hear of the parts of a form. */
export function listenToForm(form: busboy.Busboy, listener: FormListener): void {
  const countInBytes = countReplacements(form);
  // What the parser cannot read is undefined, which its types leave out.
  form.on('field', (name: string | undefined, value: string | undefined, info) => {
    if (name === undefined || value === undefined) return listener.onMalformed(malformedForm());
    const isReplaced = !info.valueTruncated && value.split(REPLACEMENT).length - 1 > countInBytes();
    if (isReplaced) return listener.onMalformed(partNotUtf8(nameIn(name)));
    listener.onField(nameIn(name), value.replace(/^\ufeff/, ''), info);
  });
  form.on('file', (name: string | undefined, stream, info) => {
    // A part that breaks off fails whoever reads it; one that nobody reads must not fail the process.
    stream.on('error', () => {});
    if (name !== undefined) return listener.onFile(nameIn(name), stream, info);
    stream.resume();
    listener.onMalformed(malformedForm());
  });
}

const REPLACEMENT = '\ufffd';

/** The part of busboy that its types leave out: what finds the boundaries, and passes on the bytes between them. */
interface BoundaryParser {
  _bparser: { _cb(isBoundary: boolean, data: Buffer | undefined, start: number, end: number, isSafe: boolean): void };
}

/**
 * Counts U+FFFD in the bytes of the part that is being received. busboy decodes fields itself and writes U+FFFD for bytes that are not
 * UTF-8, so that a field which has more of them than its bytes was not UTF-8.
 */
function countReplacements(form: busboy.Busboy): () => number {
  const { _bparser: parser } = form as unknown as BoundaryParser;
  const passOn = parser._cb;
  let [count, last] = [0, Buffer.alloc(0)];
  parser._cb = (isBoundary, data, start, end, isSafe) => {
    const piece = data?.subarray(start, end) ?? Buffer.alloc(0);
    const border = Buffer.concat([last, piece.subarray(0, 2)]);
    count += replacementsIn(border) + replacementsIn(piece);
    last = Buffer.from(piece.length < 2 ? border.subarray(-2) : piece.subarray(-2));
    passOn(isBoundary, data, start, end, isSafe);
    if (isBoundary) [count, last] = [0, Buffer.alloc(0)];
  };
  return () => count;
}

function replacementsIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(REPLACEMENT); at >= 0; at = bytes.indexOf(REPLACEMENT, at + 3)) count += 1;
  return count;
}

/**
 * A name in the head of a part, in UTF-8 or else in Latin-1, as old clients write it.
 * @param raw one character for each byte, unless an extended parameter (RFC 8187) said it, which busboy decodes
 */
function nameIn(raw: string): string {
  const bytes = Buffer.from(raw, 'latin1');
  return bytes.toString('latin1') === raw && isUtf8(bytes) ? bytes.toString() : raw;
}

/** Runs a form through its parser. False when it ended early or is no form. */
export async function runForm(stream: Readable, form: busboy.Busboy): Promise<boolean> {
  try {
    stream.on('error', (error) => form.destroy(error));
    stream.on('aborted', () => form.destroy(new Error('aborted')));
    stream.pipe(form);
    // Its sender may have gone before anybody listened.
    if (stream.destroyed) form.destroy(new Error('aborted'));
    await finished(form);
    return true;
  } catch {
    stream.unpipe(form);
    stream.resume();
    // Some faults leave the parser open, and with it the file it is at.
    form.destroy();
    return false;
  }
}

/** Calls with the refusal when more has arrived than a form may be, or too many small pieces. */
export function countFormBytes(stream: Readable, refuse: (refusal: DomainError) => void): void {
  let [size, pieces] = [0, 0];
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    pieces += 1;
    if (size > MAX_FORM_BYTES) refuse(requestTooLarge());
    else if (isInTooManyPieces(pieces, size)) refuse(tooManyPieces());
  });
}

/** Receives a file of a form. */
export async function receiveFile(blobs: BlobStore, stream: Readable, info: busboy.FileInfo): Promise<ReceivedFile> {
  const filename = nameIn(info.filename ?? 'unknown');
  return { filename, contentType: contentTypeOf(info.mimeType, filename), blob: await blobs.stage(stream) };
}

/** What the sender says a file is; when they say nothing of use, what its name says. */
function contentTypeOf(stated: string, filename: string): string {
  const type = stated.toLowerCase();
  const isUseful = /^[\w.+-]+\/[\w.+-]+$/.test(type) && type !== 'application/octet-stream' && type !== 'text/plain';
  return isUseful ? type : mime.lookup(filename) || 'application/octet-stream';
}

export function malformedForm(message = 'The multipart form is malformed.'): DomainError {
  return invalidInput({ path: '', code: 'BASE_TYPE_INVALID', message });
}
