import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobStore } from '../infra/storage/blobs.js';
import { type ByteRange, isTheSame, matches, parseRange } from './conditions.js';

export interface Content {
  type: string;
  /** In bytes. */
  size: number;
  /** ETag, with quotes. */
  tag: string;
  read(range?: ByteRange): Readable;
}

export interface StoredContent extends Content {
  key: string;
}

/** The URL changes with the content. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

/** Browsers must not run the file, but any page may show it. */
const FILE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
};

export function storedContent(
  blobs: BlobStore,
  file: { key: string; size: number; type: string; tag: string },
): StoredContent {
  return { ...file, read: (range) => blobs.read(file.key, range) };
}

export function tagOf(content: Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url')}"`;
}

/**
 * Handles ranges (RFC 9110, section 14) and conditional requests.
 * @param caching the `Cache-Control` value
 */
export function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, size, tag, read }: Content,
  caching: string,
): FastifyReply {
  const { 'if-match': wanted, 'if-none-match': had } = request.headers;
  if (wanted !== undefined && !isTheSame(wanted, tag)) {
    return plain(reply.code(412), 'The file does not match If-Match.');
  }
  const headers = {
    ...FILE_HEADERS,
    'content-type': type,
    'cache-control': caching,
    'accept-ranges': 'bytes',
    etag: tag,
  };
  reply.headers(headers);
  if (matches(had, tag)) return reply.code(304).send();
  if (request.method === 'HEAD') return reply.header('content-length', size).send();
  const condition = request.headers['if-range'];
  const isUnchanged = condition === undefined || condition === tag;
  const range = isUnchanged ? parseRange(request.headers.range, size) : null;
  if (range === 'unsatisfiable') {
    return plain(
      reply.code(416).header('content-range', `bytes */${size}`),
      'The requested range is outside the file.',
    );
  }
  if (range === null) return reply.header('content-length', size).send(read());
  return reply
    .code(206)
    .header('content-range', `bytes ${range.start}-${range.end}/${size}`)
    .header('content-length', range.end - range.start + 1)
    .send(read(range));
}

export function plain(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    .removeHeader('content-disposition')
    .send(`${text}\n`);
}
