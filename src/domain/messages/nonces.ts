import type { ReaderAndWriter } from '../../infra/database/index.js';
import { snowflakeAt } from '../../infra/ids/ids.js';

/** Much longer than the window of an enforced nonce. */
const FORGET_AFTER_MS = 60 * 60_000;

/** A job may be repeated long after its first attempt, such as after an outage. */
const FORGET_JOBS_AFTER_MS = 7 * 86_400_000;

const JOB = 'job:';

export const jobKey = (authorId: bigint, channelId: bigint, key: string) => `${JOB}${authorId}:${channelId}:${key}`;

export const isJobKey = (key: string) => key.startsWith(JOB);

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
  const isOld = (key: string | null, id: bigint) =>
    id < snowflakeAt(now - (key !== null && isJobKey(key) ? FORGET_JOBS_AFTER_MS : FORGET_AFTER_MS));
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
    const old = messages.filter(({ id, enforcedNonceKey }) => isOld(enforcedNonceKey, id)).map(({ id }) => id);
    if (old.length > 0) {
      await writer.message.updateMany({ where: { id: { in: old } }, data: { enforcedNonceKey: null } });
    }
    yield;
  } while (messages.length === limit);
}
