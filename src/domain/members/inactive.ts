import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import { Prisma, type Reader } from '../../infra/database/index.js';
import type { Selection } from './prune-payload.js';

/** One statement takes SQLite about ten milliseconds. */
const LOOKED_AT_ONCE = 2_000;

/** A condition on the table `m`. */
export type Among = Prisma.Sql;

/** Ascending by user id. */
export async function* rangesOfMembers(read: Pick<Reader, 'member'>, guildId: bigint): AsyncIterable<Among> {
  for (let after = 0n; ; ) {
    await yieldToEventLoop();
    const last = await read.member.findFirst({
      where: { guildId, userId: { gt: after } },
      orderBy: { userId: 'asc' },
      skip: LOOKED_AT_ONCE - 1,
      select: { userId: true },
    });
    if (!last) return yield Prisma.sql`m."userId" > ${after}`;
    yield Prisma.sql`m."userId" > ${after} AND m."userId" <= ${last.userId}`;
    after = last.userId;
  }
}

type Queries = Pick<Reader, '$queryRaw'>;

/** @param now by the clock of live processes */
export async function countInactiveAmong(db: Queries, selection: Selection, among: Among, now: Date): Promise<number> {
  // Cast to text, since a computed column has no declared type.
  const [row] = await db.$queryRaw<{ count: string }[]>`
    SELECT CAST(COUNT(*) AS TEXT) AS "count" ${inactive(selection, among, now)}`;
  return Number(row?.count ?? 0);
}

/**
 * @param now by the clock of live processes
 * @returns ascending user ids
 */
export async function findInactiveAmong(db: Queries, selection: Selection, among: Among, now: Date): Promise<bigint[]> {
  const rows = await db.$queryRaw<{ userId: bigint }[]>`
    SELECT m."userId" ${inactive(selection, among, now)} ORDER BY m."userId"`;
  return rows.map(({ userId }) => userId);
}

/** Excludes bots, because they have no account. Cheap conditions come first. */
function inactive({ guildId, notSeenSince, roleIds, below }: Selection, among: Among, now: Date): Prisma.Sql {
  const since = new Date(notSeenSince);
  // A member without roles ranks with `@everyone`, at position 0.
  const ranksBelow = below === null || below > 0 ? Prisma.sql`TRUE` : Prisma.sql`FALSE`;
  const keepsAnybody = [
    roleIds.length === 0 ? Prisma.sql`TRUE` : Prisma.sql`mr."roleId" NOT IN (${Prisma.join(roleIds.map(BigInt))})`,
    ...(below === null ? [] : [Prisma.sql`r."position" >= ${below}`]),
  ];
  return Prisma.sql`
    FROM "Member" m
    JOIN "Guild" g ON g."id" = m."guildId" AND g."deletedAt" IS NULL AND g."ownerId" <> m."userId"
    JOIN "AuthUser" a ON a."userId" = m."userId" AND a."seenAt" < ${since}
    WHERE m."guildId" = ${BigInt(guildId)} AND ${among} AND m."joinedAt" < ${since} AND ${ranksBelow}
      AND NOT EXISTS (
        SELECT 1 FROM "MemberRole" mr JOIN "Role" r ON r."id" = mr."roleId"
        WHERE mr."guildId" = m."guildId" AND mr."userId" = m."userId" AND (${Prisma.join(keepsAnybody, ' OR ')}))
      AND NOT EXISTS (
        SELECT 1 FROM "Presence" p JOIN "LiveProcess" l ON l."id" = p."processId" AND l."until" > ${now}
        WHERE p."userId" = m."userId")
      AND NOT EXISTS (
        SELECT 1 FROM "VoiceState" v JOIN "LiveProcess" l ON l."id" = v."processId" AND l."until" > ${now}
        WHERE v."userId" = m."userId")`;
}
