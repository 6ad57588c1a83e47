import type { Doors } from '../../infra/database/index.js';
import { snowflakeAt } from '../../infra/ids.js';

/** Many times as long as an enforced nonce keeps a second message away, in milliseconds. */
const FORGET_AFTER_MS = 60 * 60_000;

/**
 * Forgets which nonces were enforced for messages that are older than an hour, in pieces. The nonces themselves stay with their
 * messages.
 * @param limit how many rows one statement looks at, or changes
 * @returns yields after each piece, so that others can have a turn
 */
export async function* forgetEnforcedNonces(
  { reader, writer }: Doors,
  now: number,
  limit: number,
): AsyncGenerator<void> {
  const madeBefore = snowflakeAt(now - FORGET_AFTER_MS);
  let messages: { id: bigint; enforcedNonceKey: string | null }[];
  let after = '';
  do {
    // Along the unique index, in which little but the last hour's keys stands. With the age as a condition SQLite would go along the
    // messages instead, all of them.
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
