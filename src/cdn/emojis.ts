import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { type EmojiForm, findPicture } from '../domain/emojis/index.js';
import { parseSnowflake } from '../infra/ids.js';
import { FOR_EVER, plain, sendContent } from './send.js';

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

/**
 * Pictures of emojis. One that moves does so as GIF, and as WebP that is asked for with `animated=true` (Discord's documentation, Emoji
 * Resource). The `size` that libraries ask for is allowed and has no effect.
 */
export function mountEmojis(http: FastifyInstance, app: AppContext): void {
  http.route<EmojiRequest>({
    method: ['GET', 'HEAD'],
    url: '/cdn/emojis/:file',
    exposeHeadRoute: false,
    handler: (request, reply) => serveEmoji(app, request, reply),
  });
}

async function serveEmoji(
  app: AppContext,
  request: FastifyRequest<EmojiRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [, digits = '', extension = ''] = /^(\d+)\.([a-z]+)$/.exec(request.params.file) ?? [];
  const id = parseSnowflake(digits);
  const asked = FORMATS[extension];
  if (!asked || id === undefined) return noSuchEmoji(reply);
  const found = await find(
    app,
    id,
    extension === 'webp' && request.query.animated === 'true' ? [MOVING, asked] : [asked],
  );
  if (!found) return noSuchEmoji(reply);
  const { form, type, ...file } = found;
  reply.header('content-type', type);
  return sendContent(app, request, reply, { ...file, tag: `"${id}.${form}"`, caching: FOR_EVER });
}

/** The first of these forms that there is. */
async function find(app: AppContext, id: bigint, formats: (typeof FORMATS)[string][]) {
  for (const format of formats) {
    const file = await findPicture(app.blobs, id, format.form);
    if (file) return { ...format, ...file };
  }
  return null;
}

function noSuchEmoji(reply: FastifyReply): FastifyReply {
  return plain(reply.code(404), 'There is no such emoji.');
}
