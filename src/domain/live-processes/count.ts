import type { Reader } from '../../infra/database/index.js';

export interface LiveCounts {
  processes: number;
  presences: number;
  /** Users in voice, including bots. */
  voiceStates: number;
}

/** @param now a process counts as running if its row ends after this time */
export async function countLive(read: Reader, now: Date): Promise<LiveCounts> {
  const isAlive = { until: { gt: now } };
  const [processes, presences, voiceStates] = await Promise.all([
    read.liveProcess.count({ where: isAlive }),
    read.presence.count({ where: { process: isAlive } }),
    read.voiceState.count({ where: { process: isAlive } }),
  ]);
  return { processes, presences, voiceStates };
}
