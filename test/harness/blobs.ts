import type { BlobStore } from '../../src/infra/storage/blobs.js';

/** The keys of all blobs below a folder such as `attachments/1`. */
export async function keysBelow(blobs: BlobStore, folder: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of blobs.list(folder)) keys.push(key);
  return keys;
}

/** The names of blobs and folders directly below a folder. */
export async function namesIn(blobs: BlobStore, folder: string): Promise<string[]> {
  const keys = await keysBelow(blobs, folder);
  return [...new Set(keys.map((key) => key.slice(folder.length + 1).split('/')[0] ?? ''))];
}
