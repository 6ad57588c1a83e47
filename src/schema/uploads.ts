import { Readable } from 'node:stream';
import mime from 'mime-types';
import type { UploadedFile } from '../domain/messages/index.js';
import type { BlobStore } from '../infra/blobs.js';

/** Stores files that came with a request until a message takes them. When one cannot be stored, none is. */
export async function receiveFiles(blobs: BlobStore, files: File[]): Promise<UploadedFile[]> {
  const arriving = files.map(async (file, index) => ({
    index,
    filename: file.name,
    contentType: contentTypeOf(file),
    blob: await blobs.stage(Readable.from([Buffer.from(await file.arrayBuffer())])),
  }));
  const arrived = await Promise.allSettled(arriving);
  const fault = arrived.find((result) => result.status === 'rejected');
  const received = arrived.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (!fault) return received;
  await Promise.all(received.map(({ blob }) => blob.discard()));
  throw fault.reason;
}

function contentTypeOf(file: File): string {
  return file.type || mime.lookup(file.name) || 'application/octet-stream';
}

/** The bytes of a file that may be missing, or null to clear what is there. */
export async function bytesOf(file: File | null | undefined): Promise<Buffer | null | undefined> {
  return file && Buffer.from(await file.arrayBuffer());
}
