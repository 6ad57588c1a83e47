import { inTurns } from '../../infra/turns.js';
import type { CallContext } from '../call.js';
import { looksAlike, presencesOf, type ShownPresence, shownOf } from './record.js';

/** Guilds that are told before others have a turn. */
const GUILDS_PER_TURN = 50;

/**
 * Tells every guild of a user how they are seen now. Several processes may tell of one user at once, in whatever order: each looks
 * afterwards whether it told the latest, so that what is told last is what is so.
 */
export async function tellPresence(call: CallContext, presence: ShownPresence): Promise<void> {
  for (let told = presence; ; ) {
    for await (const guildIds of call.guilds.pagesOfGuildIds(told.userId)) {
      const tell = (guildId: bigint) => call.announce({ type: 'PRESENCE_UPDATE', guildId, presence: told });
      await inTurns(guildIds, GUILDS_PER_TURN, tell);
    }
    const now = shownOf(told.userId, await presencesOf(call.read, told.userId, call.live.now()));
    if (looksAlike(now, told)) return;
    told = now;
  }
}
