import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { limits } from '../domain/limits.js';
import { Quota } from '../infra/concurrency/quota.js';
import { type ImageForm, type Images, type SizedImage, TooManyImages } from '../infra/images.js';
import type { ByteRange } from './conditions.js';
import { type Content, type StoredContent, tagOf } from './send.js';

/** Cache size. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** Size limit of a converted image. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Cache time for serving the original: a slow conversion may succeed later. */
const AS_IT_IS_MS = 60_000;

/** Running and queued conversions of one file per client. */
const FORMS_AT_ONCE = 8;

/** Cache overhead of an entry. */
const ENTRY_BYTES = 512;

/** Chunk size of responses. */
const PIECE_BYTES = 64 * 1024;

/** Limits the images that running responses hold. */
const HELD_BYTES = 32 * 1024 * 1024;

const TYPES: Record<SizedImage['format'], string> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
};

interface Wish {
  client: string;
  file: StoredContent;
  form: ImageForm;
}

/** Null if the original is served. */
interface Kept {
  image: { type: string; content: Buffer; tag: string } | null;
}

/**
 * Concurrent requests share one conversion. Running responses hold at most `HELD_BYTES` in all; others hold one chunk
 * each.
 */
export class SizedImages {
  readonly #kept = new LRUCache<string, Kept, Wish>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ image }) => ENTRY_BYTES + (image?.content.length ?? 0),
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { options, context }) => {
      const kept = await this.#make(context);
      if (!kept.image) options.ttl = AS_IT_IS_MS;
      return kept;
    },
  });
  readonly #formsOf = new Quota(FORMS_AT_ONCE);
  #held = 0;

  constructor(private readonly images: Images) {}

  /**
   * The caller checks access.
   * @param client for fair queueing
   * @returns the original if it is no readable image, the form changes nothing, or the result exceeds 8 MiB
   * @throws {TooManyImages}
   */
  async inForm(client: string, file: StoredContent, form: ImageForm): Promise<Content> {
    const { width, height, format, quality } = form;
    const asks = [width, height, format, quality].some((wish) => wish !== undefined);
    if (!asks || file.size > limits.fileSize) return file;
    const key = `${file.key} ${width}x${height} ${format} ${quality}`;
    const kept = await this.#kept.forceFetch(key, { context: { client, file, form } });
    // Other images may have evicted the entry during the conversion.
    if (this.#kept.peek(key) === undefined) this.#kept.set(key, kept, kept.image ? {} : { ttl: AS_IT_IS_MS });
    const { image } = kept;
    if (!image) return file;
    const { type, tag } = image;
    const size = image.content.length;
    return { type, tag, size, read: (range) => this.#read(key, size, range) };
  }

  async #make({ client, file, form }: Wish): Promise<Kept> {
    const release = this.#formsOf.take(`${client} ${file.key}`);
    if (!release) throw new TooManyImages();
    try {
      const sized = await this.images.sized(client, () => buffer(file.read()), form);
      return { image: sized && sized.content.length <= MAX_BYTES ? served(sized) : null };
    } finally {
      release();
    }
  }

  /** If an image that is not held is evicted, the stream fails. The client can resume with a range. */
  #read(key: string, size: number, { start, end }: ByteRange = { start: 0, end: size - 1 }): Readable {
    const contentNow = () => this.#kept.peek(key)?.image?.content;
    const held = this.#held + size <= HELD_BYTES ? contentNow() : undefined;
    const pieces = function* () {
      for (let at = start; at <= end; at += PIECE_BYTES) {
        const content = held ?? contentNow();
        if (!content) throw new Error('the image was evicted from the cache before it was sent completely');
        // A slice would keep the whole image in memory.
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
