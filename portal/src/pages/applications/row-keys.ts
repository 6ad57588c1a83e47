import { useState } from 'react';
import { moved, removed } from './option-tree.js';

/** Keys of rows that have no ids: what stands in a row stays with it when another one is removed or moved. */
interface RowKeys {
  keys: readonly number[];
  /** Removes the row at a place, as the list does. */
  remove(index: number): void;
  /** Moves it by so many places, as the list does. */
  move(index: number, by: number): void;
}

/** @param count how many rows there are: those that are more than before have come at the end */
export function useRowKeys(count: number): RowKeys {
  const [known, setKnown] = useState<readonly number[]>([]);
  const keys = fitted(known, count);
  return {
    keys,
    remove: (index) => setKnown(removed(keys, index)),
    move: (index, by) => setKnown(moved(keys, index, by)),
  };
}

function fitted(known: readonly number[], count: number): readonly number[] {
  const next = Math.max(-1, ...known) + 1;
  const further = Array.from({ length: Math.max(0, count - known.length) }, (_, place) => next + place);
  return [...known.slice(0, count), ...further];
}
