import type { Reader } from '../../infra/database/index.js';
import type { BlobStore } from '../../infra/storage/blobs.js';
import type { CallContext } from '../call.js';
import { idIn, type KeptFiles } from '../kept-files.js';
import type { AttachmentFile } from '../messages/files/files.js';
import type { FileShown } from './requests/request.js';

export function folderOf(interactionId: bigint): string {
  return `interaction-files/${interactionId}/`;
}

/** Key in the blob store. */
export function interactionFileKey({ interactionId, id }: { interactionId: bigint; id: bigint }): string {
  return `${folderOf(interactionId)}${id}`;
}

export const interactionFiles: KeptFiles = {
  folder: 'interaction-files',
  knowsAny: async (read) => (await read.interactionFile.findFirst({ select: { id: true } })) !== null,
  async withRow(read, keys) {
    const idOf = (key: string) => idIn(/^interaction-files\/\d+\/(\d+)$/.exec(key)?.[1]);
    const rows = await read.interactionFile.findMany({ where: { id: { in: keys.map(idOf) } }, select: { id: true } });
    const ids = new Set(rows.map(({ id }) => id));
    return keys.filter((key) => idOf(key) < 0n || ids.has(idOf(key)));
  },
};

/** Stores all files or none. */
export async function keepFilesOf(
  call: CallContext,
  interactionId: bigint,
  files: readonly FileShown[],
): Promise<void> {
  const kept = await Promise.allSettled(
    files.map(({ file, blob }) => blob.keep(interactionFileKey({ interactionId, id: file.id }))),
  );
  const failed = kept.find((one) => one.status === 'rejected');
  if (!failed) return;
  await discardFilesOf(call, interactionId);
  throw failed.reason;
}

export async function discardFilesOf(call: CallContext, interactionId: bigint): Promise<void> {
  try {
    await call.blobs.remove(folderOf(interactionId));
  } catch (error) {
    call.log.warn(
      { err: error },
      'Could not remove files of an interaction that was not stored; they remain in storage',
    );
  }
}

export async function findInteractionFile(
  read: Reader,
  blobs: BlobStore,
  { channelId, attachmentId, filename }: { channelId: bigint; attachmentId: bigint; filename: string },
): Promise<AttachmentFile | null> {
  const file = await read.interactionFile.findFirst({
    where: { id: attachmentId, filename, interaction: { channelId } },
  });
  if (!file) return null;
  const key = interactionFileKey(file);
  const size = await blobs.size(key);
  return size === null ? null : { id: file.id, key, contentType: file.contentType, size };
}
