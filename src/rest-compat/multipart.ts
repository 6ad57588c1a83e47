import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import busboy from 'busboy';
import mime from 'mime-types';
import { type DomainError, invalidInput } from '../domain/errors.js';
import { limits } from '../domain/limits.js';
import { fileTooLarge, tooManyAttachments, type UploadedFile } from '../domain/messages/index.js';
import type { BlobStore } from '../infra/blobs.js';
import { parseJson } from './json.js';
import { readText, requestTooLarge } from './text.js';

export interface ReceivedBody {
  value: unknown;
  files: UploadedFile[];
}

/** What reading a body needs of the request. */
export interface BodySource {
  headers: IncomingHttpHeaders;
  stream: Readable;
}

const PAYLOAD = 'payload_json';

/** The most a form's text fields may be, in bytes each. */
const MAX_FIELD_BYTES = 1024 * 1024;

/** What has arrived of a form so far. */
interface Arrivals {
  fields: Map<string, string>;
  files: Promise<UploadedFile>[];
  /** A `payload_json` that came as a file part, as browsers send a blob. */
  payload?: Promise<string>;
  /** Why the form is refused; what arrives after it is dropped. */
  fault?: unknown;
}

/**
 * Receives a multipart form: `payload_json` holds the JSON body, or plain fields stand for its members, each once; files are
 * `files[n]`, each n once (Discord's documentation, Message Resource). When anything is wrong, nothing that was received stays.
 * @throws INVALID_INPUT, INVALID_JSON, FILE_TOO_LARGE, REQUEST_TOO_LARGE, TOO_MANY_ATTACHMENTS
 */
export async function readMultipart(source: BodySource, blobs: BlobStore): Promise<ReceivedBody> {
  const form = openForm(source);
  const arrivals: Arrivals = { fields: new Map(), files: [] };
  listen(form, source.stream, arrivals, blobs);
  const isWhole = await run(source.stream, form);
  const settled = await Promise.allSettled(arrivals.files);
  const files = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  try {
    if (arrivals.fault !== undefined) throw arrivals.fault;
    if (!isWhole) throw malformed();
    if (new Set(files.map((file) => file.index)).size < files.length) throw badPart('files[n]');
    return { value: formValue(arrivals.fields, await arrivals.payload), files };
  } catch (error) {
    await Promise.all(files.map((file) => file.blob.discard()));
    throw error;
  }
}

function listen(form: busboy.Busboy, source: Readable, arrivals: Arrivals, blobs: BlobStore): void {
  const fail = (error: unknown) => {
    arrivals.fault ??= error;
  };
  const giveUp = (error: unknown) => {
    if (form.destroyed) return;
    fail(error);
    form.destroy();
  };
  form.on('field', (name, value, info) => {
    if (info.valueTruncated || info.nameTruncated) fail(requestTooLarge());
    if (hasArrived(name, arrivals)) fail(repeatedPart(name));
    arrivals.fields.set(name, value);
  });
  form.on('file', (name, stream, info) => {
    // A part that breaks off fails whoever reads it; one that nobody reads must not fail the process.
    stream.on('error', () => {});
    stream.on('limit', () => fail(fileTooLarge()));
    const index = fileIndex(name, arrivals.files.length);
    if (index === null && name !== PAYLOAD) fail(badPart(name));
    if (index === null && hasArrived(name, arrivals)) fail(repeatedPart(name));
    if (arrivals.fault !== undefined) {
      stream.resume();
    } else if (index === null) {
      arrivals.payload = readText(stream, MAX_FIELD_BYTES);
      arrivals.payload.catch(giveUp);
    } else {
      const arriving = receiveFile(blobs, stream, index, info);
      arriving.catch(giveUp);
      arrivals.files.push(arriving);
    }
  });
  form.on('filesLimit', () => fail(tooManyAttachments()));
  form.on('partsLimit', () => fail(requestTooLarge()));
  countBytes(source, () => giveUp(requestTooLarge()));
}

/** Whether a part of the body, which must stand once, is there already. */
function hasArrived(name: string, { fields, payload }: Arrivals): boolean {
  return fields.has(name) || (name === PAYLOAD && payload !== undefined);
}

function openForm(source: BodySource): busboy.Busboy {
  try {
    return busboy({
      headers: source.headers,
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
    throw malformed();
  }
}

/** Runs the form through its parser. False when it ended early or is no form. */
async function run(stream: Readable, form: busboy.Busboy): Promise<boolean> {
  try {
    stream.on('error', (error) => form.destroy(error));
    stream.on('aborted', () => form.destroy(new Error('aborted')));
    stream.pipe(form);
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

function countBytes(stream: Readable, tooMany: () => void): void {
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limits.requestSize) tooMany();
  });
}

async function receiveFile(
  blobs: BlobStore,
  stream: Readable,
  index: number,
  info: busboy.FileInfo,
): Promise<UploadedFile> {
  const filename = info.filename ?? 'unknown';
  return { index, filename, contentType: contentTypeOf(info, filename), blob: await blobs.stage(stream) };
}

/** What the sender says it is; when they say nothing of use, what its name says. */
function contentTypeOf(info: busboy.FileInfo, filename: string): string {
  const stated = info.mimeType.toLowerCase();
  const isUseful =
    /^[\w.+-]+\/[\w.+-]+$/.test(stated) && stated !== 'application/octet-stream' && stated !== 'text/plain';
  return isUseful ? stated : mime.lookup(filename) || 'application/octet-stream';
}

/** The n of `files[n]`; a part named `file` is the next one, as older libraries name it. Null for any other name. */
function fileIndex(name: string, next: number): number | null {
  if (name === 'file') return next;
  const match = /^files?\[?(\d{1,3})\]?$/.exec(name);
  return match ? Number(match[1]) : null;
}

function formValue(fields: Map<string, string>, payload = fields.get(PAYLOAD)): unknown {
  if (payload !== undefined) return parseJson(payload);
  return Object.fromEntries([...fields].map(([name, text]) => [name, plainField(name, text)]));
}

/** Form fields are text; these two of a message are not. */
function plainField(name: string, text: string): unknown {
  if (name === 'tts') return text === 'true' || text === '1';
  if (name === 'flags') return Number(text);
  return text;
}

function badPart(name: string): DomainError {
  return invalidInput({
    path: '',
    code: 'BASE_TYPE_CHOICES',
    message: `File parts are named files[n], each n once; "${name.slice(0, 40)}" is not.`,
  });
}

function repeatedPart(name: string): DomainError {
  return invalidInput({
    path: '',
    code: 'BASE_TYPE_INVALID',
    message: `The part "${name.slice(0, 40)}" stands more than once in the form.`,
  });
}

function malformed(): DomainError {
  return invalidInput({ path: '', code: 'BASE_TYPE_INVALID', message: 'The multipart form is malformed.' });
}
