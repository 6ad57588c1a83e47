import { type Channel, Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';

/** A channel, and the newest message that everybody in it sees. */
export interface ChannelWithNewest {
  channel: Channel;
  lastMessageId: bigint | null;
}

/** Channels of a guild by their ids, in two queries whatever their number. */
export async function loadChannels(
  call: CallContext,
  guildId: bigint,
  ids: readonly bigint[],
): Promise<Map<bigint, ChannelWithNewest>> {
  const [channels, lastMessageIds] = await Promise.all([
    call.read.channel.findMany({ where: { id: { in: [...ids] }, guildId } }),
    loadLastMessageIds(call, ids),
  ]);
  return new Map(
    channels.map((channel) => [channel.id, { channel, lastMessageId: lastMessageIds.get(channel.id) ?? null }]),
  );
}

/** One index look-up a channel; grouping would walk over every message. Text, since a computed column has no declared type. */
async function loadLastMessageIds({ read }: CallContext, ids: readonly bigint[]): Promise<Map<bigint, bigint>> {
  const rows = await read.$queryRaw<{ channelId: string; lastMessageId: string | null }[]>`
    SELECT CAST(c."id" AS TEXT) AS "channelId",
      CAST((SELECT m."id" FROM "Message" m WHERE m."channelId" = c."id" AND m."visibleToId" IS NULL
        ORDER BY m."id" DESC LIMIT 1) AS TEXT) AS "lastMessageId"
    FROM "Channel" c WHERE c."id" IN (${Prisma.join([...ids])})`;
  return new Map(
    rows.flatMap(({ channelId, lastMessageId }) =>
      lastMessageId === null ? [] : [[BigInt(channelId), BigInt(lastMessageId)]],
    ),
  );
}
