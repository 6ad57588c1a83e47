import { Prisma, type Reader } from '../../infra/database/index.js';
import { loadMembersById } from './load.js';
import { nameKey } from './name-keys.js';
import type { MemberRecord } from './record.js';

/** No name goes on with it: it is no character, and the last of all there could be. */
const AFTER_ALL = '\u{10FFFF}';

/**
 * At most `take` members of a guild of whose names one begins with `prefix`, whatever the case: username, shown name, nickname. In the
 * order of those names, so that who is called just so comes first. `take` is 1,000 at most. The prefix is text and
 * nothing else: no sign in it stands for others. What is read grows with `take` alone.
 */
export async function searchMembers(
  reader: Reader,
  guildId: bigint,
  prefix: string,
  take: number,
): Promise<MemberRecord[]> {
  // No name holds U+0000, and PostgreSQL takes no text that does.
  if (prefix.includes('\0')) return [];
  const userIds = await findByName(reader, guildId, prefix, take);
  return loadMembersById(reader, guildId, userIds);
}

const KEYS = ['usernameKey', 'globalNameKey', 'nickKey'].map((column) => Prisma.raw(`"${column}"`));

/** Of each kind of name a walk along an index, of which the first are taken. */
async function findByName(reader: Reader, guildId: bigint, prefix: string, take: number): Promise<bigint[]> {
  const first = nameKey(prefix);
  const walks = KEYS.map(
    (key) => Prisma.sql`SELECT * FROM (
      SELECT "userId", ${key} AS "key" FROM "Member"
      WHERE "guildId" = ${guildId} AND ${key} >= ${first} AND ${key} < ${first + AFTER_ALL}
      ORDER BY ${key}, "userId" LIMIT ${take}
    ) AS walk`,
  );
  // Text, since a computed column has no declared type.
  const rows = await reader.$queryRaw<{ userId: string }[]>`
    SELECT CAST("userId" AS TEXT) AS "userId" FROM (${Prisma.join(walks, ' UNION ALL ')}) AS found
    GROUP BY found."userId" ORDER BY MIN("key"), found."userId" LIMIT ${take}`;
  return rows.map(({ userId }) => BigInt(userId));
}
