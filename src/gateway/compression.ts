import { deflateSync } from 'node:zlib';
import type { Payload } from './events.js';

/**
 * Converts payloads to WebSocket messages. Depends on the payload alone, so connections with the same encoding share
 * frames.
 */
export interface Encoding {
  /** Cache index of this encoding's frames. */
  slot: number;
  /** Sent before the first payload of a connection. */
  preamble: Buffer;
  encode(payload: Payload): { binary: boolean; parts: Buffer[] };
}

const NOTHING = Buffer.alloc(0);

export const plain: Encoding = {
  slot: 0,
  preamble: NOTHING,
  encode: (payload) => ({ binary: false, parts: plainParts(payload) }),
};

/** The empty stored block with which each message of the stream ends. */
const SYNC_FLUSH = Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]);

/** Shorter pieces are stored, because compression saves nothing. */
const WORTH_DEFLATING = 128;

/** `compress=zlib-stream`: one zlib stream of independent blocks (docs/gateway.md, G-43). */
const zlibStream: Encoding = {
  slot: 1,
  preamble: Buffer.from([0x78, 0x9c]),
  encode: (payload) => ({
    binary: true,
    parts: [
      ...storedDeflateBlock(Buffer.from(payload.head, 'latin1')),
      ...payload.pieces.flatMap((piece) =>
        piece.bytes.length < WORTH_DEFLATING ? storedDeflateBlock(piece.bytes) : [piece.deflated],
      ),
      SYNC_FLUSH,
    ],
  }),
};

/** `compress=zstd-stream` if the runtime lacks zstd: one frame of stored blocks (docs/gateway.md, G-44). */
export const zstdStored: Encoding = {
  slot: 2,
  // Magic number; no content size, no checksum, no dictionary; a window of 128 KiB (RFC 8878, 3.1.1).
  preamble: Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]),
  encode: (payload) => ({ binary: true, parts: plainParts(payload).flatMap(storedZstdBlocks) }),
};

const WORTH_COMPRESSING = 1_024;

/** `compress: true` in IDENTIFY: each larger payload is a complete zlib stream (docs/gateway.md, G-45). */
export const zlibPayloads: Encoding = {
  slot: 3,
  preamble: NOTHING,
  encode: (payload) =>
    payload.byteLength < WORTH_COMPRESSING
      ? plain.encode(payload)
      : { binary: true, parts: [deflateSync(Buffer.concat(plainParts(payload)))] },
};

export function encodingFor(compress: string | null): Encoding | null {
  switch (compress) {
    case null:
    case '':
      return plain;
    case 'zlib-stream':
      return zlibStream;
    case 'zstd-stream':
      return zstdStored;
    default:
      return null;
  }
}

function plainParts(payload: Payload): Buffer[] {
  return [Buffer.from(payload.head, 'latin1'), ...payload.pieces.map((piece) => piece.bytes)];
}

/** A deflate block without compression, of at most 65,535 bytes. */
function storedDeflateBlock(bytes: Buffer): Buffer[] {
  const header = Buffer.allocUnsafe(5);
  header[0] = 0;
  header.writeUInt16LE(bytes.length, 1);
  header.writeUInt16LE(~bytes.length & 0xffff, 3);
  return [header, bytes];
}

const MAX_ZSTD_BLOCK = 128 * 1024;

function storedZstdBlocks(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += MAX_ZSTD_BLOCK) {
    const block = bytes.subarray(start, start + MAX_ZSTD_BLOCK);
    const header = Buffer.allocUnsafe(3);
    header.writeUIntLE(block.length << 3, 0, 3);
    blocks.push(header, block);
  }
  return blocks;
}
