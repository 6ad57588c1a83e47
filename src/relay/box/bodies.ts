import { Readable } from 'node:stream';

/** See docs/relay.md, R-23. */
export class NotBegun extends Error {
  override readonly name = 'NotBegun';

  constructor(readonly why: 'late' | 'cancelled' | 'broken') {
    super(`the work was not started: ${why}`);
  }
}

/** Decides whether work may begin after its input is complete. */
export interface Gate {
  /** @throws NotBegun */
  pass(): void;
}

/** The result ends only if `gate` passes, so a handler that reads all input first never begins too late. */
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
