import { imageSize } from 'image-size';
import { mayBeDone } from '../../../infra/database/faults.js';
import type { Attachment, Reader } from '../../../infra/database/index.js';
import type { BlobStore } from '../../../infra/storage/blobs.js';
import type { CallContext } from '../../call.js';
import { DomainError, type FieldFault, invalidInput } from '../../errors.js';
import { type FileMetadata, idIn, type KeptFiles } from '../../kept-files.js';
import { limits } from '../../limits.js';
import type { AttachmentNote } from '../content/body.js';
import type { AttachmentRecord } from '../record.js';
import { accountOf } from './file-quota.js';
import { isSpoilerName, safeFilename, titleOf } from './filenames.js';
import type { ReceivedFile, UploadedFile } from './received-files.js';

export type { ReceivedFile, UploadedFile } from './received-files.js';

interface FolderKey {
  channelId: bigint;
  folderId: bigint;
}

function folderOf({ channelId, folderId }: FolderKey): string {
  return `attachments/${channelId}/${folderId}/`;
}

/** The key contains nothing that a sender wrote. */
function fileOf(folder: FolderKey, attachmentId: bigint): string {
  return `${folderOf(folder)}${attachmentId}`;
}

/** The columns that lead to an attachment's file. */
export type StoredAttachment = Pick<AttachmentRecord, 'id' | 'messageId' | 'folderId'>;

export const STORED_ATTACHMENT = { id: true, messageId: true, folderId: true } as const;

/** Files are stored before their message has an id. */
function folderIdOf({ folderId, messageId }: StoredAttachment): bigint {
  return folderId ?? messageId;
}

/** Key in the blob store. */
export function attachmentKey(channelId: bigint, file: StoredAttachment): string {
  return fileOf({ channelId, folderId: folderIdOf(file) }, file.id);
}

export const attachmentFiles: KeptFiles = {
  folder: 'attachments',
  knowsAny: async (read) => (await read.attachment.findFirst({ select: { id: true } })) !== null,
  async withRow(read, keys) {
    const idOf = (key: string) => idIn(/^attachments\/\d+\/\d+\/(\d+)$/.exec(key)?.[1]);
    const rows = await read.attachment.findMany({ where: { id: { in: keys.map(idOf) } }, select: { id: true } });
    const ids = new Set(rows.map(({ id }) => id));
    return keys.filter((key) => idOf(key) < 0n || ids.has(idOf(key)));
  },
};

export type NewAttachment = Omit<Attachment, 'messageId'>;

/**
 * Stores all files or none.
 * @throws TOO_MANY_ATTACHMENTS, FILE_TOO_LARGE, REQUEST_TOO_LARGE, and LIMIT_EXCEEDED if the account's quota is used up
 */
export async function keepFiles(
  call: CallContext,
  folder: FolderKey,
  files: readonly UploadedFile[],
  notes: readonly AttachmentNote[],
): Promise<NewAttachment[]> {
  if (files.length === 0) return [];
  checkFiles(files);
  const accountId = await accountOf(call);
  const sizes = files.map(({ blob }) => blob.size);
  if (accountId !== null) await call.fileQuota.take(accountId, sizes);
  const placed = files.map((file) => ({
    file,
    attachment: { ...describeFile(call.nextId(), file, notes), accountId, folderId: folder.folderId },
  }));
  const attachments = placed.map(({ attachment }) => attachment);
  // Waits for all files, since the caller then releases the received ones.
  const kept = await Promise.allSettled(
    placed.map(({ file, attachment }) => file.blob.keep(fileOf(folder, attachment.id))),
  );
  const failed = kept.find((one) => one.status === 'rejected');
  if (!failed) return attachments;
  await removeFiles(call, ...attachments.map(({ id }) => fileOf(folder, id)));
  throw failed.reason;
}

export function namesOf(files: readonly UploadedFile[], notes: readonly AttachmentNote[]): string[] {
  return files.map((file) => safeFilename(nameOf(file, noteOf(file, notes))));
}

function noteOf({ index }: UploadedFile, notes: readonly AttachmentNote[]): AttachmentNote | undefined {
  return notes.find(({ id }) => id === BigInt(index));
}

function nameOf(file: UploadedFile, note: AttachmentNote | undefined): string {
  return note?.filename || file.filename;
}

function describeFile(
  id: bigint,
  file: UploadedFile,
  notes: readonly AttachmentNote[],
): Omit<NewAttachment, 'accountId' | 'folderId'> {
  const note = noteOf(file, notes);
  const facts = fileMetadataOf(id, file, nameOf(file, note));
  return {
    ...facts,
    title: note?.title || facts.title,
    description: note?.description ?? null,
    isSpoiler: note?.isSpoiler ?? facts.isSpoiler,
  };
}

export function fileMetadataOf(id: bigint, file: ReceivedFile, name: string): FileMetadata {
  const filename = safeFilename(name);
  const { contentType, blob } = file;
  const named = { filename, title: titleOf(name), isSpoiler: isSpoilerName(filename) };
  return { id, ...named, contentType, size: blob.size, ...dimensions(file) };
}

/** @throws INVALID_INPUT if a note refers to an unknown file, or two notes to the same one */
export function checkNotes(
  files: readonly UploadedFile[],
  notes: readonly AttachmentNote[],
  old: Pick<Attachment, 'id'>[] = [],
): void {
  const known = new Set([...files.map((file) => BigInt(file.index)), ...old.map(({ id }) => id)]);
  const faults = notes.flatMap(({ id }, index): FieldFault[] => {
    const path = `attachments.${index}.id`;
    if (!known.has(id)) return [{ path, code: 'ATTACHMENT_NOT_FOUND', message: 'There is no file with this ID.' }];
    const isRepeated = notes.findIndex((note) => note.id === id) < index;
    return isRepeated ? [{ path, code: 'BASE_TYPE_INVALID', message: 'This file is already in the list.' }] : [];
  });
  if (faults.length > 0) throw invalidInput(...faults);
}

/** @throws TOO_MANY_ATTACHMENTS, FILE_TOO_LARGE, REQUEST_TOO_LARGE */
export function checkFiles(files: readonly ReceivedFile[]): void {
  if (files.length > limits.attachmentsPerMessage) throw tooManyAttachments();
  if (files.some((file) => file.blob.size > limits.fileSize)) throw fileTooLarge();
  if (files.reduce((sum, file) => sum + file.blob.size, 0) > limits.requestSize) {
    throw new DomainError('REQUEST_TOO_LARGE');
  }
}

export function tooManyAttachments(): DomainError {
  return new DomainError(
    'TOO_MANY_ATTACHMENTS',
    `Maximum number of attachments in a message reached (${limits.attachmentsPerMessage})`,
  );
}

export function fileTooLarge(): DomainError {
  return new DomainError('FILE_TOO_LARGE', `File uploaded exceeds the maximum size of ${limits.fileSize} bytes`);
}

export async function discardFiles(
  call: CallContext,
  channelId: bigint,
  files: readonly StoredAttachment[],
): Promise<void> {
  await removeFiles(call, ...files.map((file) => attachmentKey(channelId, file)));
}

export async function discardFolder(call: CallContext, folder: FolderKey): Promise<void> {
  await removeFiles(call, folderOf(folder));
}

/** If the outcome of `write` is unknown, files stay. `abandoned-files.ts` later removes those without a row. */
export async function unlessStored<T>(write: () => Promise<T>, discard: () => Promise<void>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!mayBeDone(error)) await discard();
    throw error;
  }
}

/** Folders of all attachments of deleted messages. */
export function foldersOf(channelId: bigint, attachments: readonly StoredAttachment[]): string[] {
  return [...new Set(attachments.map(folderIdOf))].map((folderId) => folderOf({ channelId, folderId }));
}

export async function discardAllFiles(
  call: CallContext,
  channelId: bigint,
  attachments: readonly StoredAttachment[],
): Promise<void> {
  await removeFiles(call, ...foldersOf(channelId, attachments));
}

/** A storage error is only logged, since the rows are already written. */
async function removeFiles(call: CallContext, ...keys: string[]): Promise<void> {
  try {
    await Promise.all(keys.map((key) => call.blobs.remove(key)));
  } catch (error) {
    call.log.warn({ err: error }, 'Could not remove files of a message; they remain in storage');
  }
}

/** Magic bytes of PNG, GIF, JPEG and WebP, as Latin-1. */
const SIZED_FORMATS = ['\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a', '\xff\xd8\xff', 'RIFF'];

/** Finding the dimensions in other formats' headers can take unbounded work. */
function isSized({ contentType, blob }: ReceivedFile): boolean {
  const beginning = blob.head.toString('latin1', 0, 12);
  return contentType.startsWith('image/') && SIZED_FORMATS.some((format) => beginning.startsWith(format));
}

/** From this EXIF orientation on, the image is rotated by 90 degrees. */
const LYING = 5;

function dimensions(file: ReceivedFile): { width: number | null; height: number | null } {
  if (!isSized(file)) return { width: null, height: null };
  try {
    const { width, height, orientation = 1 } = imageSize(file.blob.head);
    return orientation < LYING ? { width, height } : { width: height, height: width };
  } catch {
    return { width: null, height: null };
  }
}

export interface AttachmentFile {
  id: bigint;
  key: string;
  contentType: string;
  /** In bytes. */
  size: number;
}

/** @returns null if the attachment or its file is missing */
export async function findAttachmentFile(
  read: Reader,
  blobs: BlobStore,
  input: { channelId: bigint; attachmentId: bigint; filename: string },
): Promise<AttachmentFile | null> {
  const attachment = await read.attachment.findFirst({
    where: { id: input.attachmentId, filename: input.filename, message: { channelId: input.channelId } },
  });
  if (!attachment) return null;
  const key = attachmentKey(input.channelId, attachment);
  const size = await blobs.size(key);
  return size === null ? null : { id: attachment.id, key, contentType: attachment.contentType, size };
}
