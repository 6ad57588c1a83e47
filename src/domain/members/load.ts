import { chunksOf, yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { Reader } from '../../infra/database/index.js';
import { type MemberRecord, WITH_USER_AND_ROLES } from './record.js';

/** Conditions are combined with AND. */
export interface MemberSelection {
  userIds?: bigint[];
  after?: bigint | undefined;
}

/** SQLite takes 999 parameters, and the roles of each member cost two. */
const PAGE = 400;

/** Ordered by user id. */
export async function loadMembers(
  reader: Reader,
  guildId: bigint,
  selection: MemberSelection,
  take: number,
): Promise<MemberRecord[]> {
  const found: MemberRecord[] = [];
  for (let { after } = selection; found.length < take; ) {
    await yieldToEventLoop();
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

/** Keeps the order of `userIds`. */
export async function loadMembersById(
  reader: Reader,
  guildId: bigint,
  userIds: readonly bigint[],
): Promise<MemberRecord[]> {
  const found = new Map<bigint, MemberRecord>();
  for (const piece of chunksOf(userIds, PAGE)) {
    const members = await loadMembers(reader, guildId, { userIds: piece }, piece.length);
    for (const member of members) found.set(member.userId, member);
  }
  return userIds.flatMap((userId) => found.get(userId) ?? []);
}
