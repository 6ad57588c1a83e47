import { Prisma, type Reader } from '../../infra/database/index.js';
import { VISIBLE_TO_EVERYONE } from '../messages/visibility.js';
import type { GuildChannelDetails, GuildChannelRecord } from './record.js';

type Queries = Pick<Reader, '$queryRaw'>;

/**
 * Message ids by channel id, without ephemeral messages. One index lookup per channel avoids a scan of every message.
 * Casts to text, because a computed column has no declared type.
 * @param which condition on the columns of `Channel`, aliased `c`
 */
export async function loadLastMessageIds(reader: Queries, which: Prisma.Sql): Promise<Map<bigint, bigint>> {
  const newest = Prisma.sql`
    SELECT "id" FROM "Message" WHERE "channelId" = c."id" AND ${VISIBLE_TO_EVERYONE} ORDER BY "id" DESC LIMIT 1`;
  const rows = await reader.$queryRaw<{ channelId: string; lastMessageId: string | null }[]>`
    SELECT CAST(c."id" AS TEXT) AS "channelId", CAST((${newest}) AS TEXT) AS "lastMessageId"
    FROM "Channel" c WHERE ${which}`;
  return new Map(
    rows.flatMap(({ channelId, lastMessageId }) =>
      lastMessageId === null ? [] : [[BigInt(channelId), BigInt(lastMessageId)]],
    ),
  );
}

export async function loadLastMessageId(reader: Queries, channelId: bigint): Promise<bigint | null> {
  const newest = await loadLastMessageIds(reader, Prisma.sql`c."id" = ${channelId}`);
  return newest.get(channelId) ?? null;
}

export async function withLastMessages<Row extends { id: bigint }>(
  reader: Queries,
  channels: readonly Row[],
): Promise<{ channel: Row; lastMessageId: bigint | null }[]> {
  if (channels.length === 0) return [];
  const ids = Prisma.join(channels.map(({ id }) => id));
  const newest = await loadLastMessageIds(reader, Prisma.sql`c."id" IN (${ids})`);
  return channels.map((channel) => ({ channel, lastMessageId: newest.get(channel.id) ?? null }));
}

export async function withLastMessage(reader: Queries, channel: GuildChannelRecord): Promise<GuildChannelDetails> {
  return { channel, lastMessageId: await loadLastMessageId(reader, channel.id) };
}
