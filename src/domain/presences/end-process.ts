import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { CallContext } from '../call.js';
import { identifyPerDay } from '../limits.js';
import { leaveAll } from '../voice/leave.js';
import { publishPresence } from './publish.js';
import { looksAlike } from './record.js';
import { type Change, type Ending, endSomePresences } from './store.js';

/**
 * Removes the rows of a process. Concurrent calls publish each end once, and give back one IDENTIFY for each session that
 * another process lost.
 * @param tells whether to publish presences and ended bot sessions
 */
export async function endProcess(call: CallContext, processId: string, tells: boolean): Promise<void> {
  await leaveAll(call, { processId });
  for (;;) {
    await yieldToEventLoop();
    const endings = await endSomePresences(call, processId);
    if (!endings) break;
    if (!call.live.isOwn(processId)) for (const ending of endings) await giveBackIdentifies(call, ending);
    if (tells) for (const change of endings) await publishChange(call, change);
  }
  await call.write(({ db }) => db.liveProcess.deleteMany({ where: { id: processId } }));
}

async function giveBackIdentifies({ limits }: CallContext, { after, lostSessions }: Ending): Promise<void> {
  if (lostSessions > 0) await limits.giveBack(identifyPerDay(0), String(after.userId), lostSessions);
}

async function publishChange(call: CallContext, change: Change): Promise<void> {
  const { before, after, isOfSessions } = change;
  if (isOfSessions) call.announce({ type: 'BOT_SESSIONS_UPDATED', applicationId: after.userId });
  if (!looksAlike(before, after)) await publishPresence(call, change);
}
