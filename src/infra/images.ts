import { Lazy } from './caching/lazy.js';
import { FairSemaphore, type Release, Semaphore } from './concurrency/semaphore.js';

export const IMAGE_FORMATS = ['png', 'webp', 'jpg'] as const;

export type ImageFormat = (typeof IMAGE_FORMATS)[number];

export type KeptImage = Record<ImageFormat, Buffer>;

/** Largest side of a stored icon, in pixels. */
export const ICON_SIDE = 512;

/** Longest side of a stored cover, in pixels. */
export const COVER_SIDE = 1_024;

/** Larger images are not decoded: a small file can unpack to gigabytes, with whole rows in memory. */
const MAX_PIXELS = 4_096 * 4_096;
const MAX_INPUT_SIDE = 8_192;

/** Concurrent decodes, queued uploads, and queued resizes per client. */
const DECODED_AT_ONCE = 2;
const UPLOADS_WAITING = 16;
const SIZED_WAITING = 32;

const SIZED_WAITING_IN_ALL = 512;

const DEADLINE_SECONDS = 10;

/** Shorter than {@link DEADLINE_SECONDS}, because the original can be shown instead. */
const SIZED_DEADLINE_SECONDS = 5;

/** Excludes SVG, PDF and TIFF. */
const DECODERS = ['Png', 'Jpeg', 'Nsgif', 'Webp'].map((name) => `VipsForeignLoad${name}`);

/** Loaded on demand, because few requests need it. */
const library = new Lazy(async () => {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: DECODERS });
  return sharp;
});

type Sharp = Awaited<ReturnType<typeof library.get>>;
type SharpImage = ReturnType<Sharp>;

export class TooManyImages extends Error {
  override readonly name = 'TooManyImages';
}

/** Only animations have `gif` and `moving`. */
export interface EmojiImage {
  png: Buffer;
  webp: Buffer;
  jpg: Buffer;
  gif?: Buffer;
  moving?: Buffer;
}

/** Pixels. */
export const EMOJI_SIDE = 128;

export interface ImageForm {
  /** Limits in pixels. An image is never enlarged. */
  width?: number | undefined;
  height?: number | undefined;
  /** Default: the stored format. */
  format?: 'png' | 'jpeg' | 'webp' | undefined;
  /** From 1 to 100, for JPEG and WebP only. Default: the library's. */
  quality?: number | 'lossless' | undefined;
}

export interface SizedImage {
  content: Buffer;
  format: 'png' | 'jpeg' | 'webp' | 'gif';
}

/** Longer animations are not resized: each frame takes time, however small it is. */
const MAX_FRAMES = 1_000;

/** One instance per process limits its threads and memory. */
export class Images {
  /** Uploads and resizes have separate queues that take turns, so that neither delays the other for long. */
  readonly #decoders = new Semaphore(DECODED_AT_ONCE);
  readonly #uploads = new Semaphore(DECODED_AT_ONCE, UPLOADS_WAITING);
  readonly #sizings = new FairSemaphore<string>(DECODED_AT_ONCE, SIZED_WAITING, SIZED_WAITING_IN_ALL);

  /**
   * Fits a PNG, JPEG, GIF or WebP image, detected by its content, into a square of at most 512 pixels. The padding is
   * transparent, or white in JPEG. Keeps the first frame of an animation and no metadata.
   * @returns null for other content, more than 16 million pixels, or a side above 8,192
   * @throws {TooManyImages}
   */
  square(content: Buffer): Promise<KeptImage | null> {
    return this.#uploaded((sharp) => makeSquare(sharp, content));
  }

  /**
   * Fits an image into 1,024 pixels on each side, without enlarging it.
   * @returns null in the cases of {@link square}
   * @throws {TooManyImages}
   */
  cover(content: Buffer): Promise<KeptImage | null> {
    return this.#uploaded((sharp) => makeCover(sharp, content));
  }

  /**
   * Fits a PNG, JPEG, GIF or WebP image into 128 pixels on each side, without enlarging it. `gif` and `moving` keep all
   * frames of an animation, the other forms the first.
   * @returns null in the cases of {@link square}; the pixels of all frames count
   * @throws {TooManyImages}
   */
  emoji(content: Buffer): Promise<EmojiImage | null> {
    return this.#uploaded((sharp) => makeEmoji(sharp, content));
  }

  /**
   * Removes metadata. GIF and WebP keep all frames of an animation, other formats the first.
   * @param client for fair queueing
   * @param read called when a decoder is free
   * @returns null if the image has this form already, cannot be decoded, takes more than 5 seconds, or has a side above
   * 8,192. Also null above 1,000 kept frames or 16 million pixels in them.
   * @throws {TooManyImages}, and errors of `read`
   */
  sized(client: string, read: () => Promise<Buffer>, form: ImageForm): Promise<SizedImage | null> {
    return this.#inTurn(
      () => this.#sizings.take(client),
      async (sharp) => {
        const content = await read();
        return makeSized(sharp, content, form).catch(nothing);
      },
    );
  }

  #uploaded<Image>(make: (sharp: Sharp) => Promise<Image | null>): Promise<Image | null> {
    return this.#inTurn(
      () => this.#uploads.take(),
      (sharp) => make(sharp).catch(nothing),
    );
  }

  /** @throws {TooManyImages} */
  async #inTurn<Result>(
    enter: () => Promise<Release> | null,
    work: (sharp: Sharp) => Promise<Result>,
  ): Promise<Result> {
    const sharp = await library.get();
    const entered = enter();
    if (!entered) throw new TooManyImages();
    const leave = await entered;
    const release = await this.#decoders.take();
    try {
      return await work(sharp);
    } finally {
      release?.();
      leave();
    }
  }
}

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
  // Conversions run one after another: each uses one of the few threads that also read files.
  return {
    png: await pixels.clone().png({ compressionLevel: 9 }).toBuffer(),
    webp: await pixels.clone().webp().toBuffer(),
    jpg: await pixels.clone().flatten({ background: '#fff' }).jpeg().toBuffer(),
  };
}

/** In Discord's order: blurple, grey, green, orange, red, pink. */
const AVATAR_COLOURS = ['#5865f2', '#747f8d', '#3ba55c', '#faa61a', '#ed4245', '#eb459f'] as const;

export const DEFAULT_AVATARS = AVATAR_COLOURS.length;

/** Pixels. */
const AVATAR_SIDE = 256;

const drawn = new Map<number, Promise<Buffer>>();

/** PNG of a white head and shoulders on a colour. */
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

/** Fraction of a pixel that a horizontally centred disc covers. The edge is soft. */
function disc(x: number, y: number, centre: { y: number; radius: number }): number {
  const distance = Math.hypot(x + 0.5 - AVATAR_SIDE / 2, y + 0.5 - centre.y);
  return Math.min(1, Math.max(0, centre.radius + 0.5 - distance));
}
