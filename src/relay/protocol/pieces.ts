/** Size of the stream number (docs/relay.md, R-2). */
export const PIECE_HEAD_BYTES = 4;

export interface Piece {
  id: number;
  bytes: Buffer;
}

export function writePiece({ id, bytes }: Piece): Buffer {
  const message = Buffer.allocUnsafe(PIECE_HEAD_BYTES + bytes.length);
  message.writeUInt32BE(id);
  bytes.copy(message, PIECE_HEAD_BYTES);
  return message;
}

/** Null for an empty piece. */
export function readPiece(message: Buffer): Piece | null {
  if (message.length <= PIECE_HEAD_BYTES) return null;
  return { id: message.readUInt32BE(), bytes: message.subarray(PIECE_HEAD_BYTES) };
}
