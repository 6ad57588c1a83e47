import { Readable } from 'node:stream';

/** Why a piece of work is not begun any more (docs/relay.md, R-23). */
export class NotBegun extends Error {
  override readonly name = 'NotBegun';

  constructor(readonly why: 'late' | 'cancelled' | 'broken') {
    super(`the work was not begun: ${why}`);
  }
}

/** Decides, when everything is there that a piece of work takes, whether it still begins. */
export interface Gate {
  /** @throws NotBegun */
  pass(): void;
}

/** A body whose end comes only where the work may begin: whoever reads it whole before it begins anything begins nothing too late. */
export function gated(body: Readable | null, gate: Gate): Readable | Uint8Array {
  if (body) return Readable.from(throughGate(body, gate));
  gate.pass();
  return new Uint8Array();
}

async function* throughGate(body: Readable, gate: Gate): AsyncIterable<Buffer> {
  try {
    yield* body;
  } catch {
    throw new NotBegun('broken');
  }
  gate.pass();
}
