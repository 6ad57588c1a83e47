import { Prisma, type Reader } from '../../infra/database/index.js';
import { nextTurn } from '../../infra/turns.js';
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
  /** Only those with a role beyond `@everyone` or a nickname, who are online or in voice. */
  notable?: boolean;
  userIds?: bigint[];
  /** Only those with a higher user id. */
  after?: bigint | undefined;
}

/** Rows of one query: SQLite takes 999 parameters, and each member's roles cost two. */
const PAGE = 400;

/**
 * At most `take` members, in ascending order of their ids. Others have a turn before each page.
 * @param now who is there counts where their process lives longer than this
 */
export async function loadMembers(
  reader: Reader,
  guildId: bigint,
  selection: MemberSelection,
  take: number,
  now = new Date(0),
): Promise<MemberRecord[]> {
  const found: MemberRecord[] = [];
  for (let { after } = selection; found.length < take; ) {
    await nextTurn();
    const size = Math.min(PAGE, take - found.length);
    const page = await loadPage(reader, guildId, { ...selection, after }, size, now);
    found.push(...page);
    if (page.length < size) break;
    after = page.at(-1)?.userId;
  }
  return found;
}

function loadPage(
  reader: Reader,
  guildId: bigint,
  { notable, userIds, after }: MemberSelection,
  take: number,
  now: Date,
): Promise<MemberRecord[]> {
  return reader.member.findMany({
    where: {
      guildId,
      userId: { ...(userIds ? { in: userIds } : {}), ...(after === undefined ? {} : { gt: after }) },
      ...(notable ? { OR: [{ nick: { not: null } }, { roles: { some: {} } }, ...isThere(guildId, now)] } : {}),
    },
    include: WITH_USER_AND_ROLES,
    orderBy: { userId: 'asc' },
    take,
  });
}

/** Of a member: that they are online, or in voice. */
function isThere(guildId: bigint, now: Date): Prisma.MemberWhereInput[] {
  const process = { until: { gt: now } };
  const isOnline = { status: { notIn: ['invisible', 'offline'] }, process };
  return [{ user: { presences: { some: isOnline } } }, { user: { voiceStates: { some: { guildId, process } } } }];
}

/** How many members a guild has; 0 when there is no such guild. */
export async function countMembers(reader: Reader, guildId: bigint): Promise<number> {
  const where = { id: guildId, deletedAt: null };
  const guild = await reader.guild.findUnique({ where, select: { memberCount: true } });
  return guild?.memberCount ?? 0;
}
