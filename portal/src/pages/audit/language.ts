import type { ReactNode } from 'react';
import type { Changes } from './changes.js';

export interface Told {
  target: ReactNode;
  /** Null if there is no target. */
  targetId: string | null;
  changes: Changes;
  /** Whether actor and target are the same user. */
  isOwn: boolean;
}

/** For example “created the team Lodge”. */
export type Verb = (told: Told) => ReactNode;

/** Actions that are filtered together. */
export interface Group {
  /** Value in the URL. */
  key: string;
  text: string;
  actions: readonly string[];
}

/** Texts of one kind of log, by action. */
export interface Language {
  verbs: Readonly<Record<string, Verb>>;
  /** Labels in the filter. */
  words: Readonly<Record<string, string>>;
  groups: readonly Group[];
  /** Subject of entries without an actor. Default: “Someone”. */
  withoutActor?: string;
}

export function starting<Action extends string>(actions: readonly Action[], ...starts: string[]): Action[] {
  return actions.filter((action) => starts.some((one) => action.startsWith(one)));
}

/** Returns undefined for all actions. */
export function actionsOf({ groups, words }: Language, what: string | undefined): readonly string[] | undefined {
  const group = groups.find(({ key }) => key === what);
  if (group) return group.actions;
  return what !== undefined && Object.hasOwn(words, what) ? [what] : undefined;
}
