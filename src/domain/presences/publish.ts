import { forEachYielding } from '../../infra/concurrency/event-loop.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { presencesOf, shownOf } from './record.js';
import type { Change } from './store.js';

const GUILDS_PER_TURN = 50;

/** Processes may publish changes of one user concurrently. Receivers skip the older ones. */
export async function publishPresence(call: CallContext, { after, clock }: Change): Promise<void> {
  for await (const guildIds of call.guilds.pagesOfGuildIds(after.userId)) {
    await forEachYielding(guildIds, GUILDS_PER_TURN, async (guildId) => {
      // Guilds on boxes get no presence events (service description, section 6).
      if (await call.boxRoutes.ofGuild(guildId)) return;
      call.announce({ type: 'PRESENCE_UPDATE', guildId, presence: after, clock });
    });
  }
}

/** For a new member who is online. The transaction must lock the streams of guild and user. */
export async function recordPresence(
  { live }: CallContext,
  write: Write,
  { guildId, userId }: { guildId: bigint; userId: bigint },
): Promise<void> {
  const presence = shownOf(userId, await presencesOf(write.db, userId, live.now()));
  if (presence.status === 'offline') return;
  write.record({ type: 'PRESENCE_UPDATE', guildId, presence, clock: write.clockOf(topics.user(userId)) });
}
