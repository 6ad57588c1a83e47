import { Prisma, type Reader } from '../../infra/database/index.js';
import { loadMembersById } from './load.js';
import type { MemberRecord } from './record.js';

/**
 * Members online or in voice come first, then those with a role, then those with a nickname. The cost does not grow
 * with the guild.
 * @param take 1,000 at most
 * @param now a presence or voice state counts if its process lives longer
 */
export async function loadNotableMembers(
  reader: Reader,
  guildId: bigint,
  take: number,
  now: Date,
): Promise<MemberRecord[]> {
  const walks = [
    Prisma.sql`SELECT v."userId", 0 AS "rank" FROM "VoiceState" v
      JOIN "LiveProcess" l ON l."id" = v."processId" AND l."until" > ${now}
      WHERE v."guildId" = ${guildId} LIMIT ${take}`,
    // SQLite evaluates cross joins in the written order. Presences come first, since they are few.
    Prisma.sql`SELECT m."userId", 0 AS "rank" FROM "Presence" p
      CROSS JOIN "LiveProcess" l
      CROSS JOIN "Member" m
      WHERE p."status" NOT IN ('invisible', 'offline') AND l."id" = p."processId" AND l."until" > ${now}
        AND m."guildId" = ${guildId} AND m."userId" = p."userId" LIMIT ${take}`,
    Prisma.sql`SELECT DISTINCT r."userId", 1 AS "rank" FROM "MemberRole" r
      WHERE r."guildId" = ${guildId} ORDER BY r."userId" LIMIT ${take}`,
    Prisma.sql`SELECT n."userId", 2 AS "rank" FROM "Member" n
      WHERE n."guildId" = ${guildId} AND n."nickKey" > '' ORDER BY n."nickKey" LIMIT ${take}`,
  ].map((walk) => Prisma.sql`SELECT * FROM (${walk}) AS walk`);
  // Cast to text, since a computed column has no declared type.
  const rows = await reader.$queryRaw<{ userId: string }[]>`
    SELECT CAST("userId" AS TEXT) AS "userId" FROM (${Prisma.join(walks, ' UNION ALL ')}) AS found
    GROUP BY found."userId" ORDER BY MIN("rank"), found."userId" LIMIT ${take}`;
  return loadMembersById(
    reader,
    guildId,
    rows.map(({ userId }) => BigInt(userId)),
  );
}
