import { createContext, use, useLayoutEffect } from 'react';

/**
 * What would be lost: something that was typed, a secret that is shown this once, or a message that was not sent, which outlives its
 * page and is lost with the tab alone.
 */
type Kind = 'typed' | 'secret' | 'message';

interface Unsaved {
  kind: Kind;
  /** The id of what it is lost with when that is closed: a dialog, or an editor on the page. */
  within: string;
}

/** All there is, on whatever page and in whatever dialog. */
const unsaved = new Set<Unsaved>();

/** The nearest around it that can be closed by itself; empty for the page. */
export const WithinContext = createContext('');

/** Notes something as unsaved for as long as it is, and as it is shown. */
export function useUnsaved(isUnsaved: boolean, kind: Kind = 'typed'): void {
  const within = use(WithinContext);
  useLayoutEffect(() => (isUnsaved ? noteUnsaved({ kind, within }) : undefined), [isUnsaved, kind, within]);
}

/** @returns what ends it */
export function noteUnsaved(one: Unsaved): () => void {
  unsaved.add(one);
  return () => {
    unsaved.delete(one);
  };
}

/** Whether something is lost when the page is closed or loaded anew. */
export function isLostWithTab(): boolean {
  return unsaved.size > 0;
}

/** Whether something is lost when another page opens. */
export function isLostWithPage(): boolean {
  return [...unsaved].some(({ kind }) => kind !== 'message');
}

/** Whether a secret is, which nobody can see again. */
export function isSecretLost(): boolean {
  return [...unsaved].some(({ kind }) => kind === 'secret');
}

/** Whether something is lost when a dialog or an editor is closed. */
export function isLostWithin(id: string): boolean {
  return [...unsaved].some(({ within }) => within === id);
}
