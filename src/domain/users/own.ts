import type { Guild, User } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { pagesOfBoxGuildIds } from '../guilds/memberships.js';
import { GuildUnavailable, permissionsInGuild } from '../guilds/store.js';
import { memberPermissions } from '../permissions.js';

export interface OwnUser {
  user: User;
  /** Null if unverified, or if the caller may not read it. */
  email: string | null;
}

/** The user that the caller is or acts for. @throws UNAUTHENTICATED */
export async function getOwnUser(call: CallContext): Promise<OwnUser> {
  const { actor } = call;
  if (actor.kind === 'anonymous' || actor.kind === 'machine') throw new DomainError('UNAUTHENTICATED');
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
  guild: Pick<Guild, 'id' | 'name' | 'iconHash'>;
  isOwner: boolean;
  permissions: bigint;
  /** Null unless requested. */
  memberCount: number | null;
  /** Approximate; null unless requested. */
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
 * Ordered by id; with `before` alone, the last guilds before it. A bot also gets guilds on disconnected boxes, without
 * permissions and counts, so that a lost connection does not look like a removal.
 * @throws UNAUTHENTICATED
 */
export async function listOwnGuilds(call: CallContext, input: ListOwnGuildsInput): Promise<OwnGuild[]> {
  const { actor } = call;
  if (actor.kind === 'anonymous' || actor.kind === 'machine') throw new DomainError('UNAUTHENTICATED');
  const fromTheEnd = input.before !== undefined && input.after === undefined;
  const [here, onBoxes] = await Promise.all([
    listHere(call, actor.user, input, fromTheEnd),
    actor.user.bot ? listOnBoxes(call, actor.user, input) : [],
  ]);
  if (onBoxes.length === 0) return here;
  const all = [...here, ...onBoxes].sort((one, other) => (one.guild.id < other.guild.id ? -1 : 1));
  return fromTheEnd ? all.slice(-input.limit) : all.slice(0, input.limit);
}

async function listHere(
  call: CallContext,
  user: User,
  { before, after, limit, withCounts }: ListOwnGuildsInput,
  fromTheEnd: boolean,
): Promise<OwnGuild[]> {
  const memberships = await call.read.member.findMany({
    where: { userId: user.id, guildId: { lt: before, gt: after }, guild: { deletedAt: null } },
    orderBy: { guildId: fromTheEnd ? 'desc' : 'asc' },
    take: limit,
    include: {
      guild: { include: { roles: { select: { id: true, permissions: true } } } },
      roles: { select: { roleId: true } },
    },
  });
  if (fromTheEnd) memberships.reverse();
  const online = withCounts ? await call.presenceCounts.of(memberships.map(({ guildId }) => guildId)) : null;
  return memberships.map((membership) => {
    const { guild } = membership;
    return {
      guild,
      isOwner: guild.ownerId === user.id,
      permissions: memberPermissions(membership, call.clock.now()),
      memberCount: withCounts ? guild.memberCount : null,
      presenceCount: online?.get(guild.id) ?? null,
    };
  });
}

/** Each guild on a box costs requests to its box. */
const MOST_ON_BOXES = 200;

async function listOnBoxes(
  call: CallContext,
  { id: userId }: User,
  { before, after, limit, withCounts }: ListOwnGuildsInput,
): Promise<OwnGuild[]> {
  const ids: bigint[] = [];
  for await (const page of pagesOfBoxGuildIds(call.read, userId)) ids.push(...page);
  const within = ids.filter((id) => (before === undefined || id < before) && (after === undefined || id > after));
  const most = Math.min(limit, MOST_ON_BOXES);
  const wanted = before !== undefined && after === undefined ? within.slice(-most) : within.slice(0, most);
  const guilds = await call.read.boxGuild.findMany({ where: { id: { in: wanted } } });
  return Promise.all(
    guilds.map(async (guild) => ({
      guild,
      isOwner: false,
      permissions: (await inReach(permissionsInGuild(call.guilds, guild.id, userId, call.clock.now()))) ?? 0n,
      memberCount: withCounts ? await inReach(call.guilds.countMembers(guild.id)) : null,
      presenceCount: null,
    })),
  );
}

async function inReach<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GuildUnavailable) return null;
    throw error;
  }
}
