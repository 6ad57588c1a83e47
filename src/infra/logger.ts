import { type Logger, pino } from 'pino';
import type { LogLevel } from '../config.js';

export type { Logger } from 'pino';

/** Values that must never reach a log, wherever they stand in a logged object. */
const SECRET_PATHS = ['authorization', 'cookie', 'token', 'password', 'clientSecret', 'botToken'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.headers.${name}`,
]);

const STDOUT = 1;

/**
 * One JSON object a line, or pretty text on a terminal. Lines are written at once: the logging library tries for ever to
 * write what is left when the process ends, even where nobody can read it any more.
 */
export function createLogger(level: LogLevel): Logger {
  const options = { level, redact: { paths: SECRET_PATHS, censor: '[secret]' }, base: null };
  return process.stdout.isTTY
    ? pino({ ...options, transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } })
    : pino(options, pino.destination({ dest: STDOUT, sync: true }));
}
