import type { ReaderAndWriter } from '../../infra/database/index.js';
import { snowflakeAt } from '../../infra/ids/ids.js';

/** Much longer than the window of an enforced nonce. */
const FORGET_AFTER_MS = 60 * 60_000;

/**
 * Clears `enforcedNonceKey` of old messages, but keeps their `nonce`.
 * @param limit rows of one statement
 * @returns yields after each batch, so that the caller can run other work
 */
export async function* forgetEnforcedNonces(
  { reader, writer }: ReaderAndWriter,
  now: number,
  limit: number,
): AsyncGenerator<void> {
  const madeBefore = snowflakeAt(now - FORGET_AFTER_MS);
  let messages: { id: bigint; enforcedNonceKey: string | null }[];
  let after = '';
  do {
    // Scans the unique index, which holds mostly the last hour's keys. With a condition on age, SQLite would scan all
    // messages.
    messages = await reader.message.findMany({
      where: { enforcedNonceKey: { gt: after } },
      orderBy: { enforcedNonceKey: 'asc' },
      take: limit,
      select: { id: true, enforcedNonceKey: true },
    });
    after = messages.at(-1)?.enforcedNonceKey ?? after;
    const old = messages.map(({ id }) => id).filter((id) => id < madeBefore);
    if (old.length > 0) {
      await writer.message.updateMany({ where: { id: { in: old } }, data: { enforcedNonceKey: null } });
    }
    yield;
  } while (messages.length === limit);
}
