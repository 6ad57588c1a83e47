import { chunksOf, yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { Reader } from '../../infra/database/index.js';
import { byUser, type ShownPresence, shownOf } from './record.js';

/** SQLite takes 999 parameters. */
const PAGE = 400;

/** Omits offline users. */
export async function loadPresences(reader: Reader, userIds: readonly bigint[], now: Date): Promise<ShownPresence[]> {
  const shown: ShownPresence[] = [];
  for (const [index, piece] of chunksOf(userIds, PAGE).entries()) {
    if (index > 0) await yieldToEventLoop();
    const rows = await reader.presence.findMany({ where: { userId: { in: piece }, process: { until: { gt: now } } } });
    shown.push(...[...byUser(rows)].map(([userId, ofUser]) => shownOf(userId, ofUser)));
  }
  return shown.filter(({ status }) => status !== 'offline');
}
