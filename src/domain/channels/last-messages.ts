import { Prisma, type Reader } from '../../infra/database/index.js';
import { EVERYBODY, seenBySql } from '../messages/visibility.js';

/**
 * The newest message that everybody sees in each of some channels, by the channel's id; nothing for one without messages.
 * One index look-up a channel; grouping would walk over every message. Text, since a computed column has no declared type.
 * @param which a condition on the columns of `Channel`, which is `c` there
 */
export async function loadLastMessageIds(
  reader: Pick<Reader, '$queryRaw'>,
  which: Prisma.Sql,
): Promise<Map<bigint, bigint>> {
  const newest = Prisma.sql`
    SELECT "id" FROM "Message" WHERE "channelId" = c."id" AND ${seenBySql(EVERYBODY)} ORDER BY "id" DESC LIMIT 1`;
  const rows = await reader.$queryRaw<{ channelId: string; lastMessageId: string | null }[]>`
    SELECT CAST(c."id" AS TEXT) AS "channelId", CAST((${newest}) AS TEXT) AS "lastMessageId"
    FROM "Channel" c WHERE ${which}`;
  return new Map(
    rows.flatMap(({ channelId, lastMessageId }) =>
      lastMessageId === null ? [] : [[BigInt(channelId), BigInt(lastMessageId)]],
    ),
  );
}
