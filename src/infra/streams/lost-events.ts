import type { Clock, Timer } from '../clock.js';
import type { Database } from '../database/index.js';
import type { Logger } from '../observability/logger.js';
import type { Streams } from './streams.js';

const LOOK_EVERY_MS = 15_000;

/**
 * Compares the streams of this process with their clocks in the database: a process may end, or lose the database's
 * answer, between a commit and its events. PostgreSQL only.
 */
export function watchForLostEvents(
  { reader }: Database,
  streams: Pick<Streams<never>, 'findLost'>,
  clock: Clock,
  log: Logger,
): { stop(): void } {
  let isOver = false;
  let next: Timer;
  const look = async () => {
    // An unavailable database is logged elsewhere.
    await streams
      .findLost((topics) => readClocks(reader, topics))
      .catch((error: unknown) => log.debug({ err: error }, 'Could not read clocks'));
    if (!isOver) next = clock.after(LOOK_EVERY_MS, look);
  };
  next = clock.after(LOOK_EVERY_MS, look);
  return {
    stop() {
      isOver = true;
      next.cancel();
    },
  };
}

/** @returns the clocks of the last committed changes, by topic; none for a stream without any */
export async function readClocks(
  reader: Database['reader'],
  topics: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.streamClock.findMany({ where: { key: { in: [...topics] } } });
  return new Map(rows.map(({ key, seq }) => [key, Number(seq)]));
}
