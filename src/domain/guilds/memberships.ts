import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { Reader } from '../../infra/database/index.js';
import { storedScopes } from '../installations/scopes.js';

const PAGE = 1_000;
/** Smaller, because SQLite takes 999 parameters. */
const PAGE_ON_BOXES = 400;

/** Ascending; only guilds in this database. */
export async function* pagesOfGuildIds(reader: Reader, userId: bigint): AsyncGenerator<bigint[], void> {
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
