import { Prisma, type Reader } from '../../infra/database/index.js';
import { loadMembersById } from './load.js';
import { nameKey } from './name-keys.js';
import type { MemberRecord } from './record.js';

/** The highest code point is not a character, so no name contains it. */
const AFTER_ALL = '\u{10FFFF}';

/**
 * Matches the beginning of a name, ignoring case and without wildcards. The cost grows only with `take`.
 * @param take 1,000 at most
 */
export async function searchMembers(
  reader: Reader,
  guildId: bigint,
  prefix: string,
  take: number,
): Promise<MemberRecord[]> {
  // No name contains U+0000, and PostgreSQL rejects text with it.
  if (prefix.includes('\0')) return [];
  const userIds = await findByName(reader, guildId, prefix, take);
  return loadMembersById(reader, guildId, userIds);
}

const KEYS = ['usernameKey', 'globalNameKey', 'nickKey'].map((column) => Prisma.raw(`"${column}"`));

async function findByName(reader: Reader, guildId: bigint, prefix: string, take: number): Promise<bigint[]> {
  const first = nameKey(prefix);
  const walks = KEYS.map(
    (key) => Prisma.sql`SELECT * FROM (
      SELECT "userId", ${key} AS "key" FROM "Member"
      WHERE "guildId" = ${guildId} AND ${key} >= ${first} AND ${key} < ${first + AFTER_ALL}
      ORDER BY ${key}, "userId" LIMIT ${take}
    ) AS walk`,
  );
  // Cast to text, since a computed column has no declared type.
  const rows = await reader.$queryRaw<{ userId: string }[]>`
    SELECT CAST("userId" AS TEXT) AS "userId" FROM (${Prisma.join(walks, ' UNION ALL ')}) AS found
    GROUP BY found."userId" ORDER BY MIN("key"), found."userId" LIMIT ${take}`;
  return rows.map(({ userId }) => BigInt(userId));
}
