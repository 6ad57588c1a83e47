import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobStore } from '../infra/blobs.js';
import { type ByteRange, isTheSame, matches, parseRange } from './conditions.js';

/** What is served, and never changes under its address. */
export interface Content {
  /** Its media type. */
  type: string;
  /** Bytes. */
  size: number;
  /** Its entity tag, in quotes. */
  tag: string;
  /** All of it, or the bytes of a range. */
  read(range?: ByteRange): Readable;
}

/** A file of the blob store as what is served. */
export interface StoredContent extends Content {
  key: string;
}

/** The caching of what has another address when its content is another: an icon's holds a hash of it, an emoji never changes. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

/** What goes with every file, so that a browser runs nothing of it and any page may show it. */
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

/** The entity tag that some bytes have wherever and whenever they are made. */
export function tagOf(content: Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url')}"`;
}

/**
 * All of the content, or the range that a GET asks for (RFC 9110, section 14); nothing to somebody who has it, or who wants what it was
 * before.
 * @param caching its `Cache-Control`
 */
export function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, size, tag, read }: Content,
  caching: string,
): FastifyReply {
  const { 'if-match': wanted, 'if-none-match': had } = request.headers;
  if (wanted !== undefined && !isTheSame(wanted, tag)) {
    return plain(reply.code(412), 'The file is not the one of If-Match.');
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
    return plain(reply.code(416).header('content-range', `bytes */${size}`), 'The file has no such range.');
  }
  if (range === null) return reply.header('content-length', size).send(read());
  return reply
    .code(206)
    .header('content-range', `bytes ${range.start}-${range.end}/${size}`)
    .header('content-length', range.end - range.start + 1)
    .send(read(range));
}

/** A line of text instead of a file. */
export function plain(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    .removeHeader('content-disposition')
    .send(`${text}\n`);
}
