import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import busboy from 'busboy';
import mime from 'mime-types';
import { type DomainError, invalidInput } from '../domain/errors.js';
import { limits } from '../domain/limits.js';
import type { ReceivedFile } from '../domain/messages/index.js';
import type { BlobStore } from '../infra/blobs.js';
import { isInTooManyPieces } from '../infra/body-pieces.js';
import { requestTooLarge, tooManyPieces } from './bodies.js';

/** What reading a body needs of the request. */
export interface BodySource {
  headers: IncomingHttpHeaders;
  stream: Readable;
}

/** The most a form's text fields may be, in bytes each. */
export const MAX_FIELD_BYTES = 1024 * 1024;

/** Room for what stands around the files of a form, in bytes. */
const FORM_ROOM = 64 * 1024;

/** The most a form may be, in bytes. */
export const MAX_FORM_BYTES = limits.requestSize + FORM_ROOM;

/** The parser of a multipart form, within the limits of a message's files. @throws REQUEST_TOO_LARGE, INVALID_INPUT for what is no form */
export function openForm({ headers }: BodySource): busboy.Busboy {
  if (Number(headers['content-length'] ?? 0) > MAX_FORM_BYTES) throw requestTooLarge();
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
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
  /** Of what nobody can use: a part without a name, or text in a charset that is not known. */
  onMalformed(): void;
}

/** Lets somebody hear of the parts of a form. */
export function listenToForm(form: busboy.Busboy, listener: FormListener): void {
  // What the parser cannot read is undefined, which its types leave out.
  form.on('field', (name: string | undefined, value: string | undefined, info) => {
    if (name === undefined || value === undefined) listener.onMalformed();
    else listener.onField(name, value, info);
  });
  form.on('file', (name: string | undefined, stream, info) => {
    // A part that breaks off fails whoever reads it; one that nobody reads must not fail the process.
    stream.on('error', () => {});
    if (name !== undefined) return listener.onFile(name, stream, info);
    stream.resume();
    listener.onMalformed();
  });
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
  const filename = info.filename ?? 'unknown';
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
