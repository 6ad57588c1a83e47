import { refusalIn } from '../domain/errors.js';
import type { Logger } from '../infra/observability/logger.js';
import { type Close, closes } from './protocol.js';

/** Thrown if a client's payload must close its connection. */
export class Closing extends Error {
  override readonly name = 'Closing';

  constructor(readonly close: Close) {
    super(close.reason);
  }
}

/**
 * Logs unexpected errors, but no outages, which the database monitor logs.
 * @param what the log message
 */
export function closeFor(error: unknown, log: Logger, what: string): Close {
  if (error instanceof Closing) return error.close;
  if (refusalIn(error)?.kind === 'overloaded') return closes.unavailable;
  log.error({ err: error }, what);
  return closes.fault;
}
