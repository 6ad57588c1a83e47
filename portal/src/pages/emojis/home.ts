import { createContext, useContext } from 'react';
import type { EmojiRowFragment } from '../../gql/types.js';
import type { Problem } from '../../ui/problems.js';

/** An emoji as pages show it; who may use it where it is a server's. */
export type ShownEmoji = EmojiRowFragment & { roles?: readonly { id: string; name: string }[] };

/** What a new emoji is made of, or what of one is changed. */
export interface EmojiFields {
  name: string;
  image?: File | undefined;
  /** Of a server's: who may use it; none for everybody. */
  roleIds?: string[];
}

/** Something that is done with an emoji. */
export interface Doing<Input> {
  /** @returns whether it was done */
  run(input: Input): Promise<boolean>;
  isBusy: boolean;
  problem: Problem | null;
}

/** To whom emojis belong: a server or an application. */
export interface EmojiHome {
  useCreate(): Doing<EmojiFields & { image: File }>;
  useUpdate(emojiId: string): Doing<Partial<EmojiFields>>;
  useDelete(): Doing<string>;
  /** Who may be named as those who may use one; undefined where nobody is. */
  roles?: readonly { id: string; name: string }[] | undefined;
  /** Why some of them may not be changed, where that is not said of all of them. */
  whyNot?: string;
}

export const EmojiHomeContext = createContext<EmojiHome | null>(null);

/** To whom the emojis belong whose page is open. */
export function useEmojiHome(): EmojiHome {
  const home = useContext(EmojiHomeContext);
  if (!home) throw new Error('no emojis are open');
  return home;
}
