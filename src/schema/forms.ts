import type { Readable } from 'node:stream';
import type busboy from 'busboy';
import type { GraphQLParams } from 'graphql-yoga';
import { type DomainError, invalidInput } from '../domain/errors.js';
import { limits } from '../domain/limits.js';
import { type ReceivedFile, tooManyAttachments } from '../domain/messages/index.js';
import { type BodySource, type HeldBody, requestTooLarge } from '../http/bodies.js';
import { countFormBytes, listenToForm, malformedForm, openForm, receiveFile, runForm } from '../http/forms.js';
import { parseBounded } from '../infra/network/bounded-json.js';
import type { BlobStore, StagedBlob } from '../infra/storage/blobs.js';

/** A file that is received when the operation asks for it. */
export class Upload {
  #isTaken = false;

  constructor(
    private readonly name: string,
    private readonly receive: () => Promise<ReceivedFile>,
  ) {}

  /**
   * Deleted after the response unless it is stored.
   * @throws INVALID_INPUT if it was taken before or is not in the form
   */
  take(): Promise<ReceivedFile> {
    if (this.#isTaken) throw badFile(`The file "${shown(this.name)}" can be used only once.`);
    this.#isTaken = true;
    return this.receive();
  }
}

export interface OperationForm {
  params: GraphQLParams;
  /** Discards files that were not stored, and the rest of the form. */
  close(): Promise<void>;
}

/**
 * Receives an operation with files (GraphQL multipart request specification). Resolves when the operation is known.
 * Receives files
 * only after the operation asks for one.
 * @param held the caller releases it
 * @throws INVALID_INPUT, TOO_MANY_ATTACHMENTS, REQUEST_TOO_LARGE, and what `held` throws
 */
export async function openOperationForm(source: BodySource, blobs: BlobStore, held: HeldBody): Promise<OperationForm> {
  const form = new IncomingForm(openForm(source), source.stream, blobs, held);
  try {
    const params = await form.operation;
    return { params, close: () => form.close() };
  } catch (error) {
    await form.close();
    held.release();
    throw error;
  }
}

/** In order. */
const HEAD = ['operations', 'map'];

interface Expected {
  arrived: Deferred<ReceivedFile>;
  hasBegun: boolean;
}

class IncomingForm {
  readonly #operation = new Deferred<GraphQLParams>();
  readonly #asked = new Deferred<boolean>();
  readonly #expected = new Map<string, Expected>();
  readonly #fields = new Map<string, string>();
  readonly #staging: Promise<unknown>[] = [];
  readonly #blobs: StagedBlob[] = [];
  readonly #run: Promise<void>;
  #isClosed = false;

  constructor(
    private readonly form: busboy.Busboy,
    private readonly source: Readable,
    private readonly store: BlobStore,
    private readonly held: HeldBody,
  ) {
    listenToForm(form, {
      onField: (name, value, info) => this.#onField(name, value, info),
      onFile: (name, stream, info) => this.#onFile(name, stream, info),
      onMalformed: (fault) => this.#fail(fault),
    });
    countFormBytes(source, (refusal) => this.#fail(refusal));
    this.#countHeadBytes();
    this.#run = runForm(source, form).then((isWhole) => this.#onEnd(isWhole));
  }

  get operation(): Promise<GraphQLParams> {
    return this.#operation.promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#asked.resolve(false);
    this.#fail(malformedForm());
    await this.#run;
    await Promise.allSettled(this.#staging);
    await Promise.all(this.#blobs.map((blob) => blob.discard()));
  }

  #countHeadBytes(): void {
    const count = (chunk: Buffer) => {
      if (this.#operation.isSettled) {
        this.source.off('data', count);
        return;
      }
      try {
        this.held.add(chunk.length);
      } catch (error) {
        this.#fail(error);
      }
    };
    this.source.on('data', count);
  }

  #onField(name: string, value: string, info: busboy.FieldInfo): void {
    if (info.valueTruncated || info.nameTruncated) {
      this.#fail(requestTooLarge());
    } else if (!HEAD.includes(name)) {
      this.#fail(otherField(name));
    } else if (this.#operation.isSettled || this.#fields.has(name)) {
      this.#fail(malformedForm());
    } else {
      this.#fields.set(name, value);
      if (name === 'map') this.#onHead();
    }
  }

  /** Puts an upload at each path of the map. */
  #onHead(): void {
    try {
      const params: unknown = parsedField('operations', this.#fields.get('operations'));
      const map = parsedField('map', this.#fields.get('map'));
      const files = Object.entries(map);
      if (files.length > limits.attachmentsPerMessage) throw tooManyAttachments();
      for (const [name, places] of files) placeFile(params, places, this.#expect(name));
      this.#operation.resolve(params as GraphQLParams);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#fields.clear();
    }
  }

  #expect(name: string): Upload {
    const expected: Expected = { arrived: new Deferred(), hasBegun: false };
    this.#expected.set(name, expected);
    return new Upload(name, () => {
      this.#asked.resolve(true);
      return expected.arrived.promise;
    });
  }

  #onFile(name: string, stream: Readable, info: busboy.FileInfo): void {
    const expected = this.#expected.get(name);
    if (!this.#operation.isSettled)
      this.#fail(malformedForm('Send the parts "operations" and "map" before the files.'));
    if (!expected || expected.hasBegun || this.#isClosed) {
      stream.resume();
      return;
    }
    expected.hasBegun = true;
    const receiving = this.#receive(stream, info);
    this.#staging.push(receiving);
    receiving.then(
      (file) => expected.arrived.resolve(file),
      () => expected.arrived.reject(malformedForm()),
    );
  }

  /** Leaves the rest of the form unread until the operation asks for files. */
  async #receive(stream: Readable, info: busboy.FileInfo): Promise<ReceivedFile> {
    if (!(await this.#asked.promise)) {
      stream.resume();
      throw malformedForm();
    }
    const file = await receiveFile(this.store, stream, info);
    this.#blobs.push(file.blob);
    return file;
  }

  #onEnd(isWhole: boolean): void {
    this.#operation.reject(malformedForm(isWhole ? 'The form must have the parts "operations" and "map".' : undefined));
    for (const [name, { arrived, hasBegun }] of this.#expected) {
      if (!isWhole) arrived.reject(malformedForm());
      else if (!hasBegun) arrived.reject(badFile(`The file "${shown(name)}" is not in the form.`));
    }
  }

  #fail(error: unknown): void {
    this.#operation.reject(error);
    for (const { arrived } of this.#expected.values()) arrived.reject(error);
    if (!this.form.destroyed) this.form.destroy();
  }
}

/** The first result counts. Ignores an unhandled rejection. */
class Deferred<T> {
  readonly promise: Promise<T>;
  isSettled = false;
  #resolve: (value: T) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.promise.catch(() => {});
  }

  resolve(value: T): void {
    this.isSettled = true;
    this.#resolve(value);
  }

  reject(error: unknown): void {
    this.isSettled = true;
    this.#reject(error);
  }
}

function parsedField(name: string, text = ''): object {
  try {
    const value = parseBounded(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Rejected below.
  }
  throw malformedForm(`The part "${name}" must be a JSON object or array.`);
}

/** Each path must be null before. */
function placeFile(operation: unknown, places: unknown, file: Upload): void {
  if (!Array.isArray(places)) throw malformedForm('The part "map" must have a list of paths for each file.');
  for (const place of places) {
    const steps = String(place).split('.');
    const last = steps.pop() ?? '';
    const parent = steps.reduce(memberOf, operation);
    if (memberOf(parent, last) !== null) {
      throw malformedForm(`The path "${shown(String(place))}" in the part "map" must refer to a null in "operations".`);
    }
    (parent as Record<string, unknown>)[last] = file;
  }
}

/** Own members only, so that a path cannot reach a prototype. */
function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Upload) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

function otherField(name: string): DomainError {
  return malformedForm(
    `Unknown text field "${shown(name)}". The form has only the text fields "operations" and "map".`,
  );
}

function badFile(message: string): DomainError {
  return invalidInput({ path: '', code: 'BASE_TYPE_INVALID', message });
}

function shown(name: string): string {
  return name.slice(0, 40);
}
