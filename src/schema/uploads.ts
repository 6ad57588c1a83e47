import { invalidInput } from '../domain/errors.js';
import type { UploadedFile } from '../domain/messages/index.js';
import type { Upload } from './forms.js';

/** Receives the files of a message. They stay until the request is answered, unless the message keeps them. */
export function receiveFiles(files: Upload[]): Promise<UploadedFile[]> {
  return Promise.all(files.map(async (file, index) => ({ index, ...(await file.take()) })));
}

/** @throws INVALID_INPUT at `files` when one file stands there more than once */
export function requireDistinct(files: Upload[]): void {
  if (new Set(files).size === files.length) return;
  const message = 'Each file stands in the list once.';
  throw invalidInput({ path: 'files', code: 'BASE_TYPE_INVALID', message });
}

/** Where to get the bytes of a file that may be missing; null to clear what is there. */
export function bytesOf(file: Upload | null | undefined): (() => Promise<Buffer>) | null | undefined {
  return file && (async () => (await file.take()).blob.bytes());
}
