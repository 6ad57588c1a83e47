import { Lazy } from './lazy.js';
import { Slots } from './slots.js';

/** The forms an image is kept in. */
export const IMAGE_FORMATS = ['png', 'webp', 'jpg'] as const;

export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** One square image in each form, as it is served. */
export type SquareImage = Record<ImageFormat, Buffer>;

/** The side of the largest square that is kept, in pixels. */
const MAX_SIDE = 512;

/**
 * More pixels than this, or a longer side, is not decoded: a small file can unpack to gigabytes, and whole rows of it are held at
 * once.
 */
const MAX_PIXELS = 4_096 * 4_096;
const MAX_INPUT_SIDE = 8_192;

/** How many images are decoded at once, and how many may wait for that. */
const DECODED_AT_ONCE = 2;
const MAX_WAITING = 16;

/** How long one image may take, in seconds. */
const DEADLINE_SECONDS = 10;

/** The decoders that may see what somebody uploaded; SVG, PDF and TIFF are not among them. */
const DECODERS = ['Png', 'Jpeg', 'Nsgif', 'Webp'].map((name) => `VipsForeignLoad${name}`);

/** The image library, which few requests need. */
const library = new Lazy(async () => {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: DECODERS });
  return sharp;
});

type Sharp = Awaited<ReturnType<typeof library.get>>;
type SharpImage = ReturnType<Sharp>;

const decoders = new Slots(DECODED_AT_ONCE, MAX_WAITING);

/** So many images wait to be decoded already that another one is not taken. */
export class TooManyImages extends Error {
  override readonly name = 'TooManyImages';
}

/**
 * Fits a PNG, JPEG, GIF or WebP image, told by its content, into a square of at most 512 pixels; what it leaves free is
 * transparent, and white as JPEG. Of an animation the first frame remains, of metadata nothing.
 * @returns null for anything else, for more than 16 million pixels and for a side of more than 8,192
 * @throws {TooManyImages}
 */
export function squareImage(content: Buffer): Promise<SquareImage | null> {
  return inTurn((sharp) => makeSquare(sharp, content));
}

/** An image of an emoji in each form that it is served in, by the name of the form; the last two of one that moves. */
export interface EmojiImage {
  png: Buffer;
  webp: Buffer;
  jpg: Buffer;
  gif?: Buffer;
  moving?: Buffer;
}

/** The side of the square that an emoji fits in, in pixels. */
const EMOJI_SIDE = 128;

/**
 * Fits a PNG, JPEG, GIF or WebP image into 128 pixels on each side, without making it larger. Of an animation all frames remain in the last
 * two forms, the first one in the others.
 * @returns null for anything else, for more than 16 million pixels in all frames together, and for a side of more than 8,192
 * @throws {TooManyImages}
 */
export function emojiImage(content: Buffer): Promise<EmojiImage | null> {
  return inTurn((sharp) => makeEmoji(sharp, content));
}

/** Does something with an image once there is room for it; null where it fails. */
async function inTurn<Image>(make: (sharp: Sharp) => Promise<Image | null>): Promise<Image | null> {
  const sharp = await library.get();
  const turn = decoders.take();
  if (!turn) throw new TooManyImages();
  const release = await turn;
  try {
    return await make(sharp);
  } catch {
    return null;
  } finally {
    release();
  }
}

async function makeEmoji(sharp: Sharp, content: Buffer): Promise<EmojiImage | null> {
  const { width, height, pages = 1 } = await sharp(content, { limitInputPixels: MAX_PIXELS }).metadata();
  if (Math.max(width, height) > MAX_INPUT_SIDE || width * height * pages > MAX_PIXELS) return null;
  const still = sharp(
    await fitted(sharp(content, { limitInputPixels: MAX_PIXELS }))
      .png()
      .toBuffer(),
  );
  const image = {
    png: await still.clone().png({ compressionLevel: 9 }).toBuffer(),
    webp: await still.clone().webp().toBuffer(),
    jpg: await still.clone().flatten({ background: '#fff' }).jpeg().toBuffer(),
  };
  if (pages === 1) return image;
  const frames = () => fitted(sharp(content, { limitInputPixels: MAX_PIXELS, animated: true }));
  return { ...image, gif: await frames().gif().toBuffer(), moving: await frames().webp().toBuffer() };
}

function fitted(image: SharpImage): SharpImage {
  return image
    .timeout({ seconds: DEADLINE_SECONDS })
    .autoOrient()
    .resize(EMOJI_SIDE, EMOJI_SIDE, { fit: 'inside', withoutEnlargement: true });
}

async function makeSquare(sharp: Sharp, content: Buffer): Promise<SquareImage | null> {
  const { width, height } = await sharp(content, { limitInputPixels: MAX_PIXELS }).metadata();
  const longer = Math.max(width, height);
  if (longer > MAX_INPUT_SIDE) return null;
  const side = Math.min(MAX_SIDE, longer);
  const square = sharp(content, { limitInputPixels: MAX_PIXELS })
    .timeout({ seconds: DEADLINE_SECONDS })
    .autoOrient()
    .resize(side, side, { fit: 'contain', background: '#0000' });
  const pixels = sharp(await square.png().toBuffer());
  // One after the other: each takes one of the few threads that files are read with, too.
  return {
    png: await pixels.clone().png({ compressionLevel: 9 }).toBuffer(),
    webp: await pixels.clone().webp().toBuffer(),
    jpg: await pixels.clone().flatten({ background: '#fff' }).jpeg().toBuffer(),
  };
}

/** The colours of those who have no avatar, in the reference platform's order: blurple, grey, green, orange, red, pink. */
const AVATAR_COLOURS = ['#5865f2', '#747f8d', '#3ba55c', '#faa61a', '#ed4245', '#eb459f'] as const;

/** How many default avatars there are. */
export const DEFAULT_AVATARS = AVATAR_COLOURS.length;

/** The side of a default avatar, in pixels. */
const AVATAR_SIDE = 256;

const drawn = new Map<number, Promise<Buffer>>();

/** The avatar of somebody who has none, as PNG: a white head and shoulders before a colour. */
export function defaultAvatar(index: number): Promise<Buffer> {
  const known = drawn.get(index);
  if (known) return known;
  const drawing = drawAvatar(AVATAR_COLOURS[index] ?? AVATAR_COLOURS[0]);
  drawn.set(index, drawing);
  return drawing;
}

async function drawAvatar(background: string): Promise<Buffer> {
  const sharp = await library.get();
  const raw = { width: AVATAR_SIDE, height: AVATAR_SIDE, channels: 4 as const };
  return sharp({ create: { ...raw, background } })
    .composite([{ input: figure(), raw }])
    .png({ palette: true })
    .toBuffer();
}

/** RGBA pixels of a head above shoulders, white where it is and transparent around. */
function figure(): Buffer {
  const pixels = Buffer.alloc(AVATAR_SIDE * AVATAR_SIDE * 4, 255);
  for (let y = 0; y < AVATAR_SIDE; y += 1) {
    for (let x = 0; x < AVATAR_SIDE; x += 1) {
      const cover = Math.max(disc(x, y, { y: 100, radius: 44 }), disc(x, y, { y: 236, radius: 80 }));
      pixels[(y * AVATAR_SIDE + x) * 4 + 3] = Math.round(cover * 255);
    }
  }
  return pixels;
}

/** How much of a pixel a disc in the middle of the width covers, from 0 to 1; its edge is one pixel soft. */
function disc(x: number, y: number, centre: { y: number; radius: number }): number {
  const distance = Math.hypot(x + 0.5 - AVATAR_SIDE / 2, y + 0.5 - centre.y);
  return Math.min(1, Math.max(0, centre.radius + 0.5 - distance));
}
