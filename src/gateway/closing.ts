import type { Close } from './protocol.js';

/** Thrown where a client's payload leads to the end of its connection. */
export class Closing extends Error {
  override readonly name = 'Closing';

  constructor(readonly close: Close) {
    super(close.reason);
  }
}
