import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { findInteractionFile } from '../domain/interactions/index.js';
import { type AttachmentFile, findAttachmentFile } from '../domain/messages/index.js';
import type { Face } from '../face.js';
import { refuseOtherMethods } from '../http/methods.js';
import { parseSnowflake } from '../infra/ids.js';
import { type FileFolder, filePath } from '../wire/messages.js';
import { dispositionOf, servedType } from './content-types.js';
import { mountEmojis } from './emojis.js';
import { mountIcons } from './icons.js';
import { plain, sendContent } from './send.js';

interface AttachmentRequest {
  Params: { channelId: string; attachmentId: string; filename: string };
  Querystring: Record<string, unknown>;
}

/** Where files stand, and how they are found. */
const FOLDERS: readonly { folder: FileFolder; find: typeof findAttachmentFile; gone: string }[] = [
  { folder: 'attachments', find: findAttachmentFile, gone: 'ask for the message again' },
  { folder: 'ephemeral-attachments', find: findInteractionFile, gone: 'such files are kept for seven days' },
];

/** Uploads under `/cdn`, with range requests, and nothing in them that a browser would run. */
export function createCdnFace(app: AppContext): Face {
  return {
    mount(http) {
      http.register(async (scope) => {
        refuseOtherMethods(scope, () => {
          for (const kind of FOLDERS) {
            scope.route<AttachmentRequest>({
              method: ['GET', 'HEAD'],
              url: `/cdn/${kind.folder}/:channelId/:attachmentId/:filename`,
              exposeHeadRoute: false,
              handler: (request, reply) => serveAttachment(app, kind, request, reply),
            });
          }
          mountIcons(scope, app);
          mountEmojis(scope, app);
        });
      });
    },
  };
}

async function serveAttachment(
  app: AppContext,
  kind: (typeof FOLDERS)[number],
  request: FastifyRequest<AttachmentRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const signed = await findSigned(app, kind, request);
  if (!signed) return plain(reply.code(404), `There is no such file, or its address has expired: ${kind.gone}.`);
  const { file, secondsLeft } = signed;
  reply.headers({
    'content-type': servedType(file.contentType),
    'content-disposition': dispositionOf(file.contentType, request.params.filename),
  });
  // No cache between keeps what a deleted message held, and none longer than its address is good for.
  const caching = `private, max-age=${secondsLeft}`;
  return sendContent(app, request, reply, { ...file, tag: `"${file.id}"`, caching });
}

/** The file of an address whose signature is good, and how much longer it is; null for any other. */
async function findSigned(
  app: AppContext,
  { folder, find }: (typeof FOLDERS)[number],
  { params, query }: FastifyRequest<AttachmentRequest>,
): Promise<{ file: AttachmentFile; secondsLeft: number } | null> {
  const channelId = parseSnowflake(params.channelId);
  const attachmentId = parseSnowflake(params.attachmentId);
  if (channelId === undefined || attachmentId === undefined) return null;
  const { filename } = params;
  const path = filePath({ folder, channelId, id: attachmentId, filename });
  const secondsLeft = app.addresses.signatures.secondsLeft(path, query);
  if (secondsLeft === 0) return null;
  const file = await find(app.db.reader, app.blobs, { channelId, attachmentId, filename });
  return file && { file, secondsLeft };
}
