import { Prisma, type Reader } from '../../infra/database/index.js';
import { SEEN_BY_EVERYBODY } from '../messages/visibility.js';
import type { GuildChannelDetails, GuildChannelRecord } from './record.js';

type Queries = Pick<Reader, '$queryRaw'>;

/**
 * The newest message that everybody sees in each of some channels, by the channel's id; nothing for one without messages.
 * One index look-up a channel; grouping would walk over every message. Text, since a computed column has no declared type.
 * @param which a condition on the columns of `Channel`, which is `c` there
 */
export async function loadLastMessageIds(reader: Queries, which: Prisma.Sql): Promise<Map<bigint, bigint>> {
  const newest = Prisma.sql`
    SELECT "id" FROM "Message" WHERE "channelId" = c."id" AND ${SEEN_BY_EVERYBODY} ORDER BY "id" DESC LIMIT 1`;
  const rows = await reader.$queryRaw<{ channelId: string; lastMessageId: string | null }[]>`
    SELECT CAST(c."id" AS TEXT) AS "channelId", CAST((${newest}) AS TEXT) AS "lastMessageId"
    FROM "Channel" c WHERE ${which}`;
  return new Map(
    rows.flatMap(({ channelId, lastMessageId }) =>
      lastMessageId === null ? [] : [[BigInt(channelId), BigInt(lastMessageId)]],
    ),
  );
}

/** The newest message of one channel that everybody sees. */
export async function loadLastMessageId(reader: Queries, channelId: bigint): Promise<bigint | null> {
  const newest = await loadLastMessageIds(reader, Prisma.sql`c."id" = ${channelId}`);
  return newest.get(channelId) ?? null;
}

/** Channels with their newest messages, which one statement finds for all. */
export async function withLastMessages<Row extends { id: bigint }>(
  reader: Queries,
  channels: readonly Row[],
): Promise<{ channel: Row; lastMessageId: bigint | null }[]> {
  if (channels.length === 0) return [];
  const ids = Prisma.join(channels.map(({ id }) => id));
  const newest = await loadLastMessageIds(reader, Prisma.sql`c."id" IN (${ids})`);
  return channels.map((channel) => ({ channel, lastMessageId: newest.get(channel.id) ?? null }));
}

/** A channel with its newest message. */
export async function withLastMessage(reader: Queries, channel: GuildChannelRecord): Promise<GuildChannelDetails> {
  return { channel, lastMessageId: await loadLastMessageId(reader, channel.id) };
}
