import type { Reader } from '../../infra/database/index.js';
import { inPieces, nextTurn } from '../../infra/turns.js';
import { byUser, type ShownPresence, shownOf } from './record.js';

/** Users of one query: SQLite takes 999 parameters. */
const PAGE = 400;

/** How those of these users are seen who are not offline. Others have a turn between the queries. */
export async function loadPresences(reader: Reader, userIds: readonly bigint[], now: Date): Promise<ShownPresence[]> {
  const shown: ShownPresence[] = [];
  for (const [index, piece] of inPieces(userIds, PAGE).entries()) {
    if (index > 0) await nextTurn();
    const rows = await reader.presence.findMany({ where: { userId: { in: piece }, process: { until: { gt: now } } } });
    shown.push(...[...byUser(rows)].map(([userId, ofUser]) => shownOf(userId, ofUser)));
  }
  return shown.filter(({ status }) => status !== 'offline');
}
