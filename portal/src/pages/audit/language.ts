import type { ReactNode } from 'react';
import type { Changes } from './changes.js';

/** What is told of an entry, beside who did it. */
export interface Told {
  /** The person or the thing that it was done to. */
  target: ReactNode;
  changes: Changes;
  /** Whether somebody did it to themselves. */
  isOwn: boolean;
}

/** What somebody did, such as “made the team Lodge”. */
export type Verb = (told: Told) => ReactNode;

/** Actions that are looked for together. */
export interface Group {
  /** As the address has it. */
  key: string;
  text: string;
  actions: readonly string[];
}

/** In which words a log is told, by its actions. */
export interface Language {
  verbs: Readonly<Record<string, Verb>>;
  /** What each action is called where one looks for it. */
  words: Readonly<Record<string, string>>;
  groups: readonly Group[];
}

/** Those actions whose names begin with one of these. */
export function starting<Action extends string>(actions: readonly Action[], ...starts: string[]): Action[] {
  return actions.filter((action) => starts.some((one) => action.startsWith(one)));
}

/** The actions that the address asks for; undefined for all. */
export function actionsOf({ groups, words }: Language, what: string | undefined): readonly string[] | undefined {
  const group = groups.find(({ key }) => key === what);
  if (group) return group.actions;
  return what !== undefined && Object.hasOwn(words, what) ? [what] : undefined;
}
