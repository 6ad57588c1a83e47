import { Prisma, type Reader } from '../../infra/database/index.js';
import { inPieces, nextTurn } from '../../infra/turns.js';
import { loadLastMessageIds } from '../channels/last-messages.js';
import type { ChannelRecord } from '../channels/record.js';
import { type MemberRecord, WITH_USER_AND_ROLES } from '../members/record.js';
import { type GuildRecord, WITH_ROLES_AND_EMOJIS } from './record.js';

/** A guild with everything a client's cache begins with, but its members. */
export interface GuildSnapshot {
  guild: GuildRecord;
  channels: ChannelRecord[];
  /** Channel id to the newest message in it that everybody sees. */
  lastMessageIds: ReadonlyMap<bigint, bigint>;
  memberCount: number;
}

/** Reads a guild as a whole, or null when there is none. */
export async function loadGuildSnapshot(reader: Reader, guildId: bigint): Promise<GuildSnapshot | null> {
  const [guild, channels, lastMessageIds] = await Promise.all([
    reader.guild.findUnique({ where: { id: guildId, deletedAt: null }, include: WITH_ROLES_AND_EMOJIS }),
    reader.channel.findMany({ where: { guildId }, include: { overwrites: true }, orderBy: { position: 'asc' } }),
    loadLastMessageIds(reader, Prisma.sql`c."guildId" = ${guildId}`),
  ]);
  return guild && { guild, channels, lastMessageIds, memberCount: guild.memberCount };
}

/** Which members of a guild; the conditions are joined by "and". */
export interface MemberSelection {
  userIds?: bigint[];
  /** Only those with a higher user id. */
  after?: bigint | undefined;
}

/** Rows of one query: SQLite takes 999 parameters, and each member's roles cost two. */
const PAGE = 400;

/** At most `take` members, in ascending order of their ids. Others have a turn before each page. */
export async function loadMembers(
  reader: Reader,
  guildId: bigint,
  selection: MemberSelection,
  take: number,
): Promise<MemberRecord[]> {
  const found: MemberRecord[] = [];
  for (let { after } = selection; found.length < take; ) {
    await nextTurn();
    const size = Math.min(PAGE, take - found.length);
    const page = await loadPage(reader, guildId, { ...selection, after }, size);
    found.push(...page);
    if (page.length < size) break;
    after = page.at(-1)?.userId;
  }
  return found;
}

function loadPage(
  reader: Reader,
  guildId: bigint,
  { userIds, after }: MemberSelection,
  take: number,
): Promise<MemberRecord[]> {
  return reader.member.findMany({
    where: {
      guildId,
      userId: { ...(userIds ? { in: userIds } : {}), ...(after === undefined ? {} : { gt: after }) },
    },
    include: WITH_USER_AND_ROLES,
    orderBy: { userId: 'asc' },
    take,
  });
}

/** Those of these users who are members, in the order of the ids. Others have a turn before each page. */
export async function loadMembersById(
  reader: Reader,
  guildId: bigint,
  userIds: readonly bigint[],
): Promise<MemberRecord[]> {
  const found = new Map<bigint, MemberRecord>();
  for (const piece of inPieces(userIds, PAGE)) {
    const members = await loadMembers(reader, guildId, { userIds: piece }, piece.length);
    for (const member of members) found.set(member.userId, member);
  }
  return userIds.flatMap((userId) => found.get(userId) ?? []);
}

/** How many members a guild has; 0 when there is no such guild. */
export async function countMembers(reader: Reader, guildId: bigint): Promise<number> {
  const where = { id: guildId, deletedAt: null };
  const guild = await reader.guild.findUnique({ where, select: { memberCount: true } });
  return guild?.memberCount ?? 0;
}
