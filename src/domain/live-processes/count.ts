import type { Reader } from '../../infra/database/index.js';

/** How much of live state there is, over all processes that live. */
export interface LiveCounts {
  processes: number;
  /** Connections that say how their users are seen. */
  presences: number;
  /** People and bots in voice. */
  voiceStates: number;
}

/** @param now rows count that belong to a process which lives longer than this */
export async function countLive(read: Reader, now: Date): Promise<LiveCounts> {
  const isAlive = { until: { gt: now } };
  const [processes, presences, voiceStates] = await Promise.all([
    read.liveProcess.count({ where: isAlive }),
    read.presence.count({ where: { process: isAlive } }),
    read.voiceState.count({ where: { process: isAlive } }),
  ]);
  return { processes, presences, voiceStates };
}
