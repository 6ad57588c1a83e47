import type { CallContext } from '../../call.js';
import { invalidInput } from '../../errors.js';
import { isOfType } from '../../file-types.js';
import { limits } from '../../limits.js';
import { checkFiles, fileMetadataOf, tooManyAttachments, type UploadedFile } from '../../messages/files/files.js';
import type { Reading, TakenFile, ValueFault } from './reading.js';
import type { FileShown } from './request.js';

/** The received files, or their number before they are received. */
export type GivenFiles = number | readonly UploadedFile[];

export function countOfFiles(files: GivenFiles): number {
  return typeof files === 'number' ? files : files.length;
}

/** In the order of the files. @throws TOO_MANY_ATTACHMENTS */
export function allotFileIds(call: CallContext, files: GivenFiles): bigint[] {
  const count = countOfFiles(files);
  if (count > limits.attachmentsPerMessage) throw tooManyAttachments();
  return Array.from({ length: count }, () => call.nextId());
}

export const NO_FILE: ValueFault = {
  code: 'ATTACHMENT_NOT_FOUND',
  message: 'The request has no file with this number.',
};

/** @param value zero-based index of the file, as a number or text */
export function fileOfNumber({ fileIds }: Reading, value: unknown): bigint | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d{1,2}$/.test(value));
  return isNumber ? fileIds[Number(value)] : undefined;
}

/** Each file must be used exactly once. */
export function checkTaken({ faults, fileIds, taken }: Reading): void {
  for (const [index, id] of fileIds.entries()) {
    const uses = taken.filter((file) => file.id === id).length;
    if (uses === 1) continue;
    const message = uses === 0 ? 'This file is not used.' : 'This file can be used only once.';
    faults.push({ path: `files.${index}`, code: 'BASE_TYPE_INVALID', message });
  }
}

/**
 * Returns no files before they are received.
 * @param reading must have no faults
 * @throws FILE_TOO_LARGE, REQUEST_TOO_LARGE, INVALID_INPUT for a file of a type that is not allowed
 */
export function showFiles({ fileIds, taken }: Reading, files: GivenFiles): FileShown[] {
  if (typeof files === 'number') return [];
  checkFiles(files);
  const shown = files.flatMap((file, index) => showFile(fileIds[index], file) ?? []);
  const faults = taken.filter(
    (one) => !shown.some(({ file }) => file.id === one.id && isOfType(file.filename, one.types)),
  );
  if (faults.length > 0) throw invalidInput(...faults.map(ofOtherType));
  return shown;
}

function showFile(id: bigint | undefined, file: UploadedFile): FileShown | undefined {
  return id === undefined ? undefined : { file: fileMetadataOf(id, file, file.filename), blob: file.blob };
}

function ofOtherType({ path, types = [] }: TakenFile) {
  return { path, code: 'BASE_TYPE_CHOICES', message: `The file's type must be one of {${types.join(', ')}}.` };
}
