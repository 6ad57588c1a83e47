import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { matches, parseRange } from './conditions.js';

/** Content of the blob store that never changes under its address. */
export interface StoredContent {
  key: string;
  /** Bytes. */
  size: number;
  /** Its entity tag, in quotes. */
  tag: string;
  /** Its `Cache-Control`. */
  caching: string;
}

/** The caching of what has another address when its content is another: an icon's holds a hash of it, an emoji never changes. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

/** What goes with every file, so that a browser runs nothing of it and any page may show it. */
export const FILE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
};

/**
 * All of the file, or the range that a GET asks for (RFC 9110, section 14); nothing to somebody who has it. The caller states
 * its content type.
 */
export function sendContent(
  app: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { key, size, tag, caching }: StoredContent,
): FastifyReply {
  reply.headers({ ...FILE_HEADERS, 'cache-control': caching, 'accept-ranges': 'bytes', etag: tag });
  if (matches(request.headers['if-none-match'], tag)) return reply.code(304).send();
  if (request.method === 'HEAD') return reply.header('content-length', size).send();
  const condition = request.headers['if-range'];
  const isUnchanged = condition === undefined || condition === tag;
  const range = isUnchanged ? parseRange(request.headers.range, size) : null;
  if (range === 'unsatisfiable') {
    return plain(reply.code(416).header('content-range', `bytes */${size}`), 'The file has no such range.');
  }
  if (range === null) return reply.header('content-length', size).send(app.blobs.read(key));
  return reply
    .code(206)
    .header('content-range', `bytes ${range.start}-${range.end}/${size}`)
    .header('content-length', range.end - range.start + 1)
    .send(app.blobs.read(key, range));
}

/** A line of text instead of a file. */
export function plain(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    .removeHeader('content-disposition')
    .send(`${text}\n`);
}
