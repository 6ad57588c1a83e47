/** So many pieces of any size are fine: a small answer may be written word by word. */
const MAX_SMALL_PIECES = 2_000;
/** Beyond those, pieces have at least this many bytes on average. A TCP segment has more. */
const BYTES_PER_PIECE = 512;

/**
 * Whether a body has arrived in too many small pieces, such as HTTP chunks of one byte. A piece costs a microsecond and a kilobyte of memory
 * however small it is, so a limit of bytes alone does not limit work.
 */
export function isInTooManyPieces(pieces: number, bytes: number): boolean {
  return pieces > MAX_SMALL_PIECES + bytes / BYTES_PER_PIECE;
}
