import { createContext, useContext } from 'react';
import type { EmojiRowFragment } from '../../gql/types.js';
import type { Problem } from '../../ui/problems.js';

/** Only a server's emojis have `roles`: those that may use it. */
export type ShownEmoji = EmojiRowFragment & { roles?: readonly { id: string; name: string }[] };

export interface EmojiFields {
  name: string;
  image?: File | undefined;
  /** Roles that may use a server's emoji. Empty: all members. */
  roleIds?: string[];
}

export interface Doing<Input> {
  /** @returns whether it succeeded */
  run(input: Input): Promise<boolean>;
  isBusy: boolean;
  problem: Problem | null;
}

/** Emoji operations of a server or an application. */
export interface EmojiHome {
  useCreate(): Doing<EmojiFields & { image: File }>;
  useUpdate(emojiId: string): Doing<Partial<EmojiFields>>;
  useDelete(): Doing<string>;
  /** Undefined for applications. */
  roles?: readonly { id: string; name: string }[] | undefined;
  /** Why the user may not change some of the emojis. */
  whyNot?: string;
}

export const EmojiHomeContext = createContext<EmojiHome | null>(null);

export function useEmojiHome(): EmojiHome {
  const home = useContext(EmojiHomeContext);
  if (!home) throw new Error('useEmojiHome must be used inside EmojiHomeContext.');
  return home;
}
