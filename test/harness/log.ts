import { type Level, type Logger, pino } from 'pino';

/** A log whose lines of `level` and above a test can read. */
export function readableLog(level: Level = 'error'): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  return { log: pino({ level }, { write: (line: string) => void lines.push(line) }), lines };
}

export function readLines(lines: string[]): { level: number; msg: string; requestId?: string; sessions?: number }[] {
  return lines.map((line) => JSON.parse(line));
}
