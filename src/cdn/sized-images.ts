import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { limits } from '../domain/limits.js';
import { Counts } from '../infra/counts.js';
import { type ImageForm, type SizedImage, sizedImage, TooManyImages } from '../infra/images.js';
import type { ByteRange } from './conditions.js';
import { type Content, type StoredContent, tagOf } from './send.js';

/** How much is kept of images in the forms they were asked for, in bytes. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** The largest that is served of them, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

/** How long it is remembered that a file is served as it is, in milliseconds: what took too long may be quicker later. */
const AS_IT_IS_MS = 60_000;

/** How many forms of one file may be made or wait to be made at once for one client. */
const FORMS_AT_ONCE = 8;

/** What an entry takes beside its image, in bytes. */
const ENTRY_BYTES = 512;

/** How much of one is handed to a connection at once, in bytes. */
const PIECE_BYTES = 64 * 1024;

/** How much is held at most for answers that have begun, though others took its place, in bytes. */
const HELD_BYTES = 32 * 1024 * 1024;

const TYPES: Record<SizedImage['format'], string> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
};

/** The image in a form; null where it is served as it is. */
interface Kept {
  image: { type: string; content: Buffer; tag: string } | null;
}

/**
 * Images of the blob store in the forms they are asked for. Each is made once for all who ask at the same time, and kept in memory until
 * others need the room. An answer that has begun holds its image as long as there is room for that, too; beyond it, connections that read
 * slowly hold no more than a piece each.
 */
export class SizedImages {
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ image }) => ENTRY_BYTES + (image?.content.length ?? 0),
  });
  readonly #making = new Map<string, Promise<Kept>>();
  readonly #formsOf = new Counts();
  #held = 0;

  /**
   * A file in a form. Whether there is such a file, and who may see it, is for the caller to know.
   * @param client whose request it is; clients take turns
   * @returns the file as it is where the form would change nothing, where it is no image that can be read, and where the image would be of
   * more than 8 MiB
   * @throws {TooManyImages}
   */
  async inForm(client: string, file: StoredContent, form: ImageForm): Promise<Content> {
    const { width, height, format, quality } = form;
    const asks = [width, height, format, quality].some((wish) => wish !== undefined);
    if (!asks || file.size > limits.fileSize) return file;
    const key = `${file.key} ${width}x${height} ${format} ${quality}`;
    const { image } = this.#kept.get(key) ?? (await this.#make(key, () => this.#begin(key, client, file, form)));
    if (!image) return file;
    const { type, tag } = image;
    const size = image.content.length;
    return { type, tag, size, read: (range) => this.#read(key, size, range) };
  }

  /** Makes an image once for all who ask meanwhile. */
  #make(key: string, begin: () => Promise<Kept>): Promise<Kept> {
    const known = this.#making.get(key);
    if (known) return known;
    const making = begin().finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  async #begin(key: string, client: string, file: StoredContent, form: ImageForm): Promise<Kept> {
    const asked = `${client} ${file.key}`;
    const release = this.#formsOf.take(asked);
    try {
      if (this.#formsOf.of(asked) > FORMS_AT_ONCE) throw new TooManyImages();
      const sized = await sizedImage(client, () => buffer(file.read()), form);
      const kept = { image: sized && sized.content.length <= MAX_BYTES ? served(sized) : null };
      this.#kept.set(key, kept, kept.image ? {} : { ttl: AS_IT_IS_MS });
      return kept;
    } finally {
      release();
    }
  }

  /**
   * What is kept under a key, in pieces. An image that goes meanwhile and could not be held ends the answer before its end; a range has the
   * rest.
   */
  #read(key: string, size: number, { start, end }: ByteRange = { start: 0, end: size - 1 }): Readable {
    const contentNow = () => this.#kept.peek(key)?.image?.content;
    const held = this.#held + size <= HELD_BYTES ? contentNow() : undefined;
    const pieces = function* () {
      for (let at = start; at <= end; at += PIECE_BYTES) {
        const content = held ?? contentNow();
        if (!content) throw new Error('an image was dropped for others before it was sent whole');
        // A copy, which does not hold the rest.
        yield Buffer.from(content.subarray(at, Math.min(at + PIECE_BYTES, end + 1)));
      }
    };
    const answer = Readable.from(pieces(), { highWaterMark: 1 });
    if (held) {
      this.#held += size;
      answer.once('close', () => {
        this.#held -= size;
      });
    }
    return answer;
  }
}

function served({ content, format }: SizedImage): Kept['image'] {
  return { type: TYPES[format], content, tag: tagOf(content) };
}
