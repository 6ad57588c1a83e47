import { type Logger, pino } from 'pino';
import type { LogLevel } from '../../config.js';

export type { Logger } from 'pino';

const SECRET_PATHS = ['authorization', 'cookie', 'token', 'password', 'clientSecret', 'botToken'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.headers.${name}`,
]);

const STDOUT = 1;

/** Writes synchronously: at exit, pino would retry its buffer forever if stdout is gone. */
export function createLogger(level: LogLevel): Logger {
  const options = { level, redact: { paths: SECRET_PATHS, censor: '[secret]' }, base: null };
  return process.stdout.isTTY
    ? pino({ ...options, transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } })
    : pino(options, pino.destination({ dest: STDOUT, sync: true }));
}
