import type { CallContext } from '../call.js';
import { identifyPerDay } from '../limits.js';

interface LostSession {
  sessionId: string;
  botId: bigint;
}

/**
 * Gives back one IDENTIFY for a session that ended with its process. Of concurrent callers, one does. The bot's presence
 * stays until the process counts as dead.
 */
export async function giveBackIdentify(
  call: CallContext,
  { sessionId, botId }: LostSession,
  isGone: (processId: string) => Promise<boolean>,
): Promise<void> {
  const where = { sessionId, userId: botId, connectedAt: { not: null } };
  const row = await call.read.presence.findFirst({ where, select: { processId: true } });
  if (!row || !(await isGone(row.processId))) return;
  const { processId } = row;
  const { count } = await call.writeOne((db) =>
    db.presence.updateMany({ where: { ...where, processId }, data: { connectedAt: null } }),
  );
  if (count > 0) await call.limits.giveBack(identifyPerDay(0), String(botId));
}
