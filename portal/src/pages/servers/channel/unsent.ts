import { Store } from '../../../store.js';
import { noteUnsaved } from '../../../unsaved.js';

export interface Unsent {
  text: string;
  files: readonly File[];
  /** Whether the user was typing this text elsewhere on the page and continues in the composer. */
  isGoneOnWith?: boolean;
}

export const NOTHING: Unsent = { text: '', files: [] };

/** By channel. Kept until the tab closes. */
const kept = new Map<string, Store<Unsent>>();

export function unsentIn(channelId: string): Store<Unsent> {
  const known = kept.get(channelId);
  if (known) return known;
  const unsent = new Store(NOTHING);
  unsent.subscribe(guardPages);
  kept.set(channelId, unsent);
  return unsent;
}

/** Puts an unsent message before text typed since. */
export function giveBack(unsent: Store<Unsent>, { text, files }: Unsent): void {
  const since = unsent.get();
  unsent.set({ text: [text, since.text].filter(Boolean).join('\n'), files: [...files, ...since.files] });
}

/** Appends text from elsewhere. @param isTyping whether the user was typing it */
export function goOnWith(unsent: Store<Unsent>, typed: string, isTyping: boolean): void {
  const { text, files, isGoneOnWith = false } = unsent.get();
  unsent.set({ text: [text, typed].filter(Boolean).join('\n'), files, isGoneOnWith: isGoneOnWith || isTyping });
}

let endNote: (() => void) | null = null;

/** Asks before the tab closes or reloads with an unsent message. */
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
