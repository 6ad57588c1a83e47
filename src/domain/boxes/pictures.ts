import { LRUCache } from 'lru-cache';
import type { Clock } from '../../infra/clock.js';
import { Quota } from '../../infra/concurrency/quota.js';
import { KeyedSemaphore } from '../../infra/concurrency/semaphore.js';
import type { Reader } from '../../infra/database/index.js';
import { idSpaceOf } from '../../infra/ids/ids.js';
import type { Logger } from '../../infra/observability/logger.js';
import type { EmojiForm } from '../emojis/pictures.js';
import { DomainError, TRY_AGAIN_MS } from '../errors.js';
import type { IconName } from '../icons.js';
import { type BoxClient, BoxRefused } from './client.js';

/** An icon, or an emoji, which has no hash. */
export type BoxPicture = { id: bigint; form: EmojiForm } & ({ of: IconName; hash: string } | { of: 'emojis' });

/** As base64, it fits the longest response to a call. */
export const MAX_PICTURE_BYTES = 1_500_000;

/** Cache size, and overhead of an entry, in bytes. */
const KEPT_BYTES = 64 * 1024 * 1024;
const ENTRY_BYTES = 512;

/** Cache times of an image and of a missing image, in milliseconds. */
const KEPT_MS = 3_600_000;
const NONE_MS = 60_000;

/** Per box: concurrent requests, and all requests including waiting ones. */
const ASKED_AT_ONCE = 8;
const WAITING_FOR_ONE = 64;

interface Wish {
  picture: BoxPicture;
}

interface Kept {
  content: Buffer | null;
}

interface Parts {
  read: Reader;
  boxClient: BoxClient;
  clock: Clock;
  log: Logger;
}

/** Serves images of boxes from the cloud. Concurrent requests for an image share one call, whose result is cached. */
export class BoxPictures {
  readonly #kept: LRUCache<string, Kept, Wish>;
  readonly #waiting = new Quota(WAITING_FOR_ONE);
  readonly #turns = new KeyedSemaphore<bigint>(ASKED_AT_ONCE);

  constructor(private readonly parts: Parts) {
    this.#kept = new LRUCache<string, Kept, Wish>({
      maxSize: KEPT_BYTES,
      sizeCalculation: ({ content }) => ENTRY_BYTES + (content?.length ?? 0),
      ttl: KEPT_MS,
      ttlResolution: 0,
      perf: parts.clock,
      ignoreFetchAbort: true,
      fetchMethod: async (_key, _stale, { options, context }) => {
        const content = await this.#askBox(context.picture);
        if (!content) options.ttl = NONE_MS;
        return { content };
      },
    });
  }

  /**
   * @returns null if there is no such box, or its image is missing or too large
   * @throws GuildUnavailable if the box is offline or does not answer; OVERLOADED if too many requests wait for it
   */
  async find(picture: BoxPicture): Promise<Buffer | null> {
    const key = JSON.stringify({ ...picture, id: String(picture.id) });
    return (await this.#kept.forceFetch(key, { context: { picture } })).content;
  }

  async #askBox(picture: BoxPicture): Promise<Buffer | null> {
    const { read, boxClient, log } = this.parts;
    const box = await read.box.findUnique({ where: { idSpace: idSpaceOf(picture.id) }, select: { id: true } });
    if (!box) return null;
    const release = await this.#turn(box.id);
    try {
      return pictureIn(await boxClient.ask(box.id, 'picture', { ...picture, id: String(picture.id) }), picture.form);
    } catch (error) {
      if (error instanceof BoxRefused) return null;
      if (!(error instanceof UnusablePicture)) throw error;
      log.warn({ boxId: String(box.id), err: error }, 'A box returned an invalid image; treating the image as missing');
      return null;
    } finally {
      release();
    }
  }

  async #turn(boxId: bigint): Promise<() => void> {
    const leave = this.#waiting.take(String(boxId));
    if (!leave) {
      const message = 'Too many images of this server are being requested. Try again in a moment.';
      throw new DomainError('OVERLOADED', message, { retryAfterMs: TRY_AGAIN_MS });
    }
    const endTurn = await this.#turns.take(boxId);
    return () => {
      endTurn();
      leave();
    };
  }
}

class UnusablePicture extends Error {}

/** First bytes of each format, as latin1 text. */
const BEGINNINGS: Record<EmojiForm, RegExp> = {
  png: /^\x89PNG\r\n/,
  jpg: /^\xff\xd8\xff/,
  gif: /^GIF8/,
  webp: /^RIFF.{4}WEBP/s,
  moving: /^RIFF.{4}WEBP/s,
};

/**
 * @param answer `{data}` in base64, or null for no image
 * @throws UnusablePicture
 */
function pictureIn(answer: unknown, form: EmojiForm): Buffer | null {
  if (answer === null) return null;
  const data: unknown = typeof answer === 'object' && 'data' in answer ? answer.data : undefined;
  if (typeof data !== 'string') throw new UnusablePicture('The answer contains no image data.');
  const content = Buffer.from(data, 'base64');
  if (content.length > MAX_PICTURE_BYTES) throw new UnusablePicture(`The image is too large: ${content.length} bytes.`);
  if (!BEGINNINGS[form].test(content.toString('latin1', 0, 12)))
    throw new UnusablePicture(`The image is not in the format ${form}.`);
  return content;
}
