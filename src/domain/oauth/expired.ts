import type { ReaderAndWriter } from '../../infra/database/index.js';

/** In milliseconds after the expiry of the grant's last code or token. */
const SPENT_KEPT_MS = 30 * 86_400_000;

/** SQLite takes 999 parameters. */
const GRANTS_PER_PAGE = 400;

/**
 * Codes and tokens stay until the whole grant is removed. An expired token identifies the grant to revoke. A reused one
 * reveals a theft. A code shows that the user saw the screen.
 * @param limit rows that one statement removes
 * @returns yields after each batch
 */
export async function* removeLongSpentGrants(db: ReaderAndWriter, now: number, limit: number): AsyncGenerator<void> {
  const spentSince = new Date(now - SPENT_KEPT_MS);
  for (let ids = await spentGrants(db, spentSince); ids.length > 0; ids = await spentGrants(db, spentSince)) {
    yield* removeGrants(db, ids, limit);
    yield;
  }
}

async function spentGrants({ reader }: ReaderAndWriter, spentSince: Date): Promise<bigint[]> {
  const grants = await reader.oAuthGrant.findMany({
    where: { endsAt: { lte: spentSince } },
    orderBy: { endsAt: 'asc' },
    take: GRANTS_PER_PAGE,
    select: { id: true },
  });
  return grants.map(({ id }) => id);
}

/** A long-lived grant can have hundreds of tokens. */
async function* removeGrants({ writer }: ReaderAndWriter, ids: bigint[], limit: number): AsyncGenerator<void> {
  for (let removed = limit; removed === limit; ) {
    removed = (await writer.oAuthToken.deleteMany({ where: { grantId: { in: ids } }, limit })).count;
    yield;
  }
  await writer.oAuthGrant.deleteMany({ where: { id: { in: ids } } });
}
