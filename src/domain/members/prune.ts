import { z } from 'zod';
import type { Prisma, Reader, Transaction, User } from '../../infra/database/index.js';
import { nextTurn } from '../../infra/turns.js';
import { SEEN_BEHIND_MS } from '../accounts/seen.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { DAY_MS } from '../expiry.js';
import { accessGuild } from '../guilds/access.js';
import type { GuildView } from '../guilds/views.js';
import { listUpTo, snowflake } from '../input.js';
import { limits } from '../limits.js';
import { highestPosition } from '../roles/rank.js';
import type { PrunePayload } from './prune-payload.js';
import { endMembership } from './remove.js';

/** Members that one statement looks at. */
const LOOKED_AT_ONCE = 500;

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

type Selection = z.output<typeof PrunePayload>;

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

async function count(call: CallContext, selection: Selection): Promise<number> {
  let counted = 0;
  for await (const users of piecesOfInactive(call, selection)) counted += users.length;
  return counted;
}

/**
 * Removes whom a prune is about, in pieces. May be done twice.
 * @throws the reason of `signal` when that is aborted
 */
export async function removeInactive(call: CallContext, selection: Selection, signal: AbortSignal): Promise<void> {
  for await (const users of piecesOfInactive(call, selection)) {
    for (let at = 0; at < users.length; at += REMOVED_AT_ONCE) {
      await nextTurn();
      signal.throwIfAborted();
      await removePiece(call, selection, users.slice(at, at + REMOVED_AT_ONCE));
    }
  }
}

/** Who came back, or got a role, since they were looked at, stays. */
async function removePiece(call: CallContext, selection: Selection, users: readonly User[]): Promise<void> {
  const userId = { in: users.map(({ id }) => id) };
  await call.write(
    async (write) => {
      const { inactive } = await inactiveAmong(call, write.db, selection, { userId });
      for (const user of inactive) await endMembership(call, write, BigInt(selection.guildId), user);
    },
    { serializable: true },
  );
}

/** All inactive members, in ascending order of their ids. */
async function* piecesOfInactive(call: CallContext, selection: Selection): AsyncIterable<User[]> {
  for (let after: bigint | undefined = 0n; after !== undefined; ) {
    await nextTurn();
    const page: Looked = await inactiveAmong(call, call.read, selection, { userId: { gt: after } });
    yield page.inactive;
    after = page.lastId;
  }
}

interface Looked {
  inactive: User[];
  /** Who was looked at last; undefined where there is nobody after them. */
  lastId: bigint | undefined;
}

async function inactiveAmong(
  call: CallContext,
  db: Reader | Transaction,
  selection: Selection,
  among: Prisma.MemberWhereInput,
): Promise<Looked> {
  const members = await db.member.findMany({
    where: { ...among, guildId: BigInt(selection.guildId), guild: { deletedAt: null } },
    orderBy: { userId: 'asc' },
    take: LOOKED_AT_ONCE,
    include: withActivity(call.live.now()),
  });
  const inactive = members.filter((member) => isInactive(member, selection));
  const lastId = members.length < LOOKED_AT_ONCE ? undefined : members.at(-1)?.userId;
  return { inactive: inactive.map(({ user }) => user), lastId };
}

/** What says whether members are active, at a time. */
function withActivity(now: Date) {
  const isLive = { where: { process: { until: { gt: now } } }, select: { userId: true } };
  return {
    user: { include: { account: { select: { seenAt: true } }, presences: isLive, voiceStates: isLive } },
    roles: { select: { role: { select: { id: true, position: true } } } },
    guild: { select: { ownerId: true } },
  } satisfies Prisma.MemberInclude;
}

type MemberWithActivity = Prisma.MemberGetPayload<{ include: ReturnType<typeof withActivity> }>;

/** Bots have no account, and so are never inactive; nor is who joined since. */
function isInactive({ joinedAt, user, roles, guild }: MemberWithActivity, selection: Selection): boolean {
  const { notSeenSince, roleIds, below } = selection;
  const seenAt = user.account?.seenAt;
  if (!seenAt || seenAt.getTime() >= notSeenSince || joinedAt.getTime() >= notSeenSince) return false;
  if (user.id === guild.ownerId) return false;
  if (user.presences.length > 0 || user.voiceStates.length > 0) return false;
  if (roles.some(({ role }) => !roleIds.includes(String(role.id)))) return false;
  return below === null || Math.max(0, ...roles.map(({ role }) => role.position)) < below;
}
