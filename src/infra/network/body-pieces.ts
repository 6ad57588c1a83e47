/** This many pieces of any size are allowed: a small response may arrive word by word. */
const MAX_SMALL_PIECES = 2_000;
/** Bytes of the body for each piece beyond {@link MAX_SMALL_PIECES}. A TCP segment is larger. */
const BYTES_PER_PIECE = 512;

/**
 * Each piece, such as an HTTP chunk, costs a microsecond and a kilobyte of memory, so a limit of bytes alone does not
 * limit work.
 */
export function isInTooManyPieces(pieces: number, bytes: number): boolean {
  return pieces > MAX_SMALL_PIECES + bytes / BYTES_PER_PIECE;
}
