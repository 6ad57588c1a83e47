import { Prisma, type Reader } from '../../infra/database/index.js';
import { MAX_ID } from '../../infra/ids.js';
import { inPieces, nextTurn } from '../../infra/turns.js';
import { loadMembers } from '../guilds/snapshot.js';
import type { MemberRecord } from './record.js';

/** Members of a guild that one statement compares, which takes a few milliseconds. */
const COMPARED_PER_TURN = 2_000;

/** Members that one query names: SQLite takes 999 parameters. */
const LOADED_AT_ONCE = 400;

/**
 * At most `take` members of a guild whose username or nickname begins with `prefix`, whatever the case, in ascending order of
 * their ids. `take` is 1,000 at most. The prefix is text and nothing else: no sign in it stands for others.
 */
export async function searchMembers(
  reader: Reader,
  guildId: bigint,
  prefix: string,
  take: number,
): Promise<MemberRecord[]> {
  const userIds: bigint[] = [];
  // No name holds U+0000, and PostgreSQL takes no text that does.
  for (let after: bigint | null = prefix.includes('\0') ? null : 0n; after !== null && userIds.length < take; ) {
    await nextTurn();
    const last: bigint | null = await endOfPiece(reader, guildId, after);
    const range = { after, last: last ?? MAX_ID };
    userIds.push(...(await findInRange(reader, guildId, range, prefix, take - userIds.length)));
    after = last;
  }
  const members: MemberRecord[] = [];
  for (const piece of inPieces(userIds, LOADED_AT_ONCE)) {
    members.push(...(await loadMembers(reader, guildId, { userIds: piece }, piece.length)));
  }
  return members;
}

/** The id of the last member in the piece that follows `after`; null when it is the guild's last piece. */
async function endOfPiece(reader: Reader, guildId: bigint, after: bigint): Promise<bigint | null> {
  const [last] = await reader.member.findMany({
    where: { guildId, userId: { gt: after } },
    select: { userId: true },
    orderBy: { userId: 'asc' },
    skip: COMPARED_PER_TURN - 1,
    take: 1,
  });
  return last?.userId ?? null;
}

async function findInRange(
  reader: Reader,
  guildId: bigint,
  range: { after: bigint; last: bigint },
  prefix: string,
  take: number,
): Promise<bigint[]> {
  const length = [...prefix].length;
  const forms = Prisma.join(formsOf(prefix));
  // Text, since a computed column has no declared type.
  const rows = await reader.$queryRaw<{ userId: string }[]>`
    SELECT CAST(m."userId" AS TEXT) AS "userId"
    FROM "Member" m JOIN "User" u ON u."id" = m."userId"
    WHERE m."guildId" = ${guildId} AND m."userId" > ${range.after} AND m."userId" <= ${range.last}
      AND (LOWER(SUBSTR(u."username", 1, ${length})) IN (${forms}) OR LOWER(SUBSTR(m."nick", 1, ${length})) IN (${forms}))
    ORDER BY m."userId" LIMIT ${take}`;
  return rows.map(({ userId }) => BigInt(userId));
}

/**
 * What the beginning of a name is when the database has put it in lower case. SQLite does so to the letters of ASCII only, so
 * others are looked for as they were typed, in lower and in upper case.
 */
function formsOf(prefix: string): string[] {
  const forms = [prefix, prefix.toLowerCase(), prefix.toUpperCase()].map(lowerAscii);
  return [...new Set(forms)];
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
