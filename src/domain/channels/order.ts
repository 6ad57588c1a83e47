/** Channels in one category are sorted by position, then by id. */
export interface Placed {
  id: bigint;
  position: number;
  parentId: bigint | null;
}

export interface ChannelPosition {
  channelId: bigint;
  /** Null or absent keeps the position. */
  position?: number | null | undefined;
  /** Null moves out of the category; absent keeps it. */
  parentId?: bigint | null | undefined;
}

export interface Move<Channel extends Placed> {
  channel: Channel;
  position: number;
  parentId: bigint | null;
}

/**
 * As on Discord, channels may share a position, and omitted channels keep theirs. The last value for a channel wins.
 * @returns the channels that move, in the order of `channels`
 */
export function movesOf<Channel extends Placed>(
  channels: readonly Channel[],
  positions: readonly ChannelPosition[],
): Move<Channel>[] {
  const places = new Map(channels.map(({ id, position, parentId }) => [id, { position, parentId }]));
  for (const { channelId, position, parentId } of positions) {
    const place = places.get(channelId);
    if (!place) continue;
    place.position = position ?? place.position;
    if (parentId !== undefined) place.parentId = parentId;
  }
  return channels.flatMap((channel) => {
    const place = places.get(channel.id) ?? channel;
    const stays = place.position === channel.position && place.parentId === channel.parentId;
    return stays ? [] : [{ channel, position: place.position, parentId: place.parentId }];
  });
}
