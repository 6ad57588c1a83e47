import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobStore } from '../infra/blobs.js';
import { IMAGE_FORMATS, type ImageFormat, squareImage } from '../infra/images.js';
import type { CallContext } from './call.js';
import { invalidInput } from './errors.js';
import { ICONS_A_PERSON, limits } from './limits.js';
import { takeLimit } from './rate-limits.js';

/** As long as the reference platform's hashes: 32 hexadecimal digits. */
const HASH_BYTES = 16;

/** Whose icon it is: an application's, which is also its bot's avatar, or a team's. */
export interface IconOwner {
  folder: 'app-icons' | 'team-icons';
  id: bigint;
}

/** Where one form of an icon is kept. */
function iconKey({ folder, id }: IconOwner, hash: string, format: ImageFormat): string {
  return `${folder}/${id}/${hash}.${format}`;
}

/**
 * Checks an image and keeps it as an icon of its owner, which shows it once its row names the hash.
 * @param content the bytes of a PNG, JPEG, GIF or WebP image
 * @returns the hash: one of its own for every upload, so that removing an old icon never takes a new one along
 * @throws INVALID_INPUT at `icon`, RATE_LIMITED
 */
export async function keepIcon(call: CallContext, owner: IconOwner, content: Buffer): Promise<string> {
  await limitUploads(call);
  if (content.length > limits.iconSize) {
    const message = `File cannot be larger than ${limits.iconSize / 1024} kb.`;
    throw invalidInput({ path: 'icon', code: 'BINARY_TYPE_MAX_SIZE', message });
  }
  const image = await squareImage(content);
  if (!image) {
    const message = 'Must be a PNG, JPEG, GIF or WebP image of at most 16 million pixels.';
    throw invalidInput({ path: 'icon', code: 'IMAGE_INVALID', message });
  }
  const hash = randomBytes(HASH_BYTES).toString('hex');
  await Promise.all(
    IMAGE_FORMATS.map(async (format) => {
      const blob = await call.blobs.stage(Readable.from([image[format]]));
      await blob.keep(iconKey(owner, hash, format));
    }),
  );
  return hash;
}

async function limitUploads(call: CallContext): Promise<void> {
  const { actor } = call;
  if (actor.kind !== 'person') return;
  await takeLimit(call, ICONS_A_PERSON, String(actor.user.id), () => 'Too many icons; try again in a moment.');
}

/**
 * Removes an icon's files unless its owner shows it (again). Files that stay behind because the disk refused are no
 * reason to fail.
 */
export async function dropIcon(call: CallContext, owner: IconOwner, hash: string): Promise<void> {
  try {
    if (await isShown(call, owner, hash)) return;
    await Promise.all(IMAGE_FORMATS.map((format) => call.blobs.remove(iconKey(owner, hash, format))));
  } catch (error) {
    const of = `${owner.folder}/${owner.id}`;
    call.log.warn({ err: error, of }, 'an icon that is not shown any more stayed behind');
  }
}

async function isShown({ read }: CallContext, { folder, id }: IconOwner, iconHash: string): Promise<boolean> {
  const where = { id, iconHash };
  switch (folder) {
    case 'app-icons':
      return (await read.application.findFirst({ where, select: { id: true } })) !== null;
    case 'team-icons':
      return (await read.team.findFirst({ where, select: { id: true } })) !== null;
  }
}

/** The file of an icon, or null when there is none. `size` is in bytes. */
export async function findIcon(
  blobs: BlobStore,
  input: { owner: IconOwner; hash: string; format: ImageFormat },
): Promise<{ key: string; size: number } | null> {
  const key = iconKey(input.owner, input.hash, input.format);
  const size = await blobs.size(key);
  return size === null ? null : { key, size };
}
