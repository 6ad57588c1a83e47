import { deflateSync } from 'node:zlib';
import type { Payload } from './events.js';

/**
 * How payloads become WebSocket messages on one kind of connection. What an encoding makes depends on the payload alone, so
 * that one frame serves every connection of the kind.
 */
export interface Encoding {
  /** Where a payload remembers what this encoding made of it. */
  slot: number;
  /** Stands before the first payload of a connection. */
  preamble: Buffer;
  encode(payload: Payload): { binary: boolean; parts: Buffer[] };
}

const NOTHING = Buffer.alloc(0);

/** JSON as it is. */
export const plain: Encoding = {
  slot: 0,
  preamble: NOTHING,
  encode: (payload) => ({ binary: false, parts: plainParts(payload) }),
};

/** The empty stored block that ends a message of the stream. */
const SYNC_FLUSH = Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]);

/** Shorter pieces cost less as they are than with a block of their own compressed. */
const WORTH_DEFLATING = 128;

/** `compress=zlib-stream`: the connection is one zlib stream, made of independent blocks (docs/gateway.md, G-43). */
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

/** `compress=zstd-stream` where the runtime has no zstd: one frame of stored blocks (docs/gateway.md, G-44). */
export const zstdStored: Encoding = {
  slot: 2,
  // Magic number; no content size, no checksum, no dictionary; a window of 128 KiB (RFC 8878, 3.1.1).
  preamble: Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]),
  encode: (payload) => ({ binary: true, parts: plainParts(payload).flatMap(storedZstdBlocks) }),
};

/** Below this many bytes `compress: true` leaves a payload as text. */
const WORTH_COMPRESSING = 1_024;

/** IDENTIFY's `compress: true`: larger payloads are zlib messages, each whole in itself (docs/gateway.md, G-45). */
export const zlibPayloads: Encoding = {
  slot: 3,
  preamble: NOTHING,
  encode: (payload) =>
    payload.byteLength < WORTH_COMPRESSING
      ? plain.encode(payload)
      : { binary: true, parts: [deflateSync(Buffer.concat(plainParts(payload)))] },
};

/** The encoding for the `compress` parameter of the gateway's address, or null for one that is not offered. */
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

/** `bytes` (at most 65,535) as a deflate block without compression. */
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
