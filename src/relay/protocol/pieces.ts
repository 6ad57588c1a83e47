/** The bytes before a piece's own, which hold the number of its stream (docs/relay.md, R-2). */
export const PIECE_HEAD_BYTES = 4;

/** A piece of a body. */
export interface Piece {
  id: number;
  bytes: Buffer;
}

/** A binary message as it is sent. */
export function writePiece({ id, bytes }: Piece): Buffer {
  const message = Buffer.allocUnsafe(PIECE_HEAD_BYTES + bytes.length);
  message.writeUInt32BE(id);
  bytes.copy(message, PIECE_HEAD_BYTES);
  return message;
}

/** The piece that a binary message is; null for one without a byte of its own. */
export function readPiece(message: Buffer): Piece | null {
  if (message.length <= PIECE_HEAD_BYTES) return null;
  return { id: message.readUInt32BE(), bytes: message.subarray(PIECE_HEAD_BYTES) };
}
