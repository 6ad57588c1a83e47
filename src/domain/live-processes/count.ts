import type { Reader } from '../../infra/database/index.js';

export interface LiveCounts {
  processes: number;
  presences: number;
  /** Users in voice channels, including bots. */
  voiceStates: number;
}

/** @param now a process whose row ends later counts as running */
export async function countLive(read: Reader, now: Date): Promise<LiveCounts> {
  const isAlive = { until: { gt: now } };
  const [processes, presences, voiceStates] = await Promise.all([
    read.liveProcess.count({ where: isAlive }),
    read.presence.count({ where: { process: isAlive } }),
    read.voiceState.count({ where: { process: isAlive } }),
  ]);
  return { processes, presences, voiceStates };
}
