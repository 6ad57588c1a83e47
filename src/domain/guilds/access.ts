import type { Transaction, User } from '../../infra/database/index.js';
import { type CallContext, requireUser } from '../call.js';
import { type GuildPlace, isSeenBy, type Place, permissionsIn } from '../channels/place.js';
import { placeOf } from '../channels/place-of.js';
import { DomainError, missingPermissions } from '../errors.js';
import {
  type ChannelOperation,
  type ChannelOperations,
  type GuildOperations,
  neededInChannel,
  neededInGuild,
} from '../guild-operations.js';
import type { IdPage } from '../id-page.js';
import type { MemberFacts } from '../members/record.js';
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

/** What the caller is in a guild. */
interface GuildAccess {
  guildId: bigint;
  /** As of when, in milliseconds since the Unix epoch. */
  at: number;
  member: MemberFacts;
  /** What the caller may do in the guild at large. */
  permissions: bigint;
  view: GuildView;
}

/**
 * Ids of the guilds of this database that the caller is a member of, in ascending order. The walk begins at the caller's memberships: a condition
 * on `Guild` would look at every guild of the instance.
 * @throws UNAUTHENTICATED
 */
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
 * The caller's access to a guild, from memory where it is known.
 * @param operations what the caller is about to do, for which they need the permissions
 * @throws UNAUTHENTICATED, UNKNOWN_GUILD, MISSING_PERMISSIONS; for a bot that is no member MISSING_ACCESS
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

/**
 * Nobody of the cloud's people is a member on a box: nothing is asked of it for them, and whether it can be reached tells them nothing of what it
 * has.
 */
function isOnBoxOfOthers(call: CallContext, user: Pick<User, 'bot'>, id: bigint): boolean {
  return !user.bot && call.boxRoutes.mayHave(id);
}

/**
 * A channel as the caller's place, from memory where it is known. A channel of a guild that the caller cannot view is hidden;
 * in one that is seen the caller may still lack some permissions. A direct channel is there for its recipients, who may do in it what
 * `DIRECT_PERMISSIONS` says.
 * @param operations what the caller is about to do, for which they need the permissions
 * @throws UNAUTHENTICATED, UNKNOWN_CHANNEL, MISSING_PERMISSIONS, DIRECT_CHANNEL for what is done in a guild's channels only; for a bot that
 *   cannot see the channel MISSING_ACCESS
 */
export async function accessChannel(
  call: CallContext,
  channelId: bigint,
  ...operations: ChannelOperations
): Promise<Place> {
  const { user } = requireUser(call);
  if (isOnBoxOfOthers(call, user, channelId)) throw new DomainError('UNKNOWN_CHANNEL');
  const place = await placeOf(call, channelId, user.id);
  if (!place) throw new DomainError('UNKNOWN_CHANNEL');
  if (!isSeenBy(user.id, place)) throw hidden(call, 'UNKNOWN_CHANNEL');
  if (allows(permissionsIn(place), neededInChannel(operations))) return place;
  throw place.kind === 'direct' ? new DomainError('DIRECT_CHANNEL') : missingPermissions();
}

/**
 * As {@link accessChannel}, for what only a guild's channel has.
 * @throws what `accessChannel` throws; UNKNOWN_CHANNEL for a direct channel
 */
export async function accessGuildChannel(
  call: CallContext,
  channelId: bigint,
  ...operations: ChannelOperations
): Promise<GuildPlace> {
  const place = await accessChannel(call, channelId, ...operations);
  if (place.kind !== 'guild') throw new DomainError('UNKNOWN_CHANNEL');
  return place;
}

/** Ids of the guild's channels in which the caller may do all of `operations`. */
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

/**
 * What somebody may do in the guild at large, as the transaction sees it: nothing for who is no member.
 * @param now milliseconds since the Unix epoch
 */
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

/** @throws MISSING_PERMISSIONS unless `permissions` holds all of `needed` */
export function requirePermissions(permissions: bigint, needed: bigint): void {
  if (!allows(permissions, needed)) throw missingPermissions();
}

/**
 * For what needs no permission and is still more than to look on.
 * @throws MISSING_PERMISSIONS for the caller while they are timed out there
 */
export function requireTakingPart({ clock }: Pick<CallContext, 'clock'>, place: Place): void {
  if (place.kind === 'direct' || place.permissions === ALL_PERMISSIONS) return;
  if (timeoutEnd(clock.now(), place.member) !== null) throw missingPermissions();
}

/** A person cannot tell what is hidden from what is missing; a bot is told, as on the reference platform. */
function hidden(call: CallContext, code: 'UNKNOWN_GUILD' | 'UNKNOWN_CHANNEL'): DomainError {
  return new DomainError(call.actor.kind === 'bot' ? 'MISSING_ACCESS' : code);
}
