import { z } from 'zod';
import { chunksOf, yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import { Prisma } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
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

/** Blocks other writes in SQLite for about ten milliseconds. */
const REMOVED_AT_ONCE = 20;

export const PruneDays = z
  .number()
  .int()
  .min(limits.pruneDays.min)
  .max(limits.pruneDays.max)
  .nullish()
  .transform((days) => days ?? 7);

/** These roles do not protect a member from removal. */
export const PruneRoles = listUpTo(limits.rolesPerPrune, snowflake())
  .nullish()
  .transform((ids) => ids ?? []);

interface PruneInput {
  guildId: bigint;
  days: number;
  roleIds: readonly bigint[];
}

/**
 * Counts members who were inactive for `days`, rank below the caller and have no roles except `roleIds` (Discord's
 * documentation, Guild Resource). Needs KickMembers and ManageGuild.
 * @throws the errors of `accessGuild`
 */
export async function countInactive(call: CallContext, input: PruneInput): Promise<number> {
  const { view } = await accessGuild(call, input.guildId, 'pruneMembers');
  return count(call, await selectionOf(call, view, input));
}

/**
 * A job removes the members.
 * @returns the result of {@link countInactive}
 * @throws TOO_MANY_PRUNES during another prune of the guild, and the errors of `accessGuild`
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
    { streams: [topics.guild(guildId)] },
  );
  return counted;
}

async function selectionOf(call: CallContext, view: GuildView, { days, roleIds }: PruneInput): Promise<Selection> {
  const highest = await highestPosition(call, call.read, view);
  return {
    guildId: String(view.id),
    // The time of the last activity is stored with a delay.
    notSeenSince: call.clock.now() - days * DAY_MS - SEEN_BEHIND_MS,
    roleIds: roleIds.map(String),
    below: Number.isFinite(highest) ? highest : null,
  };
}

function count(call: CallContext, selection: Selection): Promise<number> {
  const { guildId } = selection;
  return call.mutexes.prunes.run(guildId, async () => {
    let counted = 0;
    for await (const range of rangesOfMembers(call.read, BigInt(guildId))) {
      counted += await countInactiveAmong(call.read, selection, range, call.live.now());
    }
    return counted;
  });
}

/** Idempotent. @throws `signal.reason` when aborted */
export async function removeInactive(call: CallContext, selection: Selection, signal: AbortSignal): Promise<void> {
  for await (const range of rangesOfMembers(call.read, BigInt(selection.guildId))) {
    const userIds = await findInactiveAmong(call.read, selection, range, call.live.now());
    for (const piece of chunksOf(userIds, REMOVED_AT_ONCE)) {
      await yieldToEventLoop();
      signal.throwIfAborted();
      await removePiece(call, selection, piece);
    }
  }
}

/** Checks again, because members may have become active or got a role. */
async function removePiece(call: CallContext, selection: Selection, userIds: readonly bigint[]): Promise<void> {
  const among = Prisma.sql`m."userId" IN (${Prisma.join(userIds)})`;
  await call.write(
    async (write) => {
      const inactive = await findInactiveAmong(write.db, selection, among, call.live.now());
      const users = await write.db.user.findMany({ where: { id: { in: inactive } }, orderBy: { id: 'asc' } });
      for (const user of users) await endMembership(call, write, BigInt(selection.guildId), user);
    },
    { streams: [topics.guild(selection.guildId), ...userIds.map(topics.user)] },
  );
}
