import { nextTurn } from '../../infra/turns.js';
import type { CallContext } from '../call.js';
import { endVoice } from '../voice/leave.js';
import { looksAlike } from './record.js';
import { type Change, endSomePresences } from './store.js';
import { tellPresence } from './tell.js';

/** Voice states that are ended at once. */
const VOICE_STATES_PER_TRANSACTION = 100;

/**
 * Ends what the connections to a process said and where they were in voice, in pieces, and its row at last. Several may do so at once: each
 * end is told once.
 * @param tells whether guilds are told how people are seen now, and who develops bots that their sessions ended
 */
export async function endProcess(call: CallContext, processId: string, tells: boolean): Promise<void> {
  await endItsVoice(call, processId);
  for (;;) {
    await nextTurn();
    const changes = await endSomePresences(call, processId);
    if (!changes) break;
    if (tells) for (const change of changes) await tell(call, change);
  }
  await call.write(({ db }) => db.liveProcess.deleteMany({ where: { id: processId } }));
}

async function tell(call: CallContext, { before, after, isOfSessions }: Change): Promise<void> {
  if (isOfSessions) call.announce({ type: 'BOT_SESSIONS_UPDATED', applicationId: after.userId });
  if (!looksAlike(before, after)) await tellPresence(call, after);
}

async function endItsVoice(call: CallContext, processId: string): Promise<void> {
  for (let ended = 1; ended > 0; ) {
    await nextTurn();
    ended = (await call.write((write) => endVoice(write, { processId }, VOICE_STATES_PER_TRANSACTION))).length;
  }
}
