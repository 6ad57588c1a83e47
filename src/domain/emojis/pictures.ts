import { Readable } from 'node:stream';
import type { EmojiImage } from '../../infra/images.js';
import type { BlobStore } from '../../infra/storage/blobs.js';
import type { CallContext } from '../call.js';
import { invalidInput } from '../errors.js';
import { type IconSource, limitImages, tooManyImages } from '../icons.js';
import { idIn, type KeptFiles } from '../kept-files.js';
import { limits } from '../limits.js';
import { unlessStored } from '../messages/files/files.js';

/** Stored formats. Only an animated emoji has `gif` and `moving`. */
export type EmojiForm = keyof EmojiImage;

function folderOf(id: bigint): string {
  return `emojis/${id}/`;
}

/**
 * Stores the image, calls `make`, and removes the image if `make` fails.
 * @throws INVALID_INPUT at `image`, RATE_LIMITED, OVERLOADED, and the errors of `source` and `make`
 */
export async function makeWithPicture<T>(
  call: CallContext,
  source: IconSource,
  make: (emoji: { id: bigint; animated: boolean }) => Promise<T>,
): Promise<T> {
  const id = call.nextId();
  const { animated } = await keepPicture(call, id, source);
  return unlessStored(
    () => make({ id, animated }),
    () => dropPictures(call, [id]),
  );
}

async function keepPicture(call: CallContext, id: bigint, source: IconSource): Promise<{ animated: boolean }> {
  await limitImages(call);
  const content = typeof source === 'function' ? await source() : source;
  if (content.length > limits.emojiSize) {
    const message = `File cannot be larger than ${limits.emojiSize / 1024} kb.`;
    throw invalidInput({ path: 'image', code: 'BINARY_TYPE_MAX_SIZE', message });
  }
  const image = await call.images.emoji(content).catch(tooManyImages);
  if (!image) throw invalidInput({ path: 'image', code: 'IMAGE_INVALID', message: 'Invalid image data' });
  for (const [form, bytes] of Object.entries(image)) {
    const blob = await call.blobs.stage(Readable.from([bytes]));
    await blob.keep(`${folderOf(id)}${form}`);
  }
  return { animated: 'gif' in image };
}

/** Logs a storage error instead of throwing it. */
export async function dropPictures(call: CallContext, ids: readonly bigint[]): Promise<void> {
  try {
    for (const id of ids) await call.blobs.remove(folderOf(id));
  } catch (error) {
    call.log.warn({ err: error }, 'Could not remove images of deleted emojis; the files remain in storage');
  }
}

/** `size` is in bytes. */
export async function findPicture(
  blobs: BlobStore,
  id: bigint,
  form: EmojiForm,
): Promise<{ key: string; size: number } | null> {
  const key = `${folderOf(id)}${form}`;
  const size = await blobs.size(key);
  return size === null ? null : { key, size };
}

export const emojiFiles: KeptFiles = {
  folder: 'emojis',
  knowsAny: async ({ emoji }) => (await emoji.findFirst({ select: { id: true } })) !== null,
  async withRow({ emoji }, keys) {
    const files = keys.map((key) => ({ key, id: idIn(/^emojis\/(\d+)\/\w+$/.exec(key)?.[1]) }));
    const ids = [...new Set(files.map(({ id }) => id))];
    const rows = await emoji.findMany({ where: { id: { in: ids } }, select: { id: true } });
    const known = new Set(rows.map(({ id }) => id));
    return files.filter(({ id }) => id < 0n || known.has(id)).map(({ key }) => key);
  },
};
