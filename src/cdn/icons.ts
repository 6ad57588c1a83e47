import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findIcon, type IconOwner } from '../domain/icons.js';
import type { BlobStore } from '../infra/blobs.js';
import { parseSnowflake } from '../infra/ids.js';
import { COVER_SIDE, DEFAULT_AVATARS, defaultAvatar, ICON_SIDE, type ImageFormat } from '../infra/images.js';
import type { ByteRange } from './conditions.js';
import { SIZE_QUERY, sizeForm } from './image-queries.js';
import { type Content, FOR_EVER, plain, sendContent, storedContent, tagOf } from './send.js';
import type { SizedImages } from './sized-images.js';

/** Where images are kept, and how they are made smaller. */
export interface ImageSource {
  blobs: BlobStore;
  sized: SizedImages;
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

/** Which icons stand under which address, and how long their sides may be, in pixels. */
const FOLDERS: readonly [string, readonly IconOwner['folder'][], number][] = [
  ['app-icons', ['app-icons'], COVER_SIDE],
  ['avatars', ['avatars', 'app-icons'], ICON_SIDE],
  ['team-icons', ['team-icons'], ICON_SIDE],
  ['icons', ['guild-icons'], ICON_SIDE],
];

/** How long a default avatar may be kept, whose address says nothing of what it looks like. */
const A_DAY = 'public, max-age=86400';

/**
 * Application icons, which are also the avatars of their bots, and covers, icons of teams and guilds, avatars, and those of users who have none. An
 * icon is made smaller where `size` asks for that; a default avatar has one size (Discord's documentation, Image Formatting).
 */
export function mountIcons(http: FastifyInstance, images: ImageSource): void {
  for (const [name, folders, side] of FOLDERS) {
    http.route<IconRequest>({
      method: ['GET', 'HEAD'],
      url: `/cdn/${name}/:id/:file`,
      exposeHeadRoute: false,
      handler: (request, reply) => serveIcon(images, { folders, side }, request, reply),
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
  { folders, side }: { folders: readonly IconOwner['folder'][]; side: number },
  request: FastifyRequest<IconRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id, file } = request.params;
  const [, hash = '', extension = ''] = /^([0-9a-f]{32})\.([a-z]+)$/.exec(file) ?? [];
  const form = FORMATS[extension];
  const ownerId = parseSnowflake(id);
  if (!form || ownerId === undefined) return noSuchImage(reply);
  const icon = await findIn(images, folders, { id: ownerId, hash, format: form.format });
  if (!icon) return noSuchImage(reply);
  const size = sizeForm(request.query, side);
  if (!size) return plain(reply.code(400), SIZE_QUERY);
  const kept = storedContent(images.blobs, { ...icon, type: form.type, tag: `"${hash}.${form.format}"` });
  return sendContent(request, reply, await images.sized.inForm(request.ip, kept, size), FOR_EVER);
}

/** The icon in the first of the folders that has it. */
async function findIn(
  { blobs }: ImageSource,
  folders: readonly IconOwner['folder'][],
  { id, ...icon }: { id: bigint; hash: string; format: ImageFormat },
): ReturnType<typeof findIcon> {
  for (const folder of folders) {
    const found = await findIcon(blobs, { owner: { folder, id }, ...icon });
    if (found) return found;
  }
  return null;
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
