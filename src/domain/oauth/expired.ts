import type { Doors } from '../../infra/database/index.js';

/** How long a grant is kept after the last of its codes and tokens was over, in milliseconds. */
const SPENT_KEPT_MS = 30 * 86_400_000;

/** How many grants are removed together: SQLite takes 999 parameters. */
const GRANTS_PER_PAGE = 400;

/**
 * Removes grants of which no code can be redeemed and no token be used since 30 days, with all of these, in pieces. Nothing of a
 * grant goes before: a token that is over still names the grant that its revocation ends, a used one that comes again tells of a
 * thief, and a code tells that the person saw the screen.
 * @param limit how many rows one statement removes, at most
 * @returns yields after each piece, so that others can have a turn
 */
export async function* removeLongSpentGrants(db: Doors, now: number, limit: number): AsyncGenerator<void> {
  const spentSince = new Date(now - SPENT_KEPT_MS);
  for (let ids = await spentGrants(db, spentSince); ids.length > 0; ids = await spentGrants(db, spentSince)) {
    yield* removeGrants(db, ids, limit);
    yield;
  }
}

async function spentGrants({ reader }: Doors, spentSince: Date): Promise<bigint[]> {
  const grants = await reader.oAuthGrant.findMany({
    where: { endsAt: { lte: spentSince } },
    orderBy: { endsAt: 'asc' },
    take: GRANTS_PER_PAGE,
    select: { id: true },
  });
  return grants.map(({ id }) => id);
}

/** A grant that was refreshed for long has hundreds of tokens. */
async function* removeGrants({ writer }: Doors, ids: bigint[], limit: number): AsyncGenerator<void> {
  for (let removed = limit; removed === limit; ) {
    removed = (await writer.oAuthToken.deleteMany({ where: { grantId: { in: ids } }, limit })).count;
    yield;
  }
  await writer.oAuthGrant.deleteMany({ where: { id: { in: ids } } });
}
