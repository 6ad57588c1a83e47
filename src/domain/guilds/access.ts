import type { Transaction, User } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { type ChannelAccess, type GuildChannelAccess, isVisibleTo, permissionsIn } from '../channels/access.js';
import { loadChannelAccess } from '../channels/load-access.js';
import { DomainError, missingPermissions } from '../errors.js';
import {
  type ChannelOperation,
  type ChannelOperations,
  type GuildOperations,
  neededInChannel,
  neededInGuild,
} from '../guild-operations.js';
import type { IdPage } from '../id-page.js';
import type { MemberSummary } from '../members/record.js';
import {
  ALL_PERMISSIONS,
  allows,
  channelPermissions,
  guildPermissions,
  holderAt,
  memberPermissions,
  timeoutEnd,
} from '../permissions.js';
import type { GuildView } from './views.js';

interface GuildAccess {
  guildId: bigint;
  /** Milliseconds since the Unix epoch. */
  at: number;
  member: MemberSummary;
  /** Without channel overwrites. */
  permissions: bigint;
  view: GuildView;
}

/** Ascending. Queries memberships, because a condition on `Guild` would scan all guilds. @throws UNAUTHENTICATED */
export async function ownGuildIds(call: CallContext, { after, take }: IdPage): Promise<bigint[]> {
  const memberships = await call.read.member.findMany({
    where: { userId: requireUser(call).user.id, guildId: { gt: after }, guild: { deletedAt: null } },
    orderBy: { guildId: 'asc' },
    take,
    select: { guildId: true },
  });
  return memberships.map(({ guildId }) => guildId);
}

/**
 * Checks that the caller may perform all `operations`.
 * @throws UNAUTHENTICATED, UNKNOWN_GUILD, MISSING_PERMISSIONS, MISSING_ACCESS for a bot that is not a member
 */
export async function accessGuild(
  call: CallContext,
  guildId: bigint,
  ...operations: GuildOperations
): Promise<GuildAccess> {
  const { user } = requireUser(call);
  if (isOnBoxOfOthers(call, user, guildId)) throw new DomainError('UNKNOWN_GUILD');
  const [view, member] = await Promise.all([call.guilds.view(guildId), call.guilds.member(guildId, user.id)]);
  if (!view) throw new DomainError('UNKNOWN_GUILD');
  if (!member) throw hidden(call, 'UNKNOWN_GUILD');
  const at = call.clock.now();
  const permissions = guildPermissions(view, holderAt(at, user.id, member));
  requirePermissions(permissions, neededInGuild(operations));
  return { guildId, at, member, permissions, view };
}

/** A person of the cloud is never a member on a box. A request would reveal whether the box is reachable. */
function isOnBoxOfOthers(call: CallContext, user: Pick<User, 'bot'>, id: bigint): boolean {
  return !user.bot && call.boxRoutes.mayHave(id);
}

/**
 * Checks that the caller may perform all `operations`. Recipients of a direct channel have `DIRECT_PERMISSIONS`.
 * @throws UNAUTHENTICATED, UNKNOWN_CHANNEL also if a person cannot view it, MISSING_PERMISSIONS, DIRECT_CHANNEL for an
 * operation that only guild channels allow, MISSING_ACCESS for a bot that cannot view the channel
 */
export async function accessChannel(
  call: CallContext,
  channelId: bigint,
  ...operations: ChannelOperations
): Promise<ChannelAccess> {
  const { user } = requireUser(call);
  if (isOnBoxOfOthers(call, user, channelId)) throw new DomainError('UNKNOWN_CHANNEL');
  const place = await loadChannelAccess(call, channelId, user.id);
  if (!place) throw new DomainError('UNKNOWN_CHANNEL');
  if (!isVisibleTo(user.id, place)) throw hidden(call, 'UNKNOWN_CHANNEL');
  if (allows(permissionsIn(place), neededInChannel(operations))) return place;
  throw place.kind === 'direct' ? new DomainError('DIRECT_CHANNEL') : missingPermissions();
}

/** @throws the errors of {@link accessChannel}; UNKNOWN_CHANNEL for a direct channel */
export async function accessGuildChannel(
  call: CallContext,
  channelId: bigint,
  ...operations: ChannelOperations
): Promise<GuildChannelAccess> {
  const place = await accessChannel(call, channelId, ...operations);
  if (place.kind !== 'guild') throw new DomainError('UNKNOWN_CHANNEL');
  return place;
}

export function channelsWith(access: GuildAccess, userId: bigint, ...operations: ChannelOperation[]): Set<bigint> {
  const needed = neededInChannel(operations);
  const { view, member, at } = access;
  const holder = holderAt(at, userId, member);
  const ids = new Set<bigint>();
  for (const channel of view.channels.values()) {
    if (allows(channelPermissions(view, channel, holder), needed)) ids.add(channel.id);
  }
  return ids;
}

/** Guild-wide permissions; 0 if the user is not a member. @param now milliseconds since the Unix epoch */
export async function permissionsWithin(
  db: Transaction,
  guildId: bigint,
  userId: bigint,
  now: number,
): Promise<bigint> {
  const member = await db.member.findUnique({
    where: { guildId_userId: { guildId, userId } },
    select: {
      userId: true,
      communicationDisabledUntil: true,
      roles: { select: { roleId: true } },
      guild: { select: { id: true, ownerId: true, roles: { select: { id: true, permissions: true } } } },
    },
  });
  return member ? memberPermissions(member, now) : 0n;
}

/** @throws MISSING_PERMISSIONS */
export function requirePermissions(permissions: bigint, needed: bigint): void {
  if (!allows(permissions, needed)) throw missingPermissions();
}

/** For operations that need no permission. @throws MISSING_PERMISSIONS while the caller is timed out */
export function requireTakingPart({ clock }: Pick<CallContext, 'clock'>, place: ChannelAccess): void {
  if (place.kind === 'direct' || place.permissions === ALL_PERMISSIONS) return;
  if (timeoutEnd(clock.now(), place.member) !== null) throw missingPermissions();
}

/** As on the reference platform, a bot learns that it lacks access. A person cannot distinguish hidden from missing. */
function hidden(call: CallContext, code: 'UNKNOWN_GUILD' | 'UNKNOWN_CHANNEL'): DomainError {
  return new DomainError(call.actor.kind === 'bot' ? 'MISSING_ACCESS' : code);
}
