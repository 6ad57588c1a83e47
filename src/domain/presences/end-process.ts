import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { CallContext } from '../call.js';
import { leaveAll } from '../voice/leave.js';
import { publishPresence } from './publish.js';
import { looksAlike } from './record.js';
import { type Change, endSomePresences } from './store.js';

/**
 * Removes the rows of a dead process. Concurrent calls publish each end once.
 * @param tells whether to publish presences and ended bot sessions
 */
export async function endProcess(call: CallContext, processId: string, tells: boolean): Promise<void> {
  await leaveAll(call, { processId });
  for (;;) {
    await yieldToEventLoop();
    const changes = await endSomePresences(call, processId);
    if (!changes) break;
    if (tells) for (const change of changes) await publishChange(call, change);
  }
  await call.write(({ db }) => db.liveProcess.deleteMany({ where: { id: processId } }));
}

async function publishChange(call: CallContext, change: Change): Promise<void> {
  const { before, after, isOfSessions } = change;
  if (isOfSessions) call.announce({ type: 'BOT_SESSIONS_UPDATED', applicationId: after.userId });
  if (!looksAlike(before, after)) await publishPresence(call, change);
}
