import { refusalIn } from '../domain/errors.js';
import type { Logger } from '../infra/logger.js';
import { type Close, closes } from './protocol.js';

/** Thrown where a client's payload leads to the end of its connection. */
export class Closing extends Error {
  override readonly name = 'Closing';

  constructor(readonly close: Close) {
    super(close.reason);
  }
}

/**
 * With what a connection is closed for something that was thrown. An outage is told of by what watches the database; any other fault
 * is ours, and logged.
 * @param what says in the log what failed
 */
export function closeFor(error: unknown, log: Logger, what: string): Close {
  if (error instanceof Closing) return error.close;
  if (refusalIn(error)?.kind === 'overloaded') return closes.unavailable;
  log.error({ err: error }, what);
  return closes.fault;
}
