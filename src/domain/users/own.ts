import type { Guild, User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { memberPermissions } from '../permissions.js';

export interface OwnUser {
  user: User;
  /** The verified e-mail address; null when it is not to be seen, or is not verified. */
  email: string | null;
}

/**
 * The user whom the caller is or acts for.
 * @throws UNAUTHENTICATED
 */
export async function getOwnUser(call: CallContext): Promise<OwnUser> {
  const { actor } = call;
  if (actor.kind === 'anonymous') throw new DomainError('UNAUTHENTICATED');
  const mayReadEmail = actor.kind === 'person' || (actor.kind === 'token' && actor.scopes.includes('email'));
  return { user: actor.user, email: mayReadEmail ? await findVerifiedEmail(call, actor.user.id) : null };
}

async function findVerifiedEmail(call: CallContext, userId: bigint): Promise<string | null> {
  const account = await call.read.authUser.findUnique({
    where: { userId, emailVerified: true },
    select: { email: true },
  });
  return account?.email ?? null;
}

export interface OwnGuild {
  guild: Guild;
  isOwner: boolean;
  /** What the user may do in the guild at large. */
  permissions: bigint;
  /** Null unless it was asked for. */
  memberCount: number | null;
  /** About how many of them are online; null unless it was asked for. */
  presenceCount: number | null;
}

export interface ListOwnGuildsInput {
  before?: bigint | undefined;
  after?: bigint | undefined;
  /** 1 to 200. */
  limit: number;
  withCounts: boolean;
}

/**
 * The guilds of the user whom the caller is or acts for, in ascending id order; with `before` alone, the last ones before it.
 * @throws UNAUTHENTICATED
 */
export async function listOwnGuilds(call: CallContext, input: ListOwnGuildsInput): Promise<OwnGuild[]> {
  const { actor } = call;
  if (actor.kind === 'anonymous') throw new DomainError('UNAUTHENTICATED');
  const fromTheEnd = input.before !== undefined && input.after === undefined;
  const memberships = await call.read.member.findMany({
    where: { userId: actor.user.id, guildId: { lt: input.before, gt: input.after }, guild: { deletedAt: null } },
    orderBy: { guildId: fromTheEnd ? 'desc' : 'asc' },
    take: input.limit,
    include: {
      guild: { include: { roles: { select: { id: true, permissions: true } } } },
      roles: { select: { roleId: true } },
    },
  });
  if (fromTheEnd) memberships.reverse();
  const online = input.withCounts ? await call.presenceCounts.of(memberships.map(({ guildId }) => guildId)) : null;
  return memberships.map((membership) => {
    const { guild } = membership;
    return {
      guild,
      isOwner: guild.ownerId === actor.user.id,
      permissions: memberPermissions(membership, call.clock.now()),
      memberCount: input.withCounts ? guild.memberCount : null,
      presenceCount: online?.get(guild.id) ?? null,
    };
  });
}
