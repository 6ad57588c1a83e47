import type { Prisma, Reader, ReaderAndWriter, Transaction } from '../../infra/database/index.js';

/** In milliseconds after the expiry of the grant's last code or token. */
const SPENT_KEPT_MS = 30 * 86_400_000;

/**
 * Codes and tokens stay until the whole grant is removed. An expired token identifies the grant to revoke. A reused one
 * reveals a theft. A code shows that the user saw the screen.
 * @param limit rows that one statement removes
 * @returns yields after each batch
 */
export function removeLongSpentGrants(
  { reader, writer }: ReaderAndWriter,
  now: number,
  limit: number,
): AsyncGenerator<void> {
  const spent = { where: { endsAt: { lte: new Date(now - SPENT_KEPT_MS) } }, orderBy: { endsAt: 'asc' } } as const;
  return removeGrants(reader, (statement) => statement(writer), spent, limit);
}

type WriteOne = <T>(statement: (db: Transaction) => Promise<T>) => Promise<T>;

/**
 * A long-lived grant can have hundreds of tokens.
 * @param which its order must follow an index
 * @param limit rows that one statement removes
 * @returns yields after each batch
 */
export async function* removeGrants(
  read: Reader,
  write: WriteOne,
  which: Pick<Prisma.OAuthGrantFindManyArgs, 'where' | 'orderBy'>,
  limit: number,
): AsyncGenerator<void> {
  for (;;) {
    const grants = await read.oAuthGrant.findMany({ ...which, take: limit, select: { id: true } });
    if (grants.length === 0) return;
    const ids = grants.map(({ id }) => id);
    for (let removed = limit; removed === limit; ) {
      const tokens = { where: { grantId: { in: ids } }, limit };
      removed = (await write((db) => db.oAuthToken.deleteMany(tokens))).count;
      yield;
    }
    await write((db) => db.oAuthGrant.deleteMany({ where: { id: { in: ids } } }));
    yield;
  }
}
