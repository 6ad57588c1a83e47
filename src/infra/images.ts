import { Lazy } from './lazy.js';
import { type Release, SharedSlots, Slots } from './slots.js';

/** The forms an image is kept in. */
export const IMAGE_FORMATS = ['png', 'webp', 'jpg'] as const;

export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** One image in each form, as it is served. */
export type KeptImage = Record<ImageFormat, Buffer>;

/** The side of the largest square that is kept of an icon, in pixels. */
export const ICON_SIDE = 512;

/** The longer side of the largest cover that is kept, in pixels. */
export const COVER_SIDE = 1_024;

/**
 * More pixels than this, or a longer side, is not decoded: a small file can unpack to gigabytes, and whole rows of it are held at
 * once.
 */
const MAX_PIXELS = 4_096 * 4_096;
const MAX_INPUT_SIDE = 8_192;

/**
 * How many images are decoded at once, and how many may wait for that: of those that are uploaded, and for each client of those that are sized.
 */
const DECODED_AT_ONCE = 2;
const UPLOADS_WAITING = 16;
const SIZED_WAITING = 32;

/** How many may wait to be sized for all clients together. */
const SIZED_WAITING_IN_ALL = 512;

/** How long one image may take, in seconds. */
const DEADLINE_SECONDS = 10;

/** How long one may take that is sized: others wait for it, and it can be shown as it is. */
const SIZED_DEADLINE_SECONDS = 5;

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

/** Each kind has a line of its own, and those at the head of the two lines take turns: neither kind keeps the other waiting for long. */
const decoders = new Slots(DECODED_AT_ONCE);
const uploads = new Slots(DECODED_AT_ONCE, UPLOADS_WAITING);
const sizings = new SharedSlots<string>(DECODED_AT_ONCE, SIZED_WAITING, SIZED_WAITING_IN_ALL);

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
export function squareImage(content: Buffer): Promise<KeptImage | null> {
  return inTurn(
    () => uploads.take(),
    (sharp) => makeSquare(sharp, content).catch(nothing),
  );
}

/**
 * Fits an image as {@link squareImage} does into 1,024 pixels on each side, with its own proportions, and without making it larger.
 * @returns null for what {@link squareImage} answers null for
 * @throws {TooManyImages}
 */
export function coverImage(content: Buffer): Promise<KeptImage | null> {
  return inTurn(
    () => uploads.take(),
    (sharp) => makeCover(sharp, content).catch(nothing),
  );
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
export const EMOJI_SIDE = 128;

/**
 * Fits a PNG, JPEG, GIF or WebP image into 128 pixels on each side, without making it larger. Of an animation all frames remain in the last
 * two forms, the first one in the others.
 * @returns null for anything else, for more than 16 million pixels in all frames together, and for a side of more than 8,192
 * @throws {TooManyImages}
 */
export function emojiImage(content: Buffer): Promise<EmojiImage | null> {
  return inTurn(
    () => uploads.take(),
    (sharp) => makeEmoji(sharp, content).catch(nothing),
  );
}

/** How an image is asked for. */
export interface ImageForm {
  /** It is made no wider and no higher than this, in pixels, and never larger than it is. */
  width?: number | undefined;
  height?: number | undefined;
  /** As it is kept, unless stated. */
  format?: 'png' | 'jpeg' | 'webp' | undefined;
  /** From 1 to 100; what JPEG and WebP usually have, unless stated. Of no effect on other formats. */
  quality?: number | 'lossless' | undefined;
}

/** An image in the form it was asked for. */
export interface SizedImage {
  content: Buffer;
  format: 'png' | 'jpeg' | 'webp' | 'gif';
}

/** An image of more frames is not sized: each takes its time, however small it is. */
const MAX_FRAMES = 1_000;

/**
 * Makes an image smaller, or of another format. Of an animation all frames remain as GIF and as WebP, the first one in other formats; of
 * metadata nothing.
 * @param client whose request it is; clients take turns
 * @param read reads a PNG, JPEG, GIF or WebP image, told by its content, once there is room for it
 * @returns null where the form is that of the image already, for anything else than an image, for more than 16 million pixels in all frames
 * that remain, for more than 1,000 of these, for a side of more than 8,192, and for what takes more than 5 seconds
 * @throws {TooManyImages} and what `read` throws
 */
export function sizedImage(client: string, read: () => Promise<Buffer>, form: ImageForm): Promise<SizedImage | null> {
  return inTurn(
    () => sizings.take(client),
    async (sharp) => {
      const content = await read();
      return makeSized(sharp, content, form).catch(nothing);
    },
  );
}

/** Does something with an image once there is room for it. @throws {TooManyImages} */
async function inTurn<Result>(
  enter: () => Promise<Release> | null,
  work: (sharp: Sharp) => Promise<Result>,
): Promise<Result> {
  const sharp = await library.get();
  const place = enter();
  if (!place) throw new TooManyImages();
  const leaveLine = await place;
  const release = await decoders.take();
  try {
    return await work(sharp);
  } finally {
    release?.();
    leaveLine();
  }
}

/** What comes of an image that cannot be read. */
function nothing(): null {
  return null;
}

async function makeSized(sharp: Sharp, content: Buffer, form: ImageForm): Promise<SizedImage | null> {
  const { pages = 1, autoOrient, ...found } = await sharp(content, { limitInputPixels: MAX_PIXELS }).metadata();
  const { width, height } = autoOrient;
  const format = form.format ?? formatOf(found.format);
  const frames = format === 'gif' || format === 'webp' ? pages : 1;
  const isTooLarge = Math.max(width, height) > MAX_INPUT_SIDE || width * height * frames > MAX_PIXELS;
  if (format === null || isTooLarge || frames > MAX_FRAMES) return null;
  const isSmallEnough = width <= (form.width ?? width) && height <= (form.height ?? height);
  if (isSmallEnough && format === found.format && !isOtherQuality(format, form)) return null;
  const image = sharp(content, { limitInputPixels: MAX_PIXELS, animated: frames > 1 })
    .timeout({ seconds: SIZED_DEADLINE_SECONDS })
    .autoOrient()
    .resize({ width: form.width, height: form.height, fit: 'inside', withoutEnlargement: true });
  return { content: await encoded(image, format, form.quality).toBuffer(), format };
}

function formatOf(format: string): SizedImage['format'] | null {
  return format === 'png' || format === 'jpeg' || format === 'webp' || format === 'gif' ? format : null;
}

/** Whether an image of the format has to be made anew for its quality. */
function isOtherQuality(format: SizedImage['format'], { quality }: ImageForm): boolean {
  return typeof quality === 'number' && (format === 'jpeg' || format === 'webp');
}

function encoded(image: SharpImage, format: SizedImage['format'], quality: ImageForm['quality']): SharpImage {
  const lossy = typeof quality === 'number' ? { quality } : {};
  switch (format) {
    case 'png':
      return image.png();
    case 'gif':
      return image.gif();
    case 'webp':
      return image.webp(quality === 'lossless' ? { lossless: true } : lossy);
    case 'jpeg':
      return image.flatten({ background: '#fff' }).jpeg(quality === 'lossless' ? { quality: 100 } : lossy);
  }
}

async function makeEmoji(sharp: Sharp, content: Buffer): Promise<EmojiImage | null> {
  const { width, height, pages = 1 } = await sharp(content, { limitInputPixels: MAX_PIXELS }).metadata();
  if (Math.max(width, height) > MAX_INPUT_SIDE || width * height * pages > MAX_PIXELS) return null;
  const image = await inEachForm(sharp, fitted(sharp(content, { limitInputPixels: MAX_PIXELS }), EMOJI_SIDE));
  if (pages === 1) return image;
  const frames = () => fitted(sharp(content, { limitInputPixels: MAX_PIXELS, animated: true }), EMOJI_SIDE);
  return { ...image, gif: await frames().gif().toBuffer(), moving: await frames().webp().toBuffer() };
}

function fitted(image: SharpImage, side: number): SharpImage {
  return image
    .timeout({ seconds: DEADLINE_SECONDS })
    .autoOrient()
    .resize(side, side, { fit: 'inside', withoutEnlargement: true });
}

async function makeCover(sharp: Sharp, content: Buffer): Promise<KeptImage | null> {
  const image = sharp(content, { limitInputPixels: MAX_PIXELS });
  const { width, height } = await image.metadata();
  return Math.max(width, height) > MAX_INPUT_SIDE ? null : inEachForm(sharp, fitted(image, COVER_SIDE));
}

async function makeSquare(sharp: Sharp, content: Buffer): Promise<KeptImage | null> {
  const { width, height } = await sharp(content, { limitInputPixels: MAX_PIXELS }).metadata();
  const longer = Math.max(width, height);
  if (longer > MAX_INPUT_SIDE) return null;
  const side = Math.min(ICON_SIDE, longer);
  const square = sharp(content, { limitInputPixels: MAX_PIXELS })
    .timeout({ seconds: DEADLINE_SECONDS })
    .autoOrient()
    .resize(side, side, { fit: 'contain', background: '#0000' });
  return inEachForm(sharp, square);
}

async function inEachForm(sharp: Sharp, image: SharpImage): Promise<KeptImage> {
  const pixels = sharp(await image.png().toBuffer());
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
