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
    const now = await shownNow(call, told.userId);
    if (looksAlike(now, told)) return;
    told = now;
  }
}

/**
 * Tells a guild how somebody is seen who has become a member, unless they are offline, which they are to whom nobody told anything. Who
 * stores at the same time how they are seen may not know yet of the guild, or tell it first: this looks afterwards, too.
 */
export async function tellNewcomer(
  call: CallContext,
  { guildId, userId }: { guildId: bigint; userId: bigint },
): Promise<void> {
  let told: ShownPresence = shownOf(userId, []);
  for (;;) {
    const now = await shownNow(call, userId);
    if (looksAlike(now, told)) return;
    call.announce({ type: 'PRESENCE_UPDATE', guildId, presence: now });
    told = now;
  }
}

async function shownNow(call: CallContext, userId: bigint): Promise<ShownPresence> {
  return shownOf(userId, await presencesOf(call.read, userId, call.live.now()));
}
