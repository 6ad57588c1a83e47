import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import busboy from 'busboy';
import mime from 'mime-types';
import { type DomainError, invalidInput } from '../domain/errors.js';
import { limits } from '../domain/limits.js';
import type { ReceivedFile } from '../domain/messages/index.js';
import { isInTooManyPieces } from '../infra/network/body-pieces.js';
import type { BlobStore } from '../infra/storage/blobs.js';
import { type BodySource, requestTooLarge, tooManyPieces } from './bodies.js';
import { partNotUtf8, requireUncompressed } from './text.js';

export const MAX_FIELD_BYTES = 1024 * 1024;

/** Bytes of a form that are not files. */
const FORM_ROOM = 64 * 1024;

export const MAX_FORM_BYTES = limits.requestSize + FORM_ROOM;

/** @throws REQUEST_TOO_LARGE, INVALID_INPUT if the request is no form */
export function openForm({ headers }: BodySource): busboy.Busboy {
  requireUncompressed(headers);
  if (Number(headers['content-length'] ?? 0) > MAX_FORM_BYTES) throw requestTooLarge();
  try {
    return busboy({
      headers,
      // `nameIn` decodes the names.
      defParamCharset: 'latin1',
      limits: {
        // busboy counts a file of exactly this size as too large.
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

export interface FormListener {
  onField(name: string, value: string, info: busboy.FieldInfo): void;
  onFile(name: string, stream: Readable, info: busboy.FileInfo): void;
  /** Called for parts without a name and for undecodable text. */
  onMalformed(fault: DomainError): void;
}

export function listenToForm(form: busboy.Busboy, listener: FormListener): void {
  const countInBytes = countReplacements(form);
  // busboy passes undefined for unparsable values; its types omit that.
  form.on('field', (name: string | undefined, value: string | undefined, info) => {
    if (name === undefined || value === undefined) return listener.onMalformed(malformedForm());
    const isReplaced = !info.valueTruncated && value.split(REPLACEMENT).length - 1 > countInBytes();
    if (isReplaced) return listener.onMalformed(partNotUtf8(nameIn(name)));
    listener.onField(nameIn(name), value.replace(/^\ufeff/, ''), info);
  });
  form.on('file', (name: string | undefined, stream, info) => {
    // An `error` event without a listener would end the process.
    stream.on('error', () => {});
    if (name !== undefined) return listener.onFile(nameIn(name), stream, info);
    stream.resume();
    listener.onMalformed(malformedForm());
  });
}

const REPLACEMENT = '\ufffd';

/** busboy's internal parser, which finds boundaries and passes on the bytes between them. */
interface BoundaryParser {
  _bparser: { _cb(isBoundary: boolean, data: Buffer | undefined, start: number, end: number, isSafe: boolean): void };
}

/**
 * Counts U+FFFD in the bytes of the current part. busboy replaces invalid UTF-8 with U+FFFD, so a decoded field with
 * more of them was invalid.
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
 * Decodes a name as UTF-8, or as Latin-1, which old clients send.
 * @param raw one character per byte, except for extended parameters (RFC 8187), which busboy decodes
 */
function nameIn(raw: string): string {
  const bytes = Buffer.from(raw, 'latin1');
  return bytes.toString('latin1') === raw && isUtf8(bytes) ? bytes.toString() : raw;
}

/** Returns false for an interrupted or malformed form. */
export async function runForm(stream: Readable, form: busboy.Busboy): Promise<boolean> {
  try {
    stream.on('error', (error) => form.destroy(error));
    stream.on('aborted', () => form.destroy(new Error('aborted')));
    stream.pipe(form);
    // The sender may already have disconnected.
    if (stream.destroyed) form.destroy(new Error('aborted'));
    await finished(form);
    return true;
  } catch {
    stream.unpipe(form);
    stream.resume();
    // Some errors leave busboy and the current file open.
    form.destroy();
    return false;
  }
}

export function countFormBytes(stream: Readable, refuse: (refusal: DomainError) => void): void {
  let [size, pieces] = [0, 0];
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    pieces += 1;
    if (size > MAX_FORM_BYTES) refuse(requestTooLarge());
    else if (isInTooManyPieces(pieces, size)) refuse(tooManyPieces());
  });
}

export async function receiveFile(blobs: BlobStore, stream: Readable, info: busboy.FileInfo): Promise<ReceivedFile> {
  const filename = nameIn(info.filename ?? 'unknown');
  return { filename, contentType: contentTypeOf(info.mimeType, filename), blob: await blobs.stage(stream) };
}

/** Falls back to the file extension if the sender's type is missing or generic. */
function contentTypeOf(stated: string, filename: string): string {
  const type = stated.toLowerCase();
  const isUseful = /^[\w.+-]+\/[\w.+-]+$/.test(type) && type !== 'application/octet-stream' && type !== 'text/plain';
  return isUseful ? type : mime.lookup(filename) || 'application/octet-stream';
}

export function malformedForm(message = 'The multipart form is malformed.'): DomainError {
  return invalidInput({ path: '', code: 'BASE_TYPE_INVALID', message });
}
