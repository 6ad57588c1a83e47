import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { findIcon, type IconOwner } from '../domain/icons.js';
import { parseSnowflake } from '../infra/ids.js';
import { DEFAULT_AVATARS, defaultAvatar, type ImageFormat } from '../infra/images.js';
import { FILE_HEADERS, FOR_EVER, plain, sendContent } from './send.js';

interface IconRequest {
  Params: { id: string; file: string };
}

const FORMATS: Record<string, { format: ImageFormat; type: string }> = {
  png: { format: 'png', type: 'image/png' },
  webp: { format: 'webp', type: 'image/webp' },
  jpg: { format: 'jpg', type: 'image/jpeg' },
  jpeg: { format: 'jpg', type: 'image/jpeg' },
};

/** Which icons stand under which address. */
const FOLDERS: readonly [string, readonly IconOwner['folder'][]][] = [
  ['app-icons', ['app-icons']],
  ['avatars', ['avatars', 'app-icons']],
  ['team-icons', ['team-icons']],
  ['icons', ['guild-icons']],
];

/**
 * Application icons, which are also the avatars of their bots, icons of teams and guilds, avatars, and those of users who have none. Each image has one
 * size: the `size` that libraries ask for is allowed and has no effect.
 */
export function mountIcons(http: FastifyInstance, app: AppContext): void {
  for (const [name, folders] of FOLDERS) {
    http.route<IconRequest>({
      method: ['GET', 'HEAD'],
      url: `/cdn/${name}/:id/:file`,
      exposeHeadRoute: false,
      handler: (request, reply) => serveIcon(app, folders, request, reply),
    });
  }
  http.route<{ Params: { file: string } }>({
    method: ['GET', 'HEAD'],
    url: '/cdn/embed/avatars/:file',
    exposeHeadRoute: false,
    handler: (request, reply) => serveDefaultAvatar(request.params.file, reply),
  });
}

async function serveIcon(
  app: AppContext,
  folders: readonly IconOwner['folder'][],
  request: FastifyRequest<IconRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id, file } = request.params;
  const [, hash = '', extension = ''] = /^([0-9a-f]{32})\.([a-z]+)$/.exec(file) ?? [];
  const form = FORMATS[extension];
  const ownerId = parseSnowflake(id);
  if (!form || ownerId === undefined) return noSuchImage(reply);
  const icon = await findIn(app, folders, { id: ownerId, hash, format: form.format });
  if (!icon) return noSuchImage(reply);
  reply.header('content-type', form.type);
  return sendContent(app, request, reply, { ...icon, tag: `"${hash}.${form.format}"`, caching: FOR_EVER });
}

/** The icon in the first of the folders that has it. */
async function findIn(
  { blobs }: AppContext,
  folders: readonly IconOwner['folder'][],
  { id, ...icon }: { id: bigint; hash: string; format: ImageFormat },
): ReturnType<typeof findIcon> {
  for (const folder of folders) {
    const found = await findIcon(blobs, { owner: { folder, id }, ...icon });
    if (found) return found;
  }
  return null;
}

async function serveDefaultAvatar(file: string, reply: FastifyReply): Promise<FastifyReply> {
  const [, index] = /^(\d)\.png$/.exec(file) ?? [];
  if (index === undefined || Number(index) >= DEFAULT_AVATARS) return noSuchImage(reply);
  const image = await defaultAvatar(Number(index));
  return reply
    .headers({ ...FILE_HEADERS, 'content-type': 'image/png', 'cache-control': 'public, max-age=86400' })
    .send(image);
}

function noSuchImage(reply: FastifyReply): FastifyReply {
  return plain(reply.code(404), 'There is no such image.');
}
