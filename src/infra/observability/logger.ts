import { type Logger, pino } from 'pino';
import type { LogLevel } from '../../config.js';

export type { Logger } from 'pino';

const SECRET_PATHS = ['authorization', 'cookie', 'token', 'password', 'clientSecret', 'botToken'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.headers.${name}`,
]);

const STDOUT = 1;

/**
 * Writes synchronously: at exit, pino would retry its buffer forever if stdout is gone. A terminal gets text instead of
 * JSON.
 */
export async function createLogger(level: LogLevel): Promise<Logger> {
  const options = { level, redact: { paths: SECRET_PATHS, censor: '[secret]' }, base: null };
  const destination = pino.destination({ dest: STDOUT, sync: true });
  if (!process.stdout.isTTY) return pino(options, destination);
  // Not a transport, whose thread would load files by name that a bundle does not have.
  const { default: pretty } = await import('pino-pretty');
  const format = pretty.prettyFactory({});
  return pino(options, { write: (line: string) => void destination.write(format(line)) });
}
