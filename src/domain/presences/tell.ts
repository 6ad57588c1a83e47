import { inTurns } from '../../infra/turns.js';
import type { CallContext } from '../call.js';
import { looksAlike, presencesOf, type ShownPresence, shownOf } from './record.js';

/** Guilds that are told before others have a turn. */
const GUILDS_PER_TURN = 50;

/** Tells every guild of a user how they are seen now. */
export function tellPresence(call: CallContext, presence: ShownPresence): Promise<void> {
  return tellUntilSo(call, presence, async (told) => {
    for await (const guildIds of call.guilds.pagesOfGuildIds(told.userId)) {
      await inTurns(guildIds, GUILDS_PER_TURN, async (guildId) => {
        if (!(await isOnBox(call, guildId))) announceIn(call, guildId, told);
      });
    }
  });
}

/**
 * Tells a guild of which somebody has become a member that they are there; nothing of who is offline, or is no member any more. To be called
 * after the membership was committed: whoever tells a change from then on finds the guild among theirs.
 */
export async function tellNewcomer(call: CallContext, guildId: bigint, userId: bigint): Promise<void> {
  if (await isOnBox(call, guildId)) return;
  const presence = await presenceOf(call, userId);
  if (presence.status === 'offline' || !(await call.guilds.member(guildId, userId))) return;
  await tellUntilSo(call, presence, async (told) => announceIn(call, guildId, told));
}

/** Presences are not told of in guilds on boxes (service description, section 6). */
async function isOnBox(call: CallContext, guildId: bigint): Promise<boolean> {
  return (await call.boxRoutes.ofGuild(guildId)) !== null;
}

function announceIn(call: CallContext, guildId: bigint, presence: ShownPresence): void {
  call.announce({ type: 'PRESENCE_UPDATE', guildId, presence });
}

/**
 * Several processes may tell of one user at once, in whatever order: each looks afterwards whether it told the latest, so that what is told
 * last is what is so.
 */
async function tellUntilSo(
  call: CallContext,
  presence: ShownPresence,
  tell: (presence: ShownPresence) => Promise<void>,
): Promise<void> {
  for (let told = presence; ; ) {
    await tell(told);
    const now = await presenceOf(call, told.userId);
    if (looksAlike(now, told)) return;
    told = now;
  }
}

async function presenceOf(call: CallContext, userId: bigint): Promise<ShownPresence> {
  return shownOf(userId, await presencesOf(call.read, userId, call.live.now()));
}
