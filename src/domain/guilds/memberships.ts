import type { Reader } from '../../infra/database/index.js';
import { nextTurn } from '../../infra/turns.js';

const PAGE = 1_000;

/** The ids of the guilds that a user is a member of, in ascending order, a page at a time. */
export async function* pagesOfGuildIds(reader: Reader, userId: bigint): AsyncGenerator<bigint[], void> {
  let after: bigint | undefined;
  for (;;) {
    await nextTurn();
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
