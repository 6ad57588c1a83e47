import { accessBoxGuild } from '../domain/boxes/index.js';
import type { ChannelRecord } from '../domain/channels/index.js';
import { DomainError } from '../domain/errors.js';
import type { GuildSnapshot } from '../domain/guilds/index.js';
import type { MemberRecord, MemberSelection } from '../domain/members/index.js';
import type { BoxGuild, Guild, Role, User } from '../infra/database/index.js';
import type { GraphqlContext } from './context.js';

/**
 * Guilds on boxes have no row, only name and owner in an index. The rest is read from the box once per operation, and is empty while the
 * box is offline. Only the box's owner sees them.
 */

/** Decides by the id alone. Always false in a box's own process. */
export function isOnBox({ call }: Pick<GraphqlContext, 'call'>, id: bigint): boolean {
  return call.boxRoutes.mayHave(id);
}

/** Fields that the index lacks get the defaults of a new guild. */
export function guildRowOf({ id, name, ownerId }: BoxGuild): Guild {
  return {
    id,
    name,
    description: null,
    // The icon is on the box.
    iconHash: null,
    ownerId,
    afkChannelId: null,
    afkTimeout: 300,
    systemChannelId: null,
    systemChannelFlags: 0,
    verificationLevel: 0,
    defaultMessageNotifications: 0,
    explicitContentFilter: 0,
    preferredLocale: 'en-US',
    memberCount: 0,
    deletedAt: null,
  };
}

/** Null unless it is on one of the caller's boxes. */
export async function ownBoxGuild({ call, budget }: GraphqlContext, guildId: bigint): Promise<Guild | null> {
  try {
    return guildRowOf(await budget.step(() => accessBoxGuild(call, guildId)));
  } catch (error) {
    if (error instanceof DomainError && error.code === 'UNKNOWN_GUILD') return null;
    throw error;
  }
}

/** Null while the box is offline. */
export function boxSnapshot({ call, budget, loaders }: GraphqlContext, guildId: bigint): Promise<GuildSnapshot | null> {
  return loaders.get(`box guild ${guildId}`, () =>
    budget.step(() => unlessAway(null, () => call.guilds.snapshot(guildId))),
  );
}

/** In display order; empty while the box is offline. */
export async function boxChannels(context: GraphqlContext, guildId: bigint): Promise<ChannelRecord[]> {
  const channels = (await boxSnapshot(context, guildId))?.channels ?? [];
  return channels.toSorted((a, b) => a.position - b.position || compare(a.id, b.id));
}

/** Null also while the box is offline. */
export async function boxChannel(
  context: GraphqlContext,
  key: { guildId: bigint; channelId: bigint },
): Promise<ChannelRecord | null> {
  const channels = (await boxSnapshot(context, key.guildId))?.channels;
  return channels?.find(({ id }) => id === key.channelId) ?? null;
}

/** Null unless it is on one of the caller's boxes and the box is online. */
export async function ownBoxChannel(context: GraphqlContext, channelId: bigint): Promise<ChannelRecord | null> {
  const { call, budget } = context;
  const route = await budget.step(() => call.boxRoutes.ofChannel(channelId));
  if (!route || !(await ownBoxGuild(context, route.guildId))) return null;
  return boxChannel(context, { guildId: route.guildId, channelId });
}

/** Lowest first; empty while the box is offline. */
export async function boxRoles(context: GraphqlContext, guildId: bigint): Promise<Role[]> {
  const roles = (await boxSnapshot(context, guildId))?.guild.roles ?? [];
  return roles.toSorted((a, b) => a.position - b.position || compare(a.id, b.id));
}

/** In ascending id order; empty while the box is offline. */
export function boxMembers(
  context: GraphqlContext,
  guildId: bigint,
  selection: MemberSelection,
  most: number,
): Promise<MemberRecord[]> {
  const { guilds } = context.call;
  return readMembers(context, most, (take) => guilds.members(guildId, selection, take));
}

/** Empty while the box is offline. */
export function searchBoxMembers(
  context: GraphqlContext,
  guildId: bigint,
  prefix: string,
  most: number,
): Promise<MemberRecord[]> {
  const { guilds } = context.call;
  return readMembers(context, most, (take) => guilds.searchMembers(guildId, prefix, take));
}

/** Null while the box is offline. */
export async function boxOwner(context: GraphqlContext, { id, ownerId }: Guild): Promise<User | null> {
  const [owner] = await boxMembers(context, id, { userIds: [ownerId] }, 1);
  return owner?.user ?? null;
}

/** A member that this operation has read, with user and roles. */
export function boxMember(context: GraphqlContext, key: { guildId: bigint; userId: bigint }): MemberRecord {
  const member = membersRead(context).get(keyOf(key));
  if (!member) throw new DomainError('UNKNOWN_MEMBER');
  return member;
}

async function readMembers(
  context: GraphqlContext,
  most: number,
  read: (take: number) => Promise<MemberRecord[]>,
): Promise<MemberRecord[]> {
  const members = await context.budget.read(most, (take) => unlessAway([], () => read(take)));
  for (const member of members) membersRead(context).set(keyOf(member), member);
  return members;
}

function membersRead({ loaders }: GraphqlContext): Map<string, MemberRecord> {
  return loaders.get('members of boxes', () => new Map<string, MemberRecord>());
}

const keyOf = ({ guildId, userId }: { guildId: bigint; userId: bigint }) => `${guildId} ${userId}`;

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

/** @returns `otherwise` if the box is offline */
async function unlessAway<T>(otherwise: T, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'overloaded') return otherwise;
    throw error;
  }
}
