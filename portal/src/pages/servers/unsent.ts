import { Store } from '../../store.js';
import { noteUnsaved } from '../../unsaved.js';

/** What was written in a channel and not sent. */
export interface Unsent {
  text: string;
  files: readonly File[];
  /** Whether somebody was typing it elsewhere on the page a moment ago, and goes on where a message is written. */
  isGoneOnWith?: boolean;
}

export const NOTHING: Unsent = { text: '', files: [] };

/** By channel, while these pages are open: who comes back to a channel goes on there. */
const kept = new Map<string, Store<Unsent>>();

/** What was written in a channel and not sent, which its page may be closed over. */
export function unsentIn(channelId: string): Store<Unsent> {
  const known = kept.get(channelId);
  if (known) return known;
  const unsent = new Store(NOTHING);
  unsent.subscribe(guardPages);
  kept.set(channelId, unsent);
  return unsent;
}

/** Puts back what could not be sent, before what was written meanwhile. */
export function giveBack(unsent: Store<Unsent>, { text, files }: Unsent): void {
  const since = unsent.get();
  unsent.set({ text: [text, since.text].filter(Boolean).join('\n'), files: [...files, ...since.files] });
}

/** Goes on with what was typed elsewhere in the channel, after what was written already. @param isTyping whether somebody was at it */
export function goOnWith(unsent: Store<Unsent>, typed: string, isTyping: boolean): void {
  const { text, files, isGoneOnWith = false } = unsent.get();
  unsent.set({ text: [text, typed].filter(Boolean).join('\n'), files, isGoneOnWith: isGoneOnWith || isTyping });
}

/** Ends the note that something is unsent; null while nothing is. */
let endNote: (() => void) | null = null;

/** While something is unsent anywhere, the browser asks before it closes or reloads these pages. */
function guardPages(): void {
  const isAny = [...kept.values()]
    .map((one) => one.get())
    .some(({ text, files }) => text.trim() !== '' || files.length > 0);
  if (isAny) {
    endNote ??= noteUnsaved({ kind: 'message', within: '' });
    return;
  }
  endNote?.();
  endNote = null;
}
