import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { type BoxPicture, BoxPictures } from '../domain/boxes/index.js';
import { isMadeByBox } from '../infra/ids/ids.js';
import type { ByteRange } from './conditions.js';
import type { StoredContent } from './send.js';

/** The cloud's URL may change. */
const AN_HOUR = 'public, max-age=3600';

/** Images of other instances: a cloud serves those of its boxes, a box redirects to its cloud. */
export class Elsewhere {
  readonly #boxes: BoxPictures;

  constructor(private readonly app: AppContext) {
    const { boxes: boxClient, clock, log } = app;
    this.#boxes = new BoxPictures({ read: app.db.reader, boxClient, clock, log });
  }

  isOnBox(id: bigint): boolean {
    return this.app.boxRoutes.mayHave(id);
  }

  /**
   * Null if the box has no such image.
   * @throws the errors of `BoxPictures.find`
   */
  async ofBox(picture: BoxPicture, { type, tag }: { type: string; tag: string }): Promise<StoredContent | null> {
    const content = await this.#boxes.find(picture);
    if (!content) return null;
    const read = ({ start, end }: ByteRange = { start: 0, end: content.length - 1 }) =>
      Readable.from([content.subarray(start, end + 1)]);
    return { key: `box/${picture.of}/${picture.id}/${tag}`, type, tag, size: content.length, read };
  }

  /** @returns null if the cloud cannot have the image */
  sendToCloud(id: bigint, { url }: FastifyRequest, reply: FastifyReply): FastifyReply | null {
    const cloudUrl = this.app.config.box?.cloudUrl;
    if (!cloudUrl || isMadeByBox(id)) return null;
    return reply.header('cache-control', AN_HOUR).redirect(`${cloudUrl}${url}`, 302);
  }
}
