import { createContext, use, useLayoutEffect } from 'react';

/** An unsent `message` survives navigation and is lost only with the tab. */
type Kind = 'typed' | 'secret' | 'message';

interface Unsaved {
  kind: Kind;
  /** Id of the enclosing dialog or editor; empty for the page. */
  within: string;
}

const unsaved = new Set<Unsaved>();

/** Id of the nearest part that can be closed; empty for the page. */
export const WithinContext = createContext('');

export function useUnsaved(isUnsaved: boolean, kind: Kind = 'typed'): void {
  const within = use(WithinContext);
  useLayoutEffect(() => (isUnsaved ? noteUnsaved({ kind, within }) : undefined), [isUnsaved, kind, within]);
}

/** @returns a function that removes it */
export function noteUnsaved(one: Unsaved): () => void {
  unsaved.add(one);
  return () => {
    unsaved.delete(one);
  };
}

/** Whether closing or reloading the tab would lose anything. */
export function isLostWithTab(): boolean {
  return unsaved.size > 0;
}

export function isLostWithPage(): boolean {
  return [...unsaved].some(({ kind }) => kind !== 'message');
}

export function isSecretLost(): boolean {
  return [...unsaved].some(({ kind }) => kind === 'secret');
}

export function isLostWithin(id: string): boolean {
  return [...unsaved].some(({ within }) => within === id);
}
