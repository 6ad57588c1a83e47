import type { Gateway } from '../gateway.js';
import type { Session } from '../session.js';
import { isReady } from './departures.js';

const MOST_TOGETHER = { sessions: 100, bytes: 16 * 1024 * 1024 };

/** How long busy sessions may stay, and how often they are looked at. */
export const SETTLE = { withinMs: 1_500, everyMs: 20 };

/** The sessions that move next: those that have ended or are ready, and busy ones that are late. */
export function nextWave(gateway: Gateway, all: Iterable<Session>, isLate: (session: Session) => boolean): Session[] {
  const wave: Session[] = [];
  let bytes = 0;
  for (const session of all) {
    if (!(session.ended || isLate(session) || isReady(gateway, session))) continue;
    wave.push(session);
    bytes += session.keptBytes;
    if (wave.length === MOST_TOGETHER.sessions || bytes >= MOST_TOGETHER.bytes) break;
  }
  return wave;
}
