import { useState } from 'react';
import { moved, removed } from './commands/option-tree.js';

/** React keys for rows without ids, so that row state survives removing and moving. */
interface RowKeys {
  keys: readonly number[];
  remove(index: number): void;
  move(index: number, by: number): void;
}

/** @param count number of rows; new ones are assumed to be at the end */
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
