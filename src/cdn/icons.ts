import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findServedIcon, type IconName } from '../domain/icons.js';
import { parseSnowflake } from '../infra/ids/ids.js';
import { COVER_SIDE, DEFAULT_AVATARS, defaultAvatar, ICON_SIDE, type ImageFormat } from '../infra/images.js';
import type { BlobStore } from '../infra/storage/blobs.js';
import type { ByteRange } from './conditions.js';
import type { Elsewhere } from './elsewhere.js';
import { SIZE_QUERY, sizeForm } from './image-queries.js';
import { type Content, FOR_EVER, plain, type StoredContent, sendContent, storedContent, tagOf } from './send.js';
import type { SizedImages } from './sized-images.js';

export interface ImageSource {
  blobs: BlobStore;
  sized: SizedImages;
  elsewhere: Elsewhere;
}

interface IconRequest {
  Params: { id: string; file: string };
}

const FORMATS: Record<string, { format: ImageFormat; type: string }> = {
  png: { format: 'png', type: 'image/png' },
  webp: { format: 'webp', type: 'image/webp' },
  jpg: { format: 'jpg', type: 'image/jpeg' },
  jpeg: { format: 'jpg', type: 'image/jpeg' },
};

interface AvatarRequest {
  Params: { file: string };
}

/** With the largest side, in pixels. */
const SIDES: readonly [IconName, number][] = [
  ['app-icons', COVER_SIDE],
  ['avatars', ICON_SIDE],
  ['team-icons', ICON_SIDE],
  ['icons', ICON_SIDE],
];

/** The URL of a default avatar does not depend on its content. */
const A_DAY = 'public, max-age=86400';

/** Discord docs, Image Formatting. An application's icon is also its bot's avatar. */
export function mountIcons(http: FastifyInstance, images: ImageSource): void {
  for (const [of, side] of SIDES) {
    http.route<IconRequest>({
      method: ['GET', 'HEAD'],
      url: `/cdn/${of}/:id/:file`,
      exposeHeadRoute: false,
      handler: (request, reply) => serveIcon(images, { of, side }, request, reply),
    });
  }
  http.route<AvatarRequest>({
    method: ['GET', 'HEAD'],
    url: '/cdn/embed/avatars/:file',
    exposeHeadRoute: false,
    handler: serveDefaultAvatar,
  });
}

async function serveIcon(
  images: ImageSource,
  { of, side }: { of: IconName; side: number },
  request: FastifyRequest<IconRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id, file } = request.params;
  const [, hash = '', extension = ''] = /^([0-9a-f]{32})\.([a-z]+)$/.exec(file) ?? [];
  const form = FORMATS[extension];
  const ownerId = parseSnowflake(id);
  if (!form || ownerId === undefined) return noSuchImage(reply);
  const kept = await findIcon(images, { of, id: ownerId, hash }, form);
  if (!kept) return images.elsewhere.sendToCloud(ownerId, request, reply) ?? noSuchImage(reply);
  const size = sizeForm(request.query, side);
  if (!size) return plain(reply.code(400), SIZE_QUERY);
  return sendContent(request, reply, await images.sized.inForm(request.ip, kept, size), FOR_EVER);
}

/** Null if neither this instance nor a box has it. */
async function findIcon(
  { blobs, elsewhere }: ImageSource,
  icon: { of: IconName; id: bigint; hash: string },
  { format, type }: { format: ImageFormat; type: string },
): Promise<StoredContent | null> {
  const shown = { type, tag: `"${icon.hash}.${format}"` };
  if (elsewhere.isOnBox(icon.id)) return elsewhere.ofBox({ ...icon, form: format }, shown);
  const file = await findServedIcon(blobs, { ...icon, format });
  return file && storedContent(blobs, { ...file, ...shown });
}

async function serveDefaultAvatar(request: FastifyRequest<AvatarRequest>, reply: FastifyReply): Promise<FastifyReply> {
  const [, index] = /^(\d)\.png$/.exec(request.params.file) ?? [];
  if (index === undefined || Number(index) >= DEFAULT_AVATARS) return noSuchImage(reply);
  const image = await defaultAvatar(Number(index));
  return sendContent(request, reply, contentOf(image), A_DAY);
}

function contentOf(png: Buffer): Content {
  const read = ({ start, end }: ByteRange = { start: 0, end: png.length - 1 }) =>
    Readable.from([png.subarray(start, end + 1)]);
  return { type: 'image/png', size: png.length, tag: tagOf(png), read };
}

function noSuchImage(reply: FastifyReply): FastifyReply {
  return plain(reply.code(404), 'There is no such image.');
}
