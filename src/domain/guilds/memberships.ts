import { joinLookups } from '../../infra/caching/joined-lookups.js';
import { chunksOf, forEachYielding, yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import { Prisma, type Reader } from '../../infra/database/index.js';
import { storedScopes } from '../installations/scopes.js';

const PAGE = 1_000;
/** Smaller, because SQLite takes 999 parameters. */
const PAGE_ON_BOXES = 400;

const USERS_TOGETHER = 100;

type PagesOfGuildIds = (userId: bigint) => AsyncGenerator<bigint[], void>;

/**
 * Pages of ascending ids of guilds in this database. When many users connect at once, their first pages are read
 * together.
 */
export function joinedPagesOfGuildIds(reader: Reader): PagesOfGuildIds {
  const whole = joinLookups<bigint, bigint[] | 'tooMany'>((userIds) => readTogether(reader, userIds));
  return async function* pages(userId) {
    const all = await whole(userId);
    if (all !== null && all !== 'tooMany') yield all;
    else yield* pagesOfGuildIds(reader, userId);
  };
}

/** All guilds of each user, unless they are too many to be read together. */
async function readTogether(reader: Reader, userIds: bigint[]): Promise<Map<bigint, bigint[] | 'tooMany'>> {
  const found = new Map<bigint, bigint[] | 'tooMany'>();
  await forEachYielding(chunksOf(userIds, USERS_TOGETHER), 1, async (together) => {
    const rows = await reader.$queryRaw<{ userId: bigint; guildId: bigint }[]>`
      SELECT m."userId", m."guildId" FROM "Member" m JOIN "Guild" g ON g."id" = m."guildId"
      WHERE m."userId" IN (${Prisma.join(together)}) AND g."deletedAt" IS NULL ORDER BY m."guildId" LIMIT ${PAGE}`;
    const guildsOf = new Map<bigint, bigint[]>(together.map((userId) => [userId, []]));
    for (const { userId, guildId } of rows) guildsOf.get(userId)?.push(guildId);
    for (const [userId, guildIds] of guildsOf) found.set(userId, rows.length < PAGE ? guildIds : 'tooMany');
  });
  return found;
}

async function* pagesOfGuildIds(reader: Reader, userId: bigint): AsyncGenerator<bigint[], void> {
  let after: bigint | undefined;
  for (;;) {
    await yieldToEventLoop();
    const page = await reader.member.findMany({
      where: { userId, guild: { deletedAt: null }, ...(after === undefined ? {} : { guildId: { gt: after } }) },
      select: { guildId: true },
      orderBy: { guildId: 'asc' },
      take: PAGE,
    });
    yield page.map(({ guildId }) => guildId);
    if (page.length < PAGE) return;
    after = page.at(-1)?.guildId;
  }
}

/**
 * Ascending; only guilds on boxes where a bot is installed with the scope `bot`. Ignores a box's member list, so that a
 * box cannot add bots to its guilds.
 */
export async function* pagesOfBoxGuildIds(reader: Reader, userId: bigint): AsyncGenerator<bigint[], void> {
  for (let after = 0n; ; ) {
    await yieldToEventLoop();
    // Cast to text, since a computed column has no declared type.
    const found = await reader.$queryRaw<{ id: string }[]>`
      SELECT CAST(i."guildId" AS TEXT) AS "id" FROM "Installation" i JOIN "BoxGuild" g ON g."id" = i."guildId"
      WHERE i."applicationId" = ${userId} AND i."guildId" > ${after} ORDER BY i."guildId" LIMIT ${PAGE_ON_BOXES}`;
    const ids = found.map(({ id }) => BigInt(id));
    const last = ids.at(-1);
    if (last === undefined) return;
    const installed = await reader.installation.findMany({
      where: { applicationId: userId, guildId: { in: ids } },
      select: { guildId: true, scopes: true },
    });
    const withBot = new Set(
      installed.flatMap(({ guildId, scopes }) => (storedScopes(scopes).includes('bot') ? guildId : [])),
    );
    yield ids.filter((id) => withBot.has(id));
    if (ids.length < PAGE_ON_BOXES) return;
    after = last;
  }
}
