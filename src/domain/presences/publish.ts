import { forEachYielding } from '../../infra/concurrency/event-loop.js';
import type { CallContext } from '../call.js';
import { looksAlike, type ShownPresence } from './record.js';

const GUILDS_PER_TURN = 50;

export function publishPresence(call: CallContext, presence: ShownPresence): Promise<void> {
  return publishUntilCurrent(call, presence, (told) => publishPresenceOnce(call, told));
}

/** For the only publisher of the user's presences. */
export async function publishPresenceOnce(call: CallContext, presence: ShownPresence): Promise<void> {
  for await (const guildIds of call.guilds.pagesOfGuildIds(presence.userId)) {
    await forEachYielding(guildIds, GUILDS_PER_TURN, async (guildId) => {
      if (!(await isOnBox(call, guildId))) announceIn(call, guildId, presence);
    });
  }
}

/** Call this after the commit, when later changes also reach the guild. Skips a user who is offline or has left. */
export async function publishPresenceIn(call: CallContext, guildId: bigint, userId: bigint): Promise<void> {
  if (await isOnBox(call, guildId)) return;
  const presence = await call.connections.presenceOf(userId);
  if (presence.status === 'offline' || !(await call.guilds.member(guildId, userId))) return;
  await publishUntilCurrent(call, presence, async (told) => announceIn(call, guildId, told));
}

/** Guilds on boxes get no presence events (service description, section 6). */
async function isOnBox(call: CallContext, guildId: bigint): Promise<boolean> {
  return (await call.boxRoutes.ofGuild(guildId)) !== null;
}

function announceIn(call: CallContext, guildId: bigint, presence: ShownPresence): void {
  call.announce({ type: 'PRESENCE_UPDATE', guildId, presence });
}

/** Processes may publish a user's presence concurrently. Each checks afterwards whether it published the latest one. */
async function publishUntilCurrent(
  call: CallContext,
  presence: ShownPresence,
  tell: (presence: ShownPresence) => Promise<void>,
): Promise<void> {
  for (let told = presence; ; ) {
    await tell(told);
    const now = await call.connections.presenceOf(told.userId);
    if (looksAlike(now, told)) return;
    told = now;
  }
}
