import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type EmojiForm, findPicture } from '../domain/emojis/index.js';
import { parseSnowflake } from '../infra/ids/ids.js';
import { EMOJI_SIDE } from '../infra/images.js';
import type { ImageSource } from './icons.js';
import { SIZE_QUERY, sizeForm } from './image-queries.js';
import { FOR_EVER, plain, type StoredContent, sendContent, storedContent } from './send.js';

interface EmojiRequest {
  Params: { file: string };
  Querystring: { animated?: string | string[] };
}

const FORMATS: Record<string, { form: EmojiForm; type: string }> = {
  png: { form: 'png', type: 'image/png' },
  webp: { form: 'webp', type: 'image/webp' },
  jpg: { form: 'jpg', type: 'image/jpeg' },
  jpeg: { form: 'jpg', type: 'image/jpeg' },
  gif: { form: 'gif', type: 'image/gif' },
};

const MOVING: (typeof FORMATS)[string] = { form: 'moving', type: 'image/webp' };

/** Animated emojis move as GIF, and as WebP with `animated=true` (Discord docs, Emoji Resource). */
export function mountEmojis(http: FastifyInstance, images: ImageSource): void {
  http.route<EmojiRequest>({
    method: ['GET', 'HEAD'],
    url: '/cdn/emojis/:file',
    exposeHeadRoute: false,
    handler: (request, reply) => serveEmoji(images, request, reply),
  });
}

async function serveEmoji(
  images: ImageSource,
  request: FastifyRequest<EmojiRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [, digits = '', extension = ''] = /^(\d+)\.([a-z]+)$/.exec(request.params.file) ?? [];
  const id = parseSnowflake(digits);
  const asked = FORMATS[extension];
  if (!asked || id === undefined) return noSuchEmoji(reply);
  const found = await find(
    images,
    id,
    extension === 'webp' && request.query.animated === 'true' ? [MOVING, asked] : [asked],
  );
  if (!found) return images.elsewhere.sendToCloud(id, request, reply) ?? noSuchEmoji(reply);
  const size = sizeForm(request.query, EMOJI_SIDE);
  if (!size) return plain(reply.code(400), SIZE_QUERY);
  return sendContent(request, reply, await images.sized.inForm(request.ip, found, size), FOR_EVER);
}

/** Returns the first available form; null if there is none. */
async function find(
  { blobs, elsewhere }: ImageSource,
  id: bigint,
  formats: (typeof FORMATS)[string][],
): Promise<StoredContent | null> {
  for (const { form, type } of formats) {
    const shown = { type, tag: `"${id}.${form}"` };
    if (elsewhere.isOnBox(id)) {
      const picture = await elsewhere.ofBox({ of: 'emojis', id, form }, shown);
      if (picture) return picture;
      continue;
    }
    const file = await findPicture(blobs, id, form);
    if (file) return storedContent(blobs, { ...file, ...shown });
  }
  return null;
}

function noSuchEmoji(reply: FastifyReply): FastifyReply {
  return plain(reply.code(404), 'There is no such emoji.');
}
