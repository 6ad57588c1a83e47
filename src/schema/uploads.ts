import { invalidInput } from '../domain/errors.js';
import type { UploadedFile } from '../domain/messages/index.js';
import type { Upload } from './forms.js';

/** Limits of icons and avatars. */
export const ICON = 'PNG, JPEG, GIF or WebP, at most 10 MiB.';

/** Files are deleted after the response unless the message keeps them. */
export function receiveFiles(files: Upload[]): Promise<UploadedFile[]> {
  return Promise.all(files.map(async (file, index) => ({ index, ...(await file.take()) })));
}

/** @throws INVALID_INPUT at `files` if a file occurs more than once */
export function requireDistinct(files: Upload[]): void {
  if (new Set(files).size === files.length) return;
  const message = 'Each file can be in the list only once.';
  throw invalidInput({ path: 'files', code: 'BASE_TYPE_INVALID', message });
}

/** Null clears the stored file. */
export function bytesOf(file: Upload | null | undefined): (() => Promise<Buffer>) | null | undefined {
  return file && (async () => (await file.take()).blob.bytes());
}
