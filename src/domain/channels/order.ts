/** Where a channel stands: channels are sorted by position, those of one position by id, within what they are in. */
export interface Placed {
  id: bigint;
  position: number;
  /** The category it is in. */
  parentId: bigint | null;
}

export interface ChannelPosition {
  channelId: bigint;
  /** Nothing, or null, leaves it where it is. */
  position?: number | null | undefined;
  /** Null for no category, nothing for the one it is in. */
  parentId?: bigint | null | undefined;
}

/** A channel with its new place. */
export interface Move<Channel extends Placed> {
  channel: Channel;
  position: number;
  parentId: bigint | null;
}

/**
 * Where channels are to stand. Each gets the position that is stated, whatever others have it too, and the others stay (decisions
 * 176); of several statements about one channel the last counts for what it states.
 * @returns those that move, in the order of `channels`
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
