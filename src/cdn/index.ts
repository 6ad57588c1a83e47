import { parse } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { DomainError, TRY_AGAIN_MS } from '../domain/errors.js';
import { findInteractionFile } from '../domain/interactions/index.js';
import { type AttachmentFile, findAttachmentFile } from '../domain/messages/index.js';
import type { Entrypoint } from '../entrypoint.js';
import { refuseOtherMethods } from '../http/methods.js';
import { parseSnowflake } from '../infra/ids/ids.js';
import { TooManyImages } from '../infra/images.js';
import { type FileFolder, filePath } from '../wire/messages.js';
import { dispositionOf, servedType } from './content-types.js';
import { mountDataExports } from './data-exports.js';
import { Elsewhere } from './elsewhere.js';
import { mountEmojis } from './emojis.js';
import { mountIcons } from './icons.js';
import { ATTACHMENT_QUERY, attachmentForm } from './image-queries.js';
import { type Content, plain, sendContent, storedContent } from './send.js';
import { SizedImages } from './sized-images.js';

interface AttachmentRequest {
  Params: { channelId: string; attachmentId: string; filename: string };
  Querystring: Record<string, unknown>;
}

const FOLDERS: readonly { folder: FileFolder; find: typeof findAttachmentFile; gone: string }[] = [
  { folder: 'attachments', find: findAttachmentFile, gone: 'request the message again to get a new URL' },
  { folder: 'ephemeral-attachments', find: findInteractionFile, gone: 'files of this kind are kept for seven days' },
];

/** Serves uploads under `/cdn`. Browsers must not run their content. */
export function createCdnEntrypoint(app: AppContext): Entrypoint {
  const sized = new SizedImages(app.images);
  const images = { blobs: app.blobs, sized, elsewhere: new Elsewhere(app) };
  return {
    mount(http) {
      http.register(async (scope) => {
        scope.setErrorHandler(answerFailure);
        refuseOtherMethods(scope, () => {
          for (const kind of FOLDERS) {
            scope.route<AttachmentRequest>({
              method: ['GET', 'HEAD'],
              url: `/cdn/${kind.folder}/:channelId/:attachmentId/:filename`,
              exposeHeadRoute: false,
              handler: (request, reply) => serveAttachment(app, sized, kind, request, reply),
            });
          }
          mountIcons(scope, images);
          mountEmojis(scope, images);
          mountDataExports(scope, app);
        });
      });
    },
  };
}

function answerFailure(error: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof TooManyImages) {
    reply.code(503).header('retry-after', TRY_AGAIN_MS / 1_000);
    return plain(reply, 'Too many images are being resized; try again in a moment.');
  }
  if (error instanceof DomainError && error.kind === 'overloaded') {
    reply.code(503).header('retry-after', error.retryAfterSeconds ?? TRY_AGAIN_MS / 1_000);
    return plain(reply, error.message);
  }
  if (isMissingFile(error)) return plain(reply.code(404), 'This file was deleted.');
  throw error;
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function serveAttachment(
  app: AppContext,
  sized: SizedImages,
  kind: (typeof FOLDERS)[number],
  request: FastifyRequest<AttachmentRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const signed = await findSigned(app, kind, request);
  if (!signed) return plain(reply.code(404), `There is no such file, or its URL has expired: ${kind.gone}.`);
  const { file, secondsLeft } = signed;
  const form = attachmentForm(file.contentType, request.query);
  if (!form) return plain(reply.code(400), ATTACHMENT_QUERY);
  const stored = storedContent(app.blobs, { ...file, type: servedType(file.contentType), tag: `"${file.id}"` });
  const content = await sized.inForm(request.ip, stored, form);
  reply.header(
    'content-disposition',
    dispositionOf(file.contentType, nameOf(request.params.filename, stored, content)),
  );
  // Shared caches must not keep deleted files, and no cache may outlive the URL.
  return sendContent(request, reply, content, `private, max-age=${secondsLeft}, immutable`);
}

/** Replaces the extension of a converted image. */
function nameOf(filename: string, stored: Content, sent: Content): string {
  if (stored.type === sent.type) return filename;
  return `${parse(filename).name}.${sent.type.replace('image/', '')}`;
}

/** Null for an invalid or expired signature or a missing file. */
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
