import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { MAX_PICTURE_BYTES } from '../../domain/boxes/index.js';
import { findPicture } from '../../domain/emojis/index.js';
import { findServedIcon, ICON_FOLDERS, type IconName } from '../../domain/icons.js';
import { IMAGE_FORMATS } from '../../infra/images.js';
import type { BlobStore } from '../../infra/storage/blobs.js';
import { snowflake } from '../protocol/ids.js';

const Icon = z.object({
  of: z.enum(Object.keys(ICON_FOLDERS) as [IconName, ...IconName[]]),
  id: snowflake,
  hash: z.string().regex(/^[0-9a-f]{32}$/),
  form: z.enum(IMAGE_FORMATS),
});

const Emoji = z.object({
  of: z.literal('emojis'),
  id: snowflake,
  form: z.enum([...IMAGE_FORMATS, 'gif', 'moving']),
});

/** See docs/relay.md, R-27. */
export const Picture = z.union([Icon, Emoji]);

/** Null if there is none, or if it is too large for a response. */
export async function pictureOf(blobs: BlobStore, picture: z.output<typeof Picture>): Promise<{ data: string } | null> {
  const file = await (picture.of === 'emojis'
    ? findPicture(blobs, picture.id, picture.form)
    : findServedIcon(blobs, { ...picture, format: picture.form }));
  if (!file || file.size > MAX_PICTURE_BYTES) return null;
  return { data: (await buffer(blobs.read(file.key))).toString('base64') };
}
