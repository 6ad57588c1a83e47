import type { ChannelRowFragment } from '../../gql/types.js';

export const ChannelType = { text: 0, voice: 2, category: 4, announcement: 5 } as const;

/** Whether the portal shows its messages. */
export function isMessageChannel({ type }: Pick<ChannelRowFragment, 'type'>): boolean {
  return type === ChannelType.text || type === ChannelType.announcement;
}

/** `category` is null for channels without one. */
export interface ChannelGroup {
  category: ChannelRowFragment | null;
  channels: ChannelRowFragment[];
}

/** Channels without a category come first. Each group has the server's order. */
export function groupsOf(channels: readonly ChannelRowFragment[]): ChannelGroup[] {
  const below = (id: string | null) =>
    channels.filter((one) => one.type !== ChannelType.category && (one.parent?.id ?? null) === id);
  const categories = channels.filter(({ type }) => type === ChannelType.category);
  const groups = categories.map((category) => ({ category, channels: below(category.id) }));
  const loose = below(null);
  return loose.length > 0 ? [{ category: null, channels: loose }, ...groups] : groups;
}
