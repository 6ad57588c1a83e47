import { z } from 'zod';
import { Prisma } from '../../infra/database/index.js';
import { Lines } from '../../infra/lines.js';
import { inPieces, nextTurn } from '../../infra/turns.js';
import { SEEN_BEHIND_MS } from '../accounts/seen.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { DAY_MS } from '../expiry.js';
import { accessGuild } from '../guilds/access.js';
import type { GuildView } from '../guilds/views.js';
import { listUpTo, snowflake } from '../input.js';
import { limits } from '../limits.js';
import { highestPosition } from '../roles/rank.js';
import { countInactiveAmong, findInactiveAmong, rangesOfMembers } from './inactive.js';
import type { Selection } from './prune-payload.js';
import { endMembership } from './remove.js';

/** Members that one transaction removes: some ten milliseconds of SQLite, in which nobody else writes. */
const REMOVED_AT_ONCE = 20;

/** For how many days somebody was not here, in a caller's input; a week where nothing is said. */
export const PruneDays = z
  .number()
  .int()
  .min(limits.pruneDays.min)
  .max(limits.pruneDays.max)
  .nullish()
  .transform((days) => days ?? 7);

/** Roles that keep nobody from being removed, in a caller's input. */
export const PruneRoles = listUpTo(limits.rolesPerPrune, snowflake())
  .nullish()
  .transform((ids) => ids ?? []);

interface PruneInput {
  guildId: bigint;
  days: number;
  roleIds: readonly bigint[];
}

/**
 * How many members a prune would remove: people who were not here for so many days, have no roles but the stated ones, and rank
 * below the caller (Discord's documentation, Guild Resource). Needs KickMembers and ManageGuild.
 * @throws what `accessGuild` throws
 */
export async function countInactive(call: CallContext, input: PruneInput): Promise<number> {
  const { view } = await accessGuild(call, input.guildId, 'pruneMembers');
  return count(call, await selectionOf(call, view, input));
}

/**
 * Removes the members that {@link countInactive} counts, soon and in pieces; who comes back meanwhile stays.
 * @returns how many they are
 * @throws TOO_MANY_PRUNES while there is another one of the guild, and what `accessGuild` throws
 */
export async function pruneMembers(call: CallContext, input: PruneInput): Promise<number> {
  const { guildId, days } = input;
  const { view } = await accessGuild(call, guildId, 'pruneMembers');
  const payload = await selectionOf(call, view, input);
  const counted = await count(call, payload);
  if (counted === 0) return 0;
  const key = `prune-members ${guildId}`;
  await call.write(
    async ({ db, addJob, audit }) => {
      if (await db.job.findUnique({ where: { key }, select: { id: true } })) throw new DomainError('TOO_MANY_PRUNES');
      await addJob({ kind: 'prune-members', payload, dueAt: call.clock.now(), key });
      await audit({ action: 'MEMBER_PRUNE', guildId, targetId: guildId, changes: { days, count: counted } });
    },
    { serializable: true },
  );
  return counted;
}

async function selectionOf(call: CallContext, view: GuildView, { days, roleIds }: PruneInput): Promise<Selection> {
  const highest = await highestPosition(call, call.read, view);
  return {
    guildId: String(view.id),
    // When somebody was here may be noted late.
    notSeenSince: call.clock.now() - days * DAY_MS - SEEN_BEHIND_MS,
    roleIds: roleIds.map(String),
    below: Number.isFinite(highest) ? highest : null,
  };
}

/** One count of each guild at a time: it looks at every member. */
const counts = new Lines<string>();

function count(call: CallContext, selection: Selection): Promise<number> {
  const { guildId } = selection;
  return counts.run(guildId, async () => {
    let counted = 0;
    for await (const range of rangesOfMembers(call.read, BigInt(guildId))) {
      counted += await countInactiveAmong(call.read, selection, range, call.live.now());
    }
    return counted;
  });
}

/**
 * Removes whom a prune is about, in pieces. May be done twice.
 * @throws the reason of `signal` when that is aborted
 */
export async function removeInactive(call: CallContext, selection: Selection, signal: AbortSignal): Promise<void> {
  for await (const range of rangesOfMembers(call.read, BigInt(selection.guildId))) {
    const userIds = await findInactiveAmong(call.read, selection, range, call.live.now());
    for (const piece of inPieces(userIds, REMOVED_AT_ONCE)) {
      await nextTurn();
      signal.throwIfAborted();
      await removePiece(call, selection, piece);
    }
  }
}

/** Who came back, or got a role, since they were looked at, stays. */
async function removePiece(call: CallContext, selection: Selection, userIds: readonly bigint[]): Promise<void> {
  const among = Prisma.sql`m."userId" IN (${Prisma.join(userIds)})`;
  await call.write(
    async (write) => {
      const inactive = await findInactiveAmong(write.db, selection, among, call.live.now());
      const users = await write.db.user.findMany({ where: { id: { in: inactive } }, orderBy: { id: 'asc' } });
      for (const user of users) await endMembership(call, write, BigInt(selection.guildId), user);
    },
    { serializable: true },
  );
}
