import type { Readable } from 'node:stream';
import type busboy from 'busboy';
import { type DomainError, invalidInput } from '../domain/errors.js';
import { fileTooLarge, tooManyAttachments, type UploadedFile } from '../domain/messages/index.js';
import { type BodySource, type HeldBody, readText, requestTooLarge } from '../http/bodies.js';
import {
  countFormBytes,
  listenToForm,
  MAX_FIELD_BYTES,
  malformedForm,
  openForm,
  receiveFile,
  runForm,
} from '../http/forms.js';
import type { BlobStore } from '../infra/storage/blobs.js';
import { parseJson } from './json.js';

export interface ReceivedBody {
  value: unknown;
  files: UploadedFile[];
}

const PAYLOAD = 'payload_json';

export interface FormReceiver {
  blobs: BlobStore;
  /** Code that consumes the body must release it. Not set if the whole form is already in memory. */
  held?: HeldBody;
  /** Called once, before the first file. Throws if the sender may not send files. */
  admitFiles(): Promise<void>;
}

interface Arrivals {
  fields: Map<string, string>;
  files: Promise<UploadedFile>[];
  /** Browsers send a blob `payload_json` as a file part. */
  payload?: Promise<string>;
  /** After a fault, parts are dropped. */
  fault?: unknown;
}

/**
 * Receives the JSON body in `payload_json` or as plain fields, and files as `files[n]` (Discord's documentation,
 * Message Resource). Each name may occur once. Any error discards all files.
 * @throws INVALID_INPUT, INVALID_JSON, FILE_TOO_LARGE, REQUEST_TOO_LARGE, TOO_MANY_ATTACHMENTS, and what `receiver`
 * throws
 */
export async function readMultipart(source: BodySource, receiver: FormReceiver): Promise<ReceivedBody> {
  const form = openForm(source);
  const arrivals: Arrivals = { fields: new Map(), files: [] };
  listen(form, source.stream, arrivals, receiver);
  const isWhole = await runForm(source.stream, form);
  const settled = await Promise.allSettled(arrivals.files);
  await Promise.allSettled([arrivals.payload]);
  const files = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  try {
    if (arrivals.fault !== undefined) throw arrivals.fault;
    if (!isWhole) throw malformedForm();
    if (new Set(files.map((file) => file.index)).size < files.length) throw badPart('files[n]');
    const payload = await arrivals.payload;
    const value = payload === undefined ? valueOfForm(arrivals.fields) : parseJson(payload);
    return { value, files };
  } catch (error) {
    await Promise.all(files.map((file) => file.blob.discard()));
    throw error;
  }
}

function listen(form: busboy.Busboy, source: Readable, arrivals: Arrivals, receiver: FormReceiver): void {
  let admitted: Promise<void> | undefined;
  const fail = (error: unknown) => {
    arrivals.fault ??= error;
  };
  const giveUp = (error: unknown) => {
    if (form.destroyed) return;
    fail(error);
    // Delayed, because the parser continues after its current event.
    queueMicrotask(() => form.destroy());
  };
  const onField = (name: string, value: string, info: busboy.FieldInfo) => {
    if (info.valueTruncated || info.nameTruncated) return giveUp(requestTooLarge());
    if (fileIndex(name, 0) !== null) fail(badPart(name));
    if (hasArrived(name, arrivals)) fail(repeatedPart(name));
    if (arrivals.fault !== undefined) return;
    try {
      receiver.held?.add(Buffer.byteLength(name) + Buffer.byteLength(value));
      arrivals.fields.set(name, value);
    } catch (error) {
      giveUp(error);
    }
  };
  const onFile = (name: string, stream: Readable, info: busboy.FileInfo) => {
    stream.on('limit', () => giveUp(fileTooLarge()));
    const index = fileIndex(name, arrivals.files.length);
    if (index === null && name !== PAYLOAD) fail(badPart(name));
    if (index === null && hasArrived(name, arrivals)) fail(repeatedPart(name));
    if (arrivals.fault !== undefined) {
      stream.resume();
    } else if (index === null) {
      arrivals.payload = readText({ headers: {}, stream }, MAX_FIELD_BYTES, receiver.held);
      arrivals.payload.catch(giveUp);
    } else {
      admitted ??= receiver.admitFiles();
      const arriving = admitted.then(async () => ({ index, ...(await receiveFile(receiver.blobs, stream, info)) }));
      arriving.catch(giveUp);
      arrivals.files.push(arriving);
    }
  };
  listenToForm(form, { onField, onFile, onMalformed: fail });
  form.on('filesLimit', () => giveUp(tooManyAttachments()));
  form.on('fieldsLimit', () => giveUp(requestTooLarge()));
  form.on('partsLimit', () => giveUp(requestTooLarge()));
  countFormBytes(source, giveUp);
}

function hasArrived(name: string, { fields, payload }: Arrivals): boolean {
  return fields.has(name) || (name === PAYLOAD && payload !== undefined);
}

/** The n of `files[n]`; null for any other name. Older libraries send `file`. */
function fileIndex(name: string, next: number): number | null {
  if (name === 'file') return next;
  const match = /^files?(?:\[(\d{1,3})\]|(\d{1,3}))$/.exec(name);
  return match ? Number(match[1] ?? match[2]) : null;
}

/**
 * Reads JSON in `payload_json`, or plain fields as members. Each name may occur once.
 * @throws INVALID_INPUT, INVALID_JSON
 */
export function valueOfForm(fields: Iterable<readonly [string, string]>): unknown {
  const members = new Map<string, string>();
  for (const [name, text] of fields) {
    if (members.has(name)) throw repeatedPart(name);
    members.set(name, text);
  }
  const payload = members.get(PAYLOAD);
  if (payload !== undefined) return parseJson(payload);
  return Object.fromEntries([...members].map(([name, text]) => [name, plainField(name, text)]));
}

/** `coerceTo` converts other fields later, but it does not accept 1 and 0 as booleans. */
function plainField(name: string, text: string): unknown {
  if (name === 'tts' || name === 'enforce_nonce') return BITS.get(text) ?? text;
  return text;
}

const BITS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['0', false],
]);

function badPart(name: string): DomainError {
  return invalidInput({
    path: '',
    code: 'BASE_TYPE_CHOICES',
    message: `The part "${name.slice(0, 40)}" is not a valid file. Name each file files[n], use each n once, and add a filename.`,
  });
}

function repeatedPart(name: string): DomainError {
  return invalidInput({
    path: '',
    code: 'BASE_TYPE_INVALID',
    message: `The part "${name.slice(0, 40)}" must appear only once in the form.`,
  });
}
