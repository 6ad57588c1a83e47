import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { type BoxPicture, BoxPictures } from '../domain/boxes/index.js';
import { isMadeByBox } from '../infra/ids.js';
import type { ByteRange } from './conditions.js';
import type { StoredContent } from './send.js';

/** How long it may be kept that the cloud has a picture: its address may change. */
const AN_HOUR = 'public, max-age=3600';

/** Pictures that are kept by another instance: in a cloud those of its boxes, in a box those of its cloud (decisions 405). */
export class Elsewhere {
  readonly #boxes: BoxPictures;

  constructor(private readonly app: AppContext) {
    const { boxes: door, clock, log } = app;
    this.#boxes = new BoxPictures({ read: app.db.reader, door, clock, log });
  }

  /** Whether a box keeps what has this id, so that nothing of it is here. */
  isOnBox(id: bigint): boolean {
    return this.app.boxRoutes.mayHave(id);
  }

  /** A picture of a box's; null for none. @throws what `BoxPictures.find` throws */
  async ofBox(picture: BoxPicture, { type, tag }: { type: string; tag: string }): Promise<StoredContent | null> {
    const content = await this.#boxes.find(picture);
    if (!content) return null;
    const read = ({ start, end }: ByteRange = { start: 0, end: content.length - 1 }) =>
      Readable.from([content.subarray(start, end + 1)]);
    return { key: `box/${picture.of}/${picture.id}/${tag}`, type, tag, size: content.length, read };
  }

  /** Sends whoever asks a box for a picture of its cloud's there. @returns null where it can be nowhere else than here */
  sendToCloud(id: bigint, { url }: FastifyRequest, reply: FastifyReply): FastifyReply | null {
    const cloudUrl = this.app.config.box?.cloudUrl;
    if (!cloudUrl || isMadeByBox(id)) return null;
    return reply.header('cache-control', AN_HOUR).redirect(`${cloudUrl}${url}`, 302);
  }
}
